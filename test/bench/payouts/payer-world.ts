/** A ledger that owes to many, a node of twenty chains in a process of its own, and who pays from a key file. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import type { PayerBooks, PayerRole, PayerState } from '../../../src/bridge/payouts/payer-books.js';
import { SILENT } from '../../../src/core/names/log.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { startFollowing } from '../../../src/ledger/chains/following.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { payerBooks } from '../../../src/ledger/payer/role.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { payerReading } from '../../../src/payouts/payer/facts.js';
import { PayerNodes } from '../../../src/payouts/payer/nodes.js';
import { startPayer } from '../../../src/payouts/payer/payer.js';
import { MICROS, type Turn } from '../../../src/payouts/payer/turn.js';
import { openFileSigner } from '../../../src/payouts/signer/file-signer.js';
import { newKeyFile } from '../../../src/payouts/signer/key-file.js';
import { newSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { sightOfChains } from '../../../src/upstream/chains-in-sight.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { DEPTH, PAYER, rulesFor, TERMS } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';
import { Peer } from '../stratum/stratum-subject.js';
import { type Hold, holdOf } from './holds.js';

const RULES = rulesFor(1);
export const BELIEF = { depth: DEPTH, needed: 1, warning: '' };
const FOLLOWED_MS = 100;
const MOST_MS = 300_000;

export interface PayerWorld {
  readonly pool: pg.Pool;
  readonly turn: Turn;
  /** The same without tries and sends. */
  readonly pretended: Turn;
  state(): Promise<PayerState>;
  /** So many blocks on every chain. */
  mine(count: number): Promise<void>;
  /** The ledger follows the node until it is so. */
  follow(what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** Turns of a bridge that takes the role in the first of them. */
  turns(count: number): Promise<Hold[]>;
}

/** Chains are followed, and nobody is owed anything. */
export async function inPayerWorld<T>(act: (world: PayerWorld) => Promise<T>): Promise<T> {
  await using folder = await temporaryFolder();
  await using node = await Peer.start('payoutsNode');
  await using postgres = await startTestPostgres();
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  const { pool } = ledger;
  const client = await NodeClient.connect({ nodes: await node.call<string>('url'), timeoutMs: 30_000 });
  const clients = () => new Map([['node', client]]);
  const closing = new AbortController();
  const { signal } = closing;
  const keyFile = join(folder.path, 'payouts.key');
  const { publicKey } = await newKeyFile(keyFile, undefined, Buffer.from(PAYER.secret));
  await newSignerLog(signerLogOf(keyFile), publicKey, Date.now());
  const openSigner = () =>
    openFileSigner({
      ...{ keyFile, account: PAYER.account, networkId: TERMS.networkId, nowMs: () => Date.now() },
      gas: BigInt(TERMS.gasLimit) * TERMS.maxGasPrice,
    });
  const signer = await openSigner();
  const asked = {
    clients,
    account: PAYER.account,
    networkId: TERMS.networkId,
    signal,
  };
  const follow: PayerWorld['follow'] = async (what, isSo) => {
    const following = startFollowing({
      ...{ payerReading, pool, log: SILENT, intervalMs: FOLLOWED_MS, rules: async () => RULES },
      see: sightOfChains({ clients, count: 1, said: 'auto', timeoutMs: 10_000 }),
    });
    try {
      await until(what, isSo, MOST_MS);
    } finally {
      await following.close();
    }
  };
  try {
    await writeFirstRules(pool, RULES, 'a benchmark');
    await node.call('mine', DEPTH + 1);
    await follow('all chains are followed', async () => (await chainsIn(pool)) === 20);
    const books = payerBooks(pool);
    const role = await taken(
      books.take({
        ...{ place: 'a benchmark', account: PAYER.account, validityMicros: BigInt(TERMS.ttlS) * MICROS },
        ...{ seenMicros: 0n, isNewLedger: true, warning: '' },
      }),
    );
    const memory = {
      prices: new Map(),
      sentAtMs: new Map(),
      refusedAtMs: new Map(),
      askedAtMs: new Map(),
      toldDead: new Set<string>(),
    };
    const [nodes, none] = [new PayerNodes(asked), new NoNode(asked)];
    for (const each of [nodes, none]) each.beginTurn(BELIEF);
    const turn = { role, terms: TERMS, rules: RULES, signer, memory, log: SILENT, signal };
    return await act({
      ...{ pool, follow },
      turn: { ...turn, nodes },
      pretended: { ...turn, nodes: none },
      state: () => role.state(),
      mine: async (count) => void (await node.call('mine', count)),
      turns: async (count) => {
        await role.leave();
        await signer.close();
        const steps = new Steps();
        const rules: PayerBooks['rules'] = async () => {
          await steps.begin();
          return books.rules();
        };
        const payer = startPayer({
          ...{
            terms: TERMS,
            nodes: new PayerNodes(asked),
            isNewLedger: false,
            books: { ...books, rules },
            openSigner,
          },
          belief: () => BELIEF,
          ...{ log: SILENT, intervalMs: 0 },
        });
        const holds: Hold[] = [];
        await steps.waits();
        for (let turn = 0; turn < count; turn++) holds.push(await holdOf(() => steps.one()));
        const closed = payer.close();
        steps.end();
        await closed;
        return holds;
      },
    });
  } finally {
    closing.abort();
    await signer.close();
    await client.close();
    await ledger.close();
  }
}

/** Turns of a payer begin when they are told to; one has ended when the next would begin. */
class Steps {
  #go: ((isOver: boolean) => void) | undefined;
  #onWait = (): void => {};

  /** What a turn begins with. */
  async begin(): Promise<void> {
    const isOver = await new Promise<boolean>((resolve) => {
      this.#go = resolve;
      this.#onWait();
    });
    if (isOver) throw new Error('it is over');
  }

  /** From its beginning to its end. */
  async one(): Promise<void> {
    await this.waits();
    this.#go?.(false);
    this.#go = undefined;
    await this.waits();
  }

  async waits(): Promise<void> {
    while (!this.#go)
      await new Promise<void>((resolve) => {
        this.#onWait = resolve;
      });
  }

  end(): void {
    this.#go?.(true);
  }
}

/** It says of nothing what a node would: to write down many transactions within the time of one. */
class NoNode extends PayerNodes {
  override async dryRun(): ReturnType<PayerNodes['dryRun']> {
    return { is: 'fine' };
  }

  override async send(): ReturnType<PayerNodes['send']> {
    return [];
  }
}

async function taken(taking: Promise<PayerRole | undefined>): Promise<PayerRole> {
  const role = await taking;
  if (!role) throw new Error('somebody else pays');
  return role;
}

async function chainsIn(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ chains: number }>(
    "SELECT count(*)::int AS chains FROM chain WHERE cursor IS NOT NULL AND behind = 0 AND trouble = ''",
  );
  return rows[0]?.chains ?? 0;
}

/** From one coin upwards to each. */
export async function owe(pool: pg.Pool, accounts: number): Promise<void> {
  const names = Array.from(
    { length: accounts },
    (_, i) => `k:${createHash('sha256').update(`account ${i}`).digest('hex')}`,
  );
  await inTransaction(pool, async (client) => {
    const ids = [...(await accountIds(client, names)).values()];
    await client.query(
      `SELECT transfer_money(array_agg(('block', -id, 1, chain_account(0), id, 1 + id * 0.000100000001)::money_move))
       FROM unnest($1::int[]) AS id`,
      [ids],
    );
  });
}
