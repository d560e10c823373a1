/**
 * Payers on a ledger of its own that follows development nodes behind taps. Nodes make blocks when they are told to, and time passes as ever and
 * leaps ahead when the story says so, for nodes and ledger alike.
 */

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { expect } from 'vitest';
import type { PayerBooks, PayerRole } from '../../../src/bridge/payouts/payer-books.js';
import { payerOfKey } from '../../../src/chain/transfers/accounts.js';
import { buildTransfer } from '../../../src/chain/transfers/transfer.js';
import { type Amount, formatAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { type DevNode, startDevNode } from '../../../src/devnode/dev-node.js';
import { type Following, startFollowing } from '../../../src/ledger/chains/following.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../../src/ledger/copies/restore.js';
import { rowOf, rowsOf } from '../../../src/ledger/database/statements.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { payerBooks } from '../../../src/ledger/payer/role.js';
import { SQL } from '../../../src/ledger/payer/transactions.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { makeRules, writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { ledgerOrders } from '../../../src/ledger/watch/orders.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { nonceOf } from '../../../src/payouts/command/nonce.js';
import { payerReading } from '../../../src/payouts/payer/facts.js';
import { PayerNodes } from '../../../src/payouts/payer/nodes.js';
import { startPayer } from '../../../src/payouts/payer/payer.js';
import type { PayerTerms } from '../../../src/payouts/payer/turn.js';
import { openFileSigner } from '../../../src/payouts/signer/file-signer.js';
import { newKeyFile } from '../../../src/payouts/signer/key-file.js';
import type { Signer } from '../../../src/payouts/signer/signer.js';
import { newSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { sightOfChains } from '../../../src/upstream/chains-in-sight.js';
import { ask, EASY } from '../../devnode/helpers.js';
import { signatureOf } from '../../payouts/command/sign.js';
import { sharedPostgres } from '../books/books.js';
import { expectProved, giveMoney, moneyIn } from '../books/money.js';
import { createDatabase, dropDatabase } from '../books/postgres.js';
import { shiftTime } from '../books-model/ledger-time.js';
import { temporaryFolder } from '../folder.js';
import { type Envelope, pactApi } from '../processes/commands.js';
import { type KeyPair, keyPair } from '../processes/key-pair.js';
import { freePorts } from '../processes/ports.js';
import { openTap, type Tap } from '../stories/tap.js';
import { until } from '../until.js';
import { movedOn } from './oracle.js';
import { coins, DEPTH, PAYER, rulesFor, TERMS, TTL_S } from './payer-terms.js';

export { DEPTH, PAYER, TERMS };

/** Another that may pay; what both have where nothing else is said. */
export const OTHER_PAYER = keyPair(3);
const COINS = '1000';
export const MINER = keyPair(2);
/** Past the time of whatever is built now, and past the wait of who takes the role now. */
export const PAST_TIME_S = TTL_S + 200;
const INTERVAL_MS = 40;

/** Miners, by number. */
export const accountOf = (number: number): string => keyPair(100 + number).account;

interface StoryOptions {
  readonly nodes?: number;
  /** Whose word is needed, of the nodes. */
  readonly needed?: number;
  /** Of an empty database, in place of one that goes with the story. */
  readonly connectionString?: string;
  /** Of who pays, on each chain from the first block on. */
  readonly coins?: string;
}

interface PayerOptions {
  /** Of the ledger from then on, where others than those of {@link rulesFor}. */
  readonly rules?: Partial<RewardRules>;
  readonly terms?: Partial<PayerTerms>;
  readonly isNewLedger?: boolean;
  /** In place of a file with the key of {@link PAYER}. */
  readonly openSigner?: () => Promise<Signer | undefined>;
  /** Before each thing that is asked of its role: that waits for it. */
  readonly before?: (step: keyof PayerRole) => Promise<void>;
}

interface SignerOptions {
  readonly key?: KeyPair;
  /** Most of one payment. */
  readonly line?: Amount;
  readonly keyFile?: string;
}

interface StoryNode {
  readonly node: DevNode;
  readonly tap: Tap;
  readonly client: NodeClient;
}

type Transaction = Awaited<ReturnType<PayerStory['transactions']>>[number];

/** One start of a bridge that pays. */
export interface StartedPayer extends AsyncDisposable {
  /** Until it has gone through one turn at least that begins from now on. */
  turn(): Promise<void>;
  /** That it has begun. */
  readonly turns: number;
}

export class PayerStory implements AsyncDisposable {
  readonly nodes: StoryNode[] = [];
  /** Request keys in the order in which nodes got them, signed, and as often as they did. */
  readonly sent: string[] = [];
  readonly #open: (() => PromiseLike<unknown>)[] = [];
  readonly #payers = new Set<StartedPayer>();
  readonly #copies: PayerStory[] = [];
  readonly #needed: number;
  readonly #rules: RewardRules;
  #ledger: Ledger | undefined;
  #following: Following | undefined;
  #shift: ((aheadS: number) => Promise<void>) | undefined;
  #aheadS = 0;
  #connectionString = '';
  #folder = '';

  private constructor(needed: number) {
    this.#needed = needed;
    this.#rules = rulesFor(needed);
  }

  /** Chains that are followed, as deep as they are counted from. */
  static async open({
    nodes = 1,
    needed = 1,
    coins: amount = COINS,
    connectionString,
  }: StoryOptions = {}): Promise<PayerStory> {
    const story = new PayerStory(needed);
    try {
      await story.#start(nodes, amount, connectionString);
      return story;
    } catch (error) {
      await story[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #start(nodes: number, amount: string, connectionString?: string): Promise<void> {
    const folder = await temporaryFolder();
    this.#open.push(() => folder[Symbol.asyncDispose]());
    this.#folder = folder.path;
    await this.#openLedger(connectionString);
    const ports = await freePorts(nodes);
    for (const port of ports) await this.#startNode(port, ports, amount);
    await this.mine(DEPTH);
    this.follow();
    await this.followed();
  }

  async #newDatabase(): Promise<string> {
    const server = await sharedPostgres();
    const connectionString = await createDatabase(server);
    this.#open.push(() => dropDatabase(server, connectionString));
    return connectionString;
  }

  async #openLedger(given?: string): Promise<void> {
    const connectionString = given ?? (await this.#newDatabase());
    this.#connectionString = connectionString;
    const ledger = await openLedger({ connectionString, log: SILENT });
    this.#open.push(() => ledger.close());
    this.#ledger = ledger;
    this.#shift = await shiftTime(ledger.pool);
    await this.#shift(this.#aheadS);
  }

  /** All that the ledger has now. */
  async dump(): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of dumpBooks(this.pool)) lines.push(line);
    return lines;
  }

  /** The ledger is as it was then, in a database of its own. Whatever runs here ends; it is followed again. */
  async restore(lines: readonly string[]): Promise<void> {
    await this.#endAll();
    await this.#openFrom(lines);
  }

  /** As it is now, in a database of its own, on the same nodes and as long as they last: its time passes with this one. */
  async copy(): Promise<PayerStory> {
    const copy = new PayerStory(this.#needed);
    copy.nodes.push(...this.nodes);
    copy.#folder = this.#folder;
    copy.#aheadS = this.#aheadS;
    await copy.#openFrom(await this.dump());
    this.#copies.push(copy);
    return copy;
  }

  async #openFrom(lines: readonly string[]): Promise<void> {
    await this.#openLedger();
    await restoreBooks(
      this.pool,
      (async function* () {
        yield* lines;
      })(),
      'none',
    );
    this.follow();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#payers].map((payer) => payer[Symbol.asyncDispose]()));
    await this.stopFollowing();
  }

  async #startNode(port: number, ports: readonly number[], amount: string): Promise<void> {
    const node = await startDevNode({
      ...{ ...EASY, graph: 'triangle', payloadRefresh: 1, control: { host: '127.0.0.1', port: 0 } },
      ...{ listen: { host: '127.0.0.1', port }, peerPollMs: 20 },
      peers: ports.filter((other) => other !== port).map((other) => `http://127.0.0.1:${other}`),
      accounts: [PAYER, OTHER_PAYER].map(({ account }) => `${account}=${amount}`),
      miners: [MINER.key],
    });
    this.#open.push(() => node.close());
    const tap = await openTap(port);
    this.#open.push(() => tap[Symbol.asyncDispose]());
    tap.set({
      onRequest: (text) => {
        const [, key] = /"cmds":\[.*"hash":"([\w-]{43})"/.exec(text) ?? [];
        if (key !== undefined) this.sent.push(key);
        return text;
      },
    });
    const client = await NodeClient.connect({ nodes: tap.url });
    this.#open.push(() => client.close());
    this.nodes.push({ node, tap, client });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What hangs is let go first.
    for (const { node, tap } of this.nodes) {
      tap.heal();
      await this.control(node, 'DELETE', 'faults');
    }
    await this.#endAll();
    for (const close of this.#open.reverse()) await close();
  }

  get ledger(): Ledger {
    return this.#ledger ?? expect.fail('there is no ledger');
  }

  get connectionString(): string {
    return this.#connectionString;
  }

  get pool(): pg.Pool {
    return this.ledger.pool;
  }

  get first(): StoryNode {
    return this.nodes[0] ?? expect.fail('there is no node');
  }

  /** As people give them. */
  get orders(): ReturnType<typeof ledgerOrders> {
    return ledgerOrders(this.pool);
  }

  #clients(): Map<string, NodeClient> {
    return new Map(this.nodes.map(({ client }, i) => [`node ${i}`, client]));
  }

  follow(): void {
    this.#following = startFollowing({
      ...{ payerReading, pool: this.pool, log: SILENT, intervalMs: INTERVAL_MS },
      see: sightOfChains({
        ...{ clients: () => this.#clients(), count: this.nodes.length, said: 'auto', timeoutMs: 2_000 },
      }),
      rules: async () => this.#rules,
    });
  }

  async stopFollowing(): Promise<void> {
    await this.#following?.close();
    this.#following = undefined;
  }

  /** Until the cursor of every chain is as deep below its head as it has to be. */
  async followed(): Promise<void> {
    const { heights } = this.first.node.cut();
    await until('all chains are followed', async () => {
      const { rows } = await this.pool.query<{ id: number; height: number }>(
        'SELECT id, b.height::float8 AS height FROM chain JOIN chain_block b ON b.chain_id = id AND b.hash = cursor',
      );
      const followed = new Map(rows.map(({ id, height }) => [id, height]));
      return Object.entries(heights).every(
        ([id, height]) => (followed.get(Number(id)) ?? -1) >= height - DEPTH,
      );
    });
  }

  /** A bridge that pays: when somebody asks. */
  pay({ rules = {}, terms = {}, isNewLedger = true, openSigner, before }: PayerOptions = {}): StartedPayer {
    const own = { ...TERMS, ...terms };
    let written: Promise<void> | undefined;
    const books = this.#booksFor(before);
    const closing = new AbortController();
    let turns = 0;
    const nodes = new PayerNodes({
      ...{ account: own.from.account, networkId: own.networkId },
      ...{ clients: () => this.#clients(), signal: closing.signal },
    });
    const payer = startPayer({
      ...{ terms: own, nodes, isNewLedger },
      books: {
        ...books,
        // Each turn begins with them.
        rules: async () => {
          turns++;
          written ??= this.#writeRules(rules);
          await written.catch((error: unknown) => {
            // Again in the next turn: its connection may have been killed.
            written = undefined;
            throw error;
          });
          return books.rules();
        },
      },
      ...{ openSigner: openSigner ?? (() => this.fileSigner()), log: SILENT, intervalMs: 20 },
      belief: () => ({ depth: DEPTH, needed: this.#needed, warning: '' }),
    });
    const started: StartedPayer = {
      get turns() {
        return turns;
      },
      turn: async () => {
        const before = turns;
        await until('the payer has gone through a turn', () => turns >= before + 2);
      },
      [Symbol.asyncDispose]: async () => {
        this.#payers.delete(started);
        closing.abort();
        await payer.close();
      },
    };
    this.#payers.add(started);
    return started;
  }

  /** They are in force when it resolves. */
  async #writeRules(rules: Partial<RewardRules>): Promise<void> {
    await writeFirstRules(this.pool, this.#rules, 'a test');
    if (Object.keys(rules).length > 0) await makeRules(this.pool, rules, undefined, 'a test');
  }

  /** With a new key file of this key, and an empty log, as the machine of another, unless one is given. */
  async fileSigner({ key = PAYER, line, keyFile }: SignerOptions = {}): Promise<Signer> {
    return openFileSigner({
      ...{
        keyFile: keyFile ?? (await this.keyFile(key)),
        account: key.account,
        networkId: TERMS.networkId,
        line,
      },
      gas: BigInt(TERMS.gasLimit) * TERMS.maxGasPrice,
      nowMs: () => this.nowMs,
    });
  }

  /** Of this story, and empty at first. */
  get folder(): string {
    return this.#folder;
  }

  async keyFile(key = PAYER): Promise<string> {
    const keyFile = join(await mkdtemp(join(this.#folder, 'key-')), 'payouts.key');
    const { publicKey } = await newKeyFile(keyFile, undefined, Buffer.from(key.secret));
    await newSignerLog(signerLogOf(keyFile), publicKey, this.nowMs);
    return keyFile;
  }

  /** In coins, by number. */
  async give(amounts: Readonly<Record<number, string>>): Promise<void> {
    for (const [number, text] of Object.entries(amounts))
      await giveMoney(this.pool, accountOf(Number(number)), coins(text));
  }

  /** And asks for a payout. */
  async owe(amounts: Readonly<Record<number, string>>): Promise<void> {
    await this.give(amounts);
    await askForPayout(this.pool);
  }

  get nowMs(): number {
    return Date.now() + 1_000 * this.#aheadS;
  }

  /** Time leaps ahead. */
  async pass(seconds: number): Promise<void> {
    for (const each of [this, ...this.#copies]) {
      each.#aheadS += seconds;
      await each.#shift?.(each.#aheadS);
    }
    for (const { node } of this.nodes) node.orders.advance(1_000 * seconds);
  }

  /** So many blocks on every chain, one after the other, which all nodes have then. */
  async mine(count = 1, { node } = this.first): Promise<void> {
    for (let i = 0; i < count; i++) await node.orders.mine();
    const cuts = () => new Set(this.nodes.map((one) => JSON.stringify(one.node.cut().hashes)));
    await until('all nodes have one cut', () => cuts().size === 1);
  }

  /** Block after block, until transactions are so, in any order. */
  async mineUntil(...states: readonly string[]): Promise<readonly Transaction[]> {
    return this.are(states, async () => {
      await this.mine();
      await this.followed();
    });
  }

  /** Who takes the role of a new ledger does not wait, also where somebody has paid before: as if nobody had. */
  #booksFor(before: PayerOptions['before']): PayerBooks {
    const books = payerBooks(this.pool);
    return {
      ...books,
      take: async (taking) => {
        // Not when it takes it anew: its ledger has an account then.
        if (taking.isNewLedger)
          await this.pool.query('UPDATE payer SET account = NULL WHERE account = $1', [taking.account]);
        const role = await books.take(taking);
        return role && before ? heldUp(role, before) : role;
      },
    };
  }

  /** As deep as it takes for a block that is there to count, and one more. */
  async bury(): Promise<void> {
    await this.mine(DEPTH + 1);
    await this.followed();
  }

  async control(
    node: DevNode,
    method: 'PUT' | 'POST' | 'DELETE',
    path: string,
    json?: object,
  ): Promise<void> {
    const answer = await ask(`${node.controlUrl}/${path}`, { method, ...(json ? { json } : {}) });
    expect(answer.status, answer.text).toBe(200);
  }

  async faults(faults: {
    readonly dropTransactions?: boolean;
    readonly holdTransactions?: boolean;
  }): Promise<void> {
    for (const { node } of this.nodes) await this.control(node, 'PUT', 'faults', faults);
  }

  /** Every chain is as it was at that height. */
  async rewind(height: number): Promise<void> {
    for (const { node } of this.nodes) await this.control(node, 'POST', 'rewind', { height });
  }

  /** A command that comes from elsewhere, into the next block of that chain. */
  async send(envelope: Envelope, chainId = 0): Promise<void> {
    const answer = await pactApi(this.first.node, chainId).send(envelope);
    expect(answer.status, answer.text).toBe(200);
  }

  /** As a copy of this ledger with the same key does, into the next block of chain 0. Resolves with its request key. */
  async copyPays(lineId: string, number: number, text: string, payer = PAYER): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT id FROM ledger');
    const ledgerId = rows[0]?.id ?? '';
    const { ttlS, gasLimit, gasPrice, networkId } = TERMS;
    const creationTimeS = Math.floor(this.nowMs / 1_000) - 30;
    const { cmd, requestKey } = buildTransfer({
      ...{
        networkId,
        from: payerOfKey(payer.key),
        to: accountOf(number),
        amount: coins(text),
        chainId: 0,
        creationTimeS,
      },
      ...{ ttlS, gasLimit, gasPrice, nonce: nonceOf({ ledgerId, paymentId: lineId, attempt: 1 }) },
    });
    await this.send({ cmd, hash: requestKey, sigs: [{ sig: signatureOf(cmd, payer) }] });
    return requestKey;
  }

  /** Until blocks of all chains are past what who took the role waits for. */
  async waitIsOver(): Promise<void> {
    await this.pass(PAST_TIME_S);
    await this.bury();
    await until('the wait is over', async () => (await this.shown()).isReady);
  }

  /** The oldest first. */
  async transactions() {
    return (await rowsOf(this.pool, SQL.transactions, [null, 1_000, 0])).reverse();
  }

  /** Until so many transactions were sent and wait in the node for a block. */
  async arrived(count = 1): Promise<readonly Transaction[]> {
    const { client } = this.first;
    return until(`${count} transactions wait in the node`, async () => {
      const open = (await this.transactions()).filter(({ state }) => state === 'open');
      const wait = open.map(({ chainId, requestKey }) => client.chain(chainId).mempool.member([requestKey]));
      return (await Promise.all(wait)).filter(([isThere]) => isThere).length === count && open;
    });
  }

  async shown() {
    return (await rowOf(this.pool, SQL.shown)) ?? expect.fail('the ledger has no row of who pays');
  }

  async pauses(): Promise<string[]> {
    return (await this.shown()).pauses.map(({ reason }) => reason);
  }

  /** `attempt state`, and `sent` of what is open and was. */
  async states(): Promise<string[]> {
    return (await this.transactions()).map(wordsOf);
  }

  /** Until transactions are so, in any order. */
  async are(
    states: readonly string[],
    between: () => Promise<void> = async () => {},
  ): Promise<readonly Transaction[]> {
    const wanted = states.toSorted().join(', ');
    let last = '';
    return until(`transactions are ${wanted}`, async () => {
      const all = await this.transactions();
      last = all.map(wordsOf).sort().join(', ');
      if (last === wanted) return all;
      await between();
      return undefined;
    }).catch(async (error: Error) => {
      const shown = JSON.stringify(await this.shown());
      throw new Error(`${error.message}; they are ${last}; ${shown}`, { cause: error });
    });
  }

  /** Until it pauses for that. */
  async paused(reason: string): Promise<void> {
    await until(`payments are paused: ${reason}`, async () => (await this.pauses()).includes(reason));
  }

  /**
   * What these accounts got from who pays, by events on the node, is what the ledger says they were paid, and the ledger proves itself. All that
   * may be there stands at the depth.
   */
  async expectPaid(amounts: Readonly<Record<number, string>>, from = PAYER): Promise<void> {
    const moved = await movedOn(this.first.node);
    const paid = await moneyIn(this.pool, 'paid');
    const wanted = Object.entries(amounts).map(
      ([number, text]) => [accountOf(Number(number)), text] as const,
    );
    const onChain = (account: string): Amount =>
      moved
        .filter((one) => one.from === from.account && one.to === account)
        .reduce((sum, { amount }) => sum + amount, 0n);
    for (const [account, text] of wanted)
      expect([account, formatAmount(onChain(account)), formatAmount(paid[account] ?? 0n)]).toEqual([
        ...[account, formatAmount(coins(text)), formatAmount(coins(text))],
      ]);
    await expectProved(this.pool);
  }
}

function wordsOf({ attempt, state, sentAt }: Pick<Transaction, 'attempt' | 'state' | 'sentAt'>): string {
  return `${attempt} ${state}${state === 'open' && sentAt !== null ? ' sent' : ''}`;
}

function heldUp(role: PayerRole, before: (step: keyof PayerRole) => Promise<void>): PayerRole {
  return new Proxy(role, {
    get: (_, name) => {
      const step = name as keyof PayerRole;
      const method: unknown = role[step];
      // A promise looks for `then`.
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => {
        await before(step);
        return method.apply(role, given);
      };
    },
  });
}

/** The first node says no payload of that chain any more. @returns takes that back. */
export function keepPayload({ first: { tap } }: PayerStory, chainId: number): () => void {
  const isOf = (path: string): boolean => path.includes(`/chain/${chainId}/payload/`);
  tap.set({ onAnswer: (text, path) => (isOf(path) ? undefined : text) });
  return () => tap.set({ onAnswer: (text) => text });
}

/** One payment of five coins that no block takes before it is said. */
export async function held(
  story: PayerStory,
  options: PayerOptions = {},
): Promise<{ payer: StartedPayer; transaction: Pick<Transaction, 'chainId' | 'requestKey' | 'line'> }> {
  await story.faults({ holdTransactions: true });
  const payer = story.pay(options);
  await story.owe({ 1: '5' });
  const [only] = await story.arrived();
  const { chainId, requestKey, line } = only ?? expect.fail('nothing was sent');
  return { payer, transaction: { chainId, requestKey, line } };
}

/** Nodes have left what was taken over, on all chains: it is undone, as the ledger says that it can be. */
export async function undoLost(story: PayerStory): Promise<void> {
  const orders = await until('chains stand still', async () => {
    const { rows } = await story.pool.query<{ id: number; to: string }>(
      "SELECT id, substring(trouble FROM 'undo \\d+ --to (\\S+) ') AS to FROM chain WHERE trouble LIKE '%follow undo%'",
    );
    return rows.length === 3 && rows;
  });
  for (const { id: chain, to } of orders)
    expect(await story.orders.undoBlocks({ chain, to, note: 'theirs is right' }, 'a test')).toMatchObject({
      chain,
    });
}

/** The payout that has lines to pay: for people to approve. */
export function prepared(story: PayerStory): Promise<{ readonly id: string; readonly hash: string }> {
  return until('a payout waits', async () => {
    const { rows } = await story.pool.query<{ id: string; hash: string }>(
      `SELECT id::text, hash FROM payout o WHERE hash IS NOT NULL
         AND EXISTS (SELECT FROM payout_line n WHERE n.payout_id = o.id AND n.state = 'prepared')`,
    );
    return rows[0];
  });
}

/** Goes on over a block of that chain whose payload no node has, by order. Resolves once that has paused payments. */
export async function skipBlock(story: PayerStory, chain: number): Promise<void> {
  const to = await until('the chain stands still', async () => {
    const { rows } = await story.pool.query<{ hash: string | null }>(
      "SELECT substring(trouble FROM 'block ([\\w-]{43}) of height') AS hash FROM chain WHERE id = $1",
      [chain],
    );
    return rows[0]?.hash ?? undefined;
  });
  expect(await story.orders.skipPayloads({ chain, to, note: 'lost' }, 'alice')).toEqual({ chain, to });
  await story.paused('skipped');
}
