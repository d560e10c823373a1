/**
 * The payer of the model, done by the ledger itself on a real PostgreSQL: blocks are applied by what follows chains, and the payer's steps are those
 * of whoever holds its role. Chains, nodes and signers stay simulated. What people do where a block was passed without its payload is done as the
 * sentences of the program tell them.
 */
import type pg from 'pg';
import {
  type OpenTransaction,
  type PayerRole,
  type ReadPayerFacts,
  RoleLostError,
} from '../../../src/bridge/payouts/payer-books.js';
import type { PassedBlock } from '../../../src/bridge/ports.js';
import { formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { advance, beginChain, SQL as CHAIN_SQL } from '../../../src/ledger/chains/cursor.js';
import { skipPayloads, undoBlocks } from '../../../src/ledger/chains/orders.js';
import { LedgerError } from '../../../src/ledger/database/errors.js';
import { rowOf, rowsOf, run } from '../../../src/ledger/database/statements.js';
import { bulkRows, inTransaction } from '../../../src/ledger/database/transaction.js';
import { resumePayments, settleLine } from '../../../src/ledger/payer/orders.js';
import { payerBooks } from '../../../src/ledger/payer/role.js';
import { payerReader, revertTransactions, SQL } from '../../../src/ledger/payer/transactions.js';
import { correctBalance, enterPayment } from '../../../src/ledger/payments/by-hand.js';
import { insertPayout } from '../../../src/ledger/payments/prepare.js';
import { REWARD_RULES } from '../../../src/ledger/settlement/reward-rules.js';
import { START_MS } from '../books-model/world.js';
import {
  type Block,
  CHAINS,
  Chain,
  type ChainId,
  type Command,
  failed,
  type Takes,
  VALIDITY,
} from './chains.js';
import { type Copy, keepBooks, putBooks, setClock } from './kept-books.js';
import type { Payer, Shown } from './model.js';
import { Wrong } from './rules.js';

/** Of the model's time. */
const UNIT_MICROS = 60_000_000n;
const COIN = 10n ** 12n;
/** Longer than a holder of the role may be silent. */
const SILENCE_MS = 31_000;
/** Of an account that is paid from the first income on. */
const LEAST = 1n;
const GAS = COIN / 1000n;
const NAMES = ['k:a', 'k:b'];
const PAYER = 'k:payer';
const BY = { note: 'a test', by: 'a test' };
/** Of {@link Driven.finish}. */
const MOST_ROUNDS = 80;

interface Cursor {
  readonly height: number;
  readonly id: number;
  readonly time: number;
}

/** What is remembered here of what the books hold: it goes back with them. */
interface Heard {
  incomes: number;
  /** Of each chain the blocks that were taken over; the last one is its cursor. */
  applied: Cursor[][];
}

interface Machine {
  readonly place: string;
  isUp: boolean;
  role: PayerRole | undefined;
  hasSnapshot: boolean;
  lag: number;
}

interface Around {
  readonly pool: pg.Pool;
  readonly setTime: (nowMs: number) => Promise<void>;
}

/** Rules of what is simulated here. */
export type LeftOut = 'readsAll' | 'entersAlways' | 'settlesSkipped';

type Steps = { [K in Exclude<keyof Payer, 'shown'>]: (...given: Parameters<Payer[K]>) => Promise<void> };

export class Driven implements Steps {
  readonly #pool: pg.Pool;
  readonly #setTime: Around['setTime'];
  readonly #out: ReadonlySet<LeftOut>;
  readonly #sent = new Map<string, Command>();
  readonly #chains: Record<ChainId, Chain>;
  readonly #incomes: { account: number; amount: number }[] = [];
  readonly #machines: readonly Machine[];
  readonly #copies: Partial<Record<Copy, Heard>> = {};
  #heard: Heard;
  #numbers = 0;
  #nowMs = START_MS;
  #clockError = 0;
  /** What happened, so often. */
  readonly counts = { roleLost: 0, undone: 0, byHand: 0 };

  private constructor({ pool, setTime }: Around, out: readonly LeftOut[]) {
    this.#pool = pool;
    this.#setTime = setTime;
    this.#out = new Set(out);
    const chain = (id: ChainId): Chain => new Chain(id, this.#sent, () => ++this.#numbers);
    this.#chains = { 0: chain(0), 1: chain(1) };
    this.#machines = [0, 1].map((id) => ({
      ...{ place: `machine ${id}`, isUp: true, role: undefined, hasSnapshot: false, lag: 0 },
    }));
    this.#heard = { incomes: 0, applied: CHAINS.map((id) => [cursorAt(this.#block(id, 1))]) };
  }

  /** Once in books whose time is steered: what each history begins with. */
  static async prepare(around: Around): Promise<void> {
    const { pool } = around;
    await accountIds(pool, NAMES);
    const first = new Driven(around, []);
    for (const id of CHAINS) {
      await run(pool, CHAIN_SQL.know, [id, 'test', '1']);
      await beginChain(pool, id, first.#passed(id, 0), first.#passed(id, 1));
    }
    await keepBooks(pool, 'empty');
  }

  /** @param out rules that do not hold. */
  static async begin(around: Around, out: readonly LeftOut[] = []): Promise<Driven> {
    const driven = new Driven(around, out);
    await putBooks(driven.#pool, 'empty');
    await driven.#pool.query('DELETE FROM event');
    await driven.#setTime(driven.#nowMs);
    await driven.sync();
    return driven;
  }

  #block(chain: ChainId, height: number): Block {
    return this.#chains[chain].blocks[height] ?? failed('no block');
  }

  #passed(chain: ChainId, height: number): PassedBlock {
    const { id, time, commands, isBlind } = this.#block(chain, height);
    const transactions = commands.map(({ key, succeeded }) => {
      const { line, attempt, account, amount, until } = this.#sent.get(key) ?? failed(`nobody sent ${key}`);
      const command = { key, line, attempt, account, amount, until };
      return { command: JSON.stringify(command), output: JSON.stringify(succeeded) };
    });
    return {
      ...{ height, hash: hashOf({ id }), weight: BigInt(height), work: 1n },
      ...{ timeMicros: microsOf(time), epochStartMicros: 0n, header: new Uint8Array() },
      payload: isBlind ? undefined : { coinbase: '{}', transactions },
    };
  }

  // What happens to accounts and chains.

  async income(account: number, amount: number): Promise<void> {
    this.#incomes.push({ account, amount });
  }

  async learn(): Promise<void> {
    const income = this.#incomes[this.#heard.incomes];
    if (!income) return;
    this.#heard.incomes++;
    const given = { account: nameOf(income.account), amount: BigInt(income.amount) * COIN };
    await correctBalance(this.#pool, { ...given, ...BY });
  }

  async mine(
    chain: ChainId,
    seconds: number,
    takes: Takes,
    succeeded = true,
    isBlind = false,
  ): Promise<void> {
    this.#chains[chain].mine(seconds, takes, succeeded, isBlind);
    this.#payNobodyTwice();
  }

  async reorganise(chain: ChainId, depth: number, seconds: number, takes: Takes): Promise<void> {
    if (depth > this.#chains[chain].head.height - 2) return;
    this.#chains[chain].reorganise(depth, seconds, takes);
    this.#payNobodyTwice();
  }

  async pass(blocks: number, seconds: number, takes: Takes): Promise<void> {
    for (let i = 0; i < blocks; i++)
      for (const chain of CHAINS) {
        await this.mine(chain, seconds, i === 0 ? takes : 'nothing');
        await this.follow(chain);
      }
  }

  #cursor(chain: ChainId): Cursor {
    return this.#heard.applied[chain]?.at(-1) ?? failed('no cursor');
  }

  #isOnCourse(chain: ChainId): boolean {
    return this.#chains[chain].has(this.#cursor(chain));
  }

  /** Those that are believed, and were not taken over. */
  #next(chain: ChainId): Block[] {
    const { blocks, believed } = this.#chains[chain];
    return this.#isOnCourse(chain) ? blocks.slice(this.#cursor(chain).height + 1, believed.height + 1) : [];
  }

  async follow(chain: ChainId): Promise<void> {
    const next = this.#next(chain);
    const blind = next.findIndex(({ isBlind }) => isBlind);
    const blocks = blind < 0 ? next : next.slice(0, blind);
    if (blocks.length === 0) return;
    await this.#advance(chain, blocks);
    await this.#settleDead(chain);
  }

  async #advance(chain: ChainId, blocks: readonly Block[]): Promise<void> {
    const payer = (await rowOf(this.#pool, SQL.readers)) ?? failed('no payer');
    const isRead = !this.#out.has('readsAll') || this.#machines.some(({ role }) => role !== undefined);
    const read = this.#out.has('entersAlways') ? await this.#withoutStrangers() : readCommands;
    const step = {
      ...{ chainId: chain, cursor: this.#passed(chain, this.#cursor(chain).height), behind: 0 },
      blocks: blocks.map(({ height }) => this.#passed(chain, height)),
      headHeight: this.#chains[chain].head.height,
    };
    const readers = isRead ? [payerReader({ read, payer })] : [];
    const isMoved = await advance(this.#pool, step, readers).catch((error: Error) => {
      throw new Wrong('cannot be booked', error.message);
    });
    if (!isMoved) failed('nobody else moves a cursor here');
    this.#heard.applied[chain]?.push(...blocks.map(cursorAt));
  }

  /** Of commands that the books do not know, none is seen once somebody may pay. */
  async #withoutStrangers(): Promise<ReadPayerFacts> {
    const { rows } = await this.#pool.query<{ key: string }>(
      'SELECT request_key AS key FROM chain_transaction UNION SELECT request_key FROM payer, unnest($1::text[]) AS u (request_key) WHERE NOT is_ready',
      [[...this.#sent.keys()]],
    );
    const known = new Set(rows.map(({ key }) => key));
    return (payer, payload) => {
      const facts = readCommands(payer, payload);
      return (
        facts && { ...facts, commands: facts.commands.filter(({ requestKey }) => known.has(requestKey)) }
      );
    };
  }

  async undo(chain: ChainId): Promise<void> {
    await this.#undo(chain);
  }

  async #undo(chain: ChainId): Promise<boolean> {
    if (this.#isOnCourse(chain)) return true;
    const applied = this.#heard.applied[chain] ?? failed('no chain');
    const last = applied.findLastIndex((one) => this.#chains[chain].has(one));
    const order = { chainId: chain, to: hashOf(applied[last] ?? failed('no block')), ...BY };
    await this.#tick();
    try {
      await undoBlocks(this.#pool, order, [{ revert: revertTransactions }], async () => REWARD_RULES);
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'refused') return false;
      throw error;
    }
    applied.length = last + 1;
    this.counts.undone++;
    return true;
  }

  /** By order; and what was in it people tell, who have asked an explorer. */
  async skip(chain: ChainId): Promise<void> {
    const [block] = this.#next(chain);
    if (!block?.isBlind) return;
    await run(this.#pool, CHAIN_SQL.stands, [chain, 'no node has the payload', -1]);
    await skipPayloads(this.#pool, { chainId: chain, to: hashOf(block), ...BY });
    await this.#advance(chain, [block]);
    this.counts.byHand++;
    if (!this.#out.has('settlesSkipped'))
      for (const { key, succeeded } of block.commands) await this.#tell(key, succeeded);
    await this.#settleDead(chain);
  }

  async #tell(key: string, succeeded: boolean): Promise<void> {
    const { account, amount, chain } = this.#sent.get(key) ?? failed(`nobody sent ${key}`);
    const { rows } = await this.#pool.query<{ line: string; isOpen: boolean }>(
      `SELECT line_id AS line, state = 'open' AS "isOpen" FROM chain_transaction WHERE request_key = $1`,
      [key],
    );
    const [known] = rows;
    if (known?.isOpen)
      await settleLine(this.#pool, known.line, { requestKey: succeeded ? key : undefined, ...BY });
    const given = { account: nameOf(account), amount: BigInt(amount) * COIN, chainId: chain };
    if (!known && succeeded) await enterPayment(this.#pool, { ...given, requestKey: key, ...BY });
  }

  /** What was left to people, and can be in no block any more. */
  async #settleDead(chain: ChainId): Promise<void> {
    if (this.counts.byHand === 0) return;
    const { rows } = await this.#pool.query<{ line: string }>(
      "SELECT line_id AS line FROM chain_transaction WHERE state = 'open' AND by_hand AND chain_id = $1 AND until_micros <= $2",
      [chain, microsOf(this.#cursor(chain).time).toString()],
    );
    for (const { line } of rows) await settleLine(this.#pool, line, { requestKey: undefined, ...BY });
  }

  // The payer.

  async #tick(): Promise<void> {
    this.#nowMs += SILENCE_MS;
    await this.#setTime(this.#nowMs);
  }

  /** One that runs is heard of. */
  async take(index: number): Promise<void> {
    const machine = this.#machineAt(index);
    if (!machine.isUp) return;
    await this.#tick();
    for (const one of this.#machines) await this.#by(one, async (role) => void (await role.state()));
    if (machine.role) return;
    const clock = Math.max(...CHAINS.map((id) => this.#chains[id].head.time)) + this.#clockError;
    await setClock(this.#pool, microsOf(clock));
    const seen = CHAINS.map((id) => this.#chains[id].blocks.at(-1 - machine.lag)?.time ?? 0);
    machine.role = await payerBooks(this.#pool).take({
      ...{ place: machine.place, account: PAYER, validityMicros: BigInt(VALIDITY) * UNIT_MICROS },
      ...{ seenMicros: microsOf(Math.max(...seen)), isNewLedger: false },
    });
  }

  /** Where it holds the role, or believes so. */
  async #by(machine: Machine, act: (role: PayerRole) => Promise<void>): Promise<boolean> {
    const { role, isUp } = machine;
    if (!role || !isUp) return false;
    try {
      await act(role);
      return true;
    } catch (error) {
      if (!(error instanceof RoleLostError)) throw error;
      machine.role = undefined;
      this.counts.roleLost++;
      return false;
    }
  }

  /** By who pays; and as it was planned before by somebody who did, where nobody does. */
  async plan(account: number, chain: ChainId): Promise<void> {
    const holder = this.#machines.find(({ role, isUp }) => role && isUp);
    const isPlanned =
      holder &&
      (await this.#by(holder, async (role) => {
        const due = (await role.due(LEAST)).find((one) => one.account === nameOf(account));
        if (!due) return;
        const line = { accountId: due.id, account: due.account, chainId: chain, amount: due.due };
        await role.plan({
          minimum: LEAST,
          lines: [line],
          approvals: 0,
          approvalWhy: '',
          waitingWhy: '',
        });
      }));
    if (!isPlanned) await this.#planBefore(account, chain);
  }

  async #planBefore(account: number, chain: ChainId): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      const due = (await rowsOf(client, SQL.due, [formatAmount(LEAST)])).find(
        (one) => one.account === nameOf(account),
      );
      if (!due) return;
      const id = await insertPayout(client, { minimum: LEAST });
      await bulkRows(client, SQL.insertLines, [id, [due.id], [chain], [due.due]]);
      await run(client, SQL.describe, [id, 0, '']);
    });
  }

  /** As who follows chains sees them: each at its newest block, or that it stands still. */
  async #look(): Promise<void> {
    const well = CHAINS.filter((id) => this.#isOnCourse(id));
    await run(this.#pool, CHAIN_SQL.areWell, [well, well.map((id) => String(this.#chains[id].head.height))]);
    for (const id of CHAINS)
      if (!well.includes(id)) await run(this.#pool, CHAIN_SQL.stands, [id, 'its nodes have left it', -1]);
  }

  async build(index: number): Promise<void> {
    const machine = this.#machineAt(index);
    if (!machine.role) return;
    await this.#look();
    await this.#by(machine, async (role) => {
      const { isReady, pauses, lines, chains } = await role.state();
      const some = lines.filter(({ chainId }) => chains.includes(chainId));
      if (!isReady || pauses.length > 0 || some.length === 0) return;
      await role.build(
        some.map(({ id: lineId, attempt, chainId }) => {
          const requestKey = `key ${++this.#numbers}`;
          const until = this.#chains[chainId as ChainId].head.time + VALIDITY;
          const untilMicros = microsOf(until);
          return { lineId, attempt, requestKey, cmd: requestKey, untilMicros, gas: GAS };
        }),
      );
    });
  }

  async sign(index: number, dies = false): Promise<void> {
    await this.#by(this.#machineAt(index), async (role) => {
      const some = await openOf(role, ({ isSigned }) => !isSigned);
      if (some.length === 0 || !(await role.asking(some.map(({ id }) => id)))) return;
      if (dies) return this.crash(index);
      await role.keepSignatures(
        some.map(({ id }) => ({ id, signatures: [{ pubKey: 'a', sig: 'b' }], isSigned: true })),
      );
    });
  }

  async send(index: number): Promise<void> {
    await this.#by(this.#machineAt(index), async (role) => {
      const some = await openOf(role, ({ isSigned, isSent }) => isSigned && !isSent);
      if (some.length === 0 || !(await role.sending(some.map(({ id }) => id)))) return;
      for (const { requestKey: key, lineId: line, attempt, account, amount, chainId, untilMicros } of some)
        this.#sent.set(key, {
          ...{ key, line, attempt, account: NAMES.indexOf(account), amount: Number(amount / COIN) },
          ...{ chain: chainId as ChainId, until: timeOf(untilMicros) },
        });
    });
  }

  async pay(index: number, chain: ChainId): Promise<void> {
    for (const account of NAMES.keys()) await this.plan(account, chain);
    await this.build(index);
    await this.sign(index);
    await this.send(index);
  }

  // Faults and people.

  async crash(index: number): Promise<void> {
    const machine = this.#machineAt(index);
    machine.isUp = false;
    machine.role = undefined;
  }

  async start(index: number): Promise<void> {
    this.#machineAt(index).isUp = true;
  }

  async sync(): Promise<void> {
    await this.#keep('standby');
  }

  async promote(): Promise<void> {
    await this.#put('standby');
  }

  async dump(): Promise<void> {
    await this.#keep('dump');
  }

  async restore(): Promise<void> {
    if (!this.#copies.dump) return;
    for (const index of this.#machines.keys()) await this.crash(index);
    await this.#put('dump');
  }

  async #keep(copy: Copy): Promise<void> {
    await keepBooks(this.#pool, copy);
    this.#copies[copy] = structuredClone(this.#heard);
  }

  async #put(copy: Copy): Promise<void> {
    await this.#refuseFalsePause();
    await putBooks(this.#pool, copy);
    this.#heard = structuredClone(this.#copies[copy] ?? failed('no copy'));
  }

  async snapshot(index: number): Promise<void> {
    this.#machineAt(index).hasSnapshot = true;
  }

  /** The signer's log with it, of which the ledger knows nothing. */
  async goBack(index: number): Promise<void> {
    if (this.#machineAt(index).hasSnapshot) await this.crash(index);
  }

  async lag(index: number, blocks: number): Promise<void> {
    this.#machineAt(index).lag = blocks;
  }

  async clock(error: number): Promise<void> {
    this.#clockError = -error;
  }

  async resume(): Promise<void> {
    await this.#refuseFalsePause();
    await resumePayments(this.#pool, BY);
  }

  async finish(): Promise<void> {
    this.#clockError = 0;
    for (const machine of this.#machines) machine.lag = 0;
    await this.resume();
    await this.crash(1);
    await this.start(0);
    for (let round = 0; round < MOST_ROUNDS && !(await this.#isOver()); round++) {
      await this.take(0);
      while (this.#heard.incomes < this.#incomes.length) await this.learn();
      for (const chain of CHAINS) {
        await this.follow(chain);
        await this.skip(chain);
        if (!(await this.#undo(chain))) throw new Wrong('books differ', `chain ${chain} cannot be undone`);
      }
      await this.pay(0, 0);
      for (const chain of CHAINS) await this.mine(chain, 1, 'all');
      await this.resume();
    }
    await this.#expectPaid();
  }

  /** Nothing is on its way, or may be, and all is booked. */
  async #isOver(): Promise<boolean> {
    const mayCome = ({ key, chain, until }: Command): boolean => {
      const { blocks, head } = this.#chains[chain];
      const block = blocks.find(({ commands }) => commands.some((one) => one.key === key));
      return block ? block.height > this.#cursor(chain).height : head.time < until;
    };
    if (this.#heard.incomes < this.#incomes.length || [...this.#sent.values()].some(mayCome)) return false;
    if (CHAINS.some((id) => !this.#isOnCourse(id))) return false;
    const { rows } = await this.#pool.query<{ isOver: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM payout_line WHERE state IN ('prepared', 'unknown')) AND NOT EXISTS (SELECT FROM chain_transaction WHERE state = 'open')
        AND NOT EXISTS (SELECT FROM money WHERE account_id > 0 AND due <> 0) AS "isOver"`,
    );
    return rows[0]?.isOver ?? false;
  }

  /** As the model shows it. */
  async shown(): Promise<Shown> {
    const balances = await this.#pool.query<{ amount: string }>(
      'SELECT coalesce(b.amount, 0)::text AS amount FROM account a LEFT JOIN balance b ON b.account_id = a.id WHERE a.name = ANY ($1) ORDER BY a.name',
      [NAMES],
    );
    const transactions = await this.#pool.query<Row>(
      `SELECT a.name AS account, t.amount::text AS amount, t.chain_id AS chain, t.until_micros::text AS until, t.state, t.is_signed AS "isSigned",
        t.sent_at IS NOT NULL AS "isSent"
       FROM chain_transaction t JOIN payout_line n ON n.id = t.line_id JOIN account a ON a.id = n.account_id ORDER BY t.id`,
    );
    return {
      balances: balances.rows.map(({ amount }) => Number((parseAmount(amount) ?? 0n) / COIN)),
      transactions: transactions.rows.map(({ account, amount, until, ...one }) => ({
        ...one,
        ...{ account: NAMES.indexOf(account), until: timeOf(BigInt(until)) },
        amount: Number((parseAmount(amount) ?? 0n) / COIN),
      })),
    };
  }

  /** Each machine here is of this pool. */
  async #refuseFalsePause(): Promise<void> {
    const { rows } = await this.#pool.query<{ says: string }>(
      "SELECT says FROM pause WHERE reason = 'anotherPayer'",
    );
    if (rows[0]) throw new Wrong('paused for nothing', rows[0].says);
  }

  async #expectPaid(): Promise<void> {
    const { balances } = await this.shown();
    for (const account of NAMES.keys()) {
      const owed = this.#owedTo(account);
      const paid = this.#paidTo(account, (chain) => this.#cursor(chain).height);
      const words = `account ${account} earned ${owed}, was paid ${paid}, and has ${balances[account]}`;
      if (paid !== owed) throw new Wrong('not paid', words);
      if (balances[account] !== 0) throw new Wrong('books differ', words);
    }
  }

  #payNobodyTwice(): void {
    for (const account of NAMES.keys()) {
      const [owed, paid] = [this.#owedTo(account), this.#paidTo(account, () => Infinity)];
      if (paid > owed)
        throw new Wrong('paid twice', `account ${account} earned ${owed} and was paid ${paid}`);
    }
  }

  #owedTo(account: number): number {
    return sumOf(this.#incomes.filter((one) => one.account === account));
  }

  #paidTo(account: number, upTo: (chain: ChainId) => number): number {
    const keys = CHAINS.flatMap((chain) => this.#chains[chain].paid(upTo(chain)));
    return sumOf(keys.flatMap((key) => this.#sent.get(key) ?? []).filter((one) => one.account === account));
  }

  #machineAt(index: number): Machine {
    return this.#machines[index] ?? failed(`no machine ${index}`);
  }
}

type Row = Omit<Shown['transactions'][number], 'account' | 'amount' | 'until'> & {
  readonly account: string;
  readonly amount: string;
  readonly until: string;
};

/** Nothing of what is paused is looked at. */
async function openOf(
  role: PayerRole,
  isMeant: (one: OpenTransaction) => boolean,
): Promise<readonly OpenTransaction[]> {
  const { open, pauses } = await role.state();
  return pauses.length > 0 ? [] : open.filter(isMeant);
}

const readCommands: ReadPayerFacts = (_payer, { transactions }) => {
  if (transactions.length === 0) return undefined;
  const commands = transactions.map(({ command, output }) => {
    const { key, line, attempt, account, amount, until } = JSON.parse(command) as Command;
    return {
      ...{ requestKey: key, cmd: key, lineId: line, attempt: attempt ?? 1, account: nameOf(account) },
      ...{ amount: BigInt(amount) * COIN, untilMicros: microsOf(until), gas: GAS, why: '' },
      outcome: JSON.parse(output) ? ('paid' as const) : ('failed' as const),
    };
  });
  return { commands, debits: [], contracts: [] };
};

const cursorAt = ({ height, id, time }: Block): Cursor => ({ height, id, time });
const hashOf = ({ id }: Pick<Cursor, 'id'>): string => `block ${id}`;
const nameOf = (account: number): string => NAMES[account] ?? failed('no account');
const microsOf = (time: number): bigint => BigInt(START_MS) * 1000n + BigInt(time) * UNIT_MICROS;
const timeOf = (micros: bigint): number => Number((micros - BigInt(START_MS) * 1000n) / UNIT_MICROS);
const sumOf = (some: readonly { readonly amount: number }[]): number =>
  some.reduce((sum, { amount }) => sum + amount, 0);
