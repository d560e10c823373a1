/** The ledger that the payer is driven with: real on a PostgreSQL, followed by who follows chains, and with people who do as its sentences tell them. */
import type pg from 'pg';
import type { PayerReading } from '../../../src/bridge/payouts/payer-books.js';
import type { PassedBlock, PayloadOutputs } from '../../../src/bridge/ports.js';
import { formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { accountIds } from '../../../src/ledger/accounts/accounts.js';
import { advance, beginChain, SQL as CHAIN_SQL } from '../../../src/ledger/chains/cursor.js';
import { skipPayloads, undoBlocks } from '../../../src/ledger/chains/orders.js';
import { LedgerError } from '../../../src/ledger/database/errors.js';
import { rowOf, rowsOf, run } from '../../../src/ledger/database/statements.js';
import { bulkRows, inTransaction } from '../../../src/ledger/database/transaction.js';
import { settleLine } from '../../../src/ledger/payer/orders.js';
import { payerReader, revertTransactions, SQL } from '../../../src/ledger/payer/transactions.js';
import { correctBalance, enterPayment } from '../../../src/ledger/payments/by-hand.js';
import { insertPayout } from '../../../src/ledger/payments/prepare.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { START_MS } from '../books-model/world.js';
import { type Block, CHAINS, type Chain, type ChainId, type Command, failed } from './chains.js';
import { type Copy, keepBooks, putBooks } from './kept-books.js';
import type { Shown } from './model.js';
import { Wrong } from './rules.js';

/** Of the model's time. */
export const UNIT_MICROS = 60_000_000n;
export const COIN = 10n ** 12n;
/** Of an account that is paid from the first income on. */
export const LEAST = 1n;
export const GAS = COIN / 1000n;
export const NAMES = ['k:a', 'k:b'];
export const BY = { note: 'a test', by: 'a test' };

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

/** Rules of what is simulated here. */
export type LeftOut = 'readsAll' | 'entersAlways' | 'settlesSkipped';

interface DrivenBooksParts {
  readonly pool: pg.Pool;
  readonly chains: Record<ChainId, Chain>;
  readonly sent: ReadonlyMap<string, Command>;
  readonly out: readonly LeftOut[];
  /** Somebody pays. */
  readonly isHeld: () => boolean;
  /** Time passes. */
  readonly tick: () => Promise<void>;
}

export class DrivenBooks {
  readonly #pool: pg.Pool;
  readonly #chains: Record<ChainId, Chain>;
  readonly #sent: ReadonlyMap<string, Command>;
  readonly #out: ReadonlySet<LeftOut>;
  readonly #isHeld: () => boolean;
  readonly #tick: () => Promise<void>;
  readonly #copies: Partial<Record<Copy, Heard>> = {};
  #heard: Heard;
  /** What happened, so often. */
  readonly counts = { undone: 0, byHand: 0 };

  constructor({ pool, chains, sent, out, isHeld, tick }: DrivenBooksParts) {
    this.#pool = pool;
    this.#chains = chains;
    this.#sent = sent;
    this.#out = new Set(out);
    this.#isHeld = isHeld;
    this.#tick = tick;
    this.#heard = { incomes: 0, applied: CHAINS.map((id) => [cursorAt(this.#block(id, 1))]) };
  }

  /** What each history begins with. */
  async prepare(): Promise<void> {
    await accountIds(this.#pool, NAMES);
    for (const id of CHAINS) {
      await run(this.#pool, CHAIN_SQL.know, [id, 'test', '1']);
      await beginChain(this.#pool, id, this.passed(id, 0), this.passed(id, 1));
    }
    await keepBooks(this.#pool, 'empty');
  }

  async begin(): Promise<void> {
    await putBooks(this.#pool, 'empty');
    await this.#pool.query('DELETE FROM event');
  }

  get incomes(): number {
    return this.#heard.incomes;
  }

  async learn(income: { readonly account: number; readonly amount: number }): Promise<void> {
    this.#heard.incomes++;
    const given = { account: nameOf(income.account), amount: BigInt(income.amount) * COIN };
    await correctBalance(this.#pool, { ...given, ...BY });
  }

  hasCopy(copy: Copy): boolean {
    return this.#copies[copy] !== undefined;
  }

  #block(chain: ChainId, height: number): Block {
    return this.#chains[chain].blocks[height] ?? failed('no block');
  }

  passed(chain: ChainId, height: number): PassedBlock {
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

  cursor(chain: ChainId): Cursor {
    return this.#heard.applied[chain]?.at(-1) ?? failed('no cursor');
  }

  isOnCourse(chain: ChainId): boolean {
    return this.#chains[chain].has(this.cursor(chain));
  }

  /** Those that are believed, and were not taken over. */
  #next(chain: ChainId): Block[] {
    const { blocks, believed } = this.#chains[chain];
    return this.isOnCourse(chain) ? blocks.slice(this.cursor(chain).height + 1, believed.height + 1) : [];
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
    const isRead = !this.#out.has('readsAll') || this.#isHeld();
    const reading = this.#out.has('entersAlways') ? await this.#withoutStrangers() : READING;
    const step = {
      ...{ chainId: chain, cursor: this.passed(chain, this.cursor(chain).height), behind: 0 },
      blocks: blocks.map(({ height }) => this.passed(chain, height)),
      headHeight: this.#chains[chain].head.height,
    };
    const readers = isRead ? [payerReader({ reading, payer })] : [];
    const isMoved = await advance(this.#pool, step, readers).catch((error: Error) => {
      throw new Wrong('cannot be booked', error.message);
    });
    if (!isMoved) failed('nobody else moves a cursor here');
    this.#heard.applied[chain]?.push(...blocks.map(cursorAt));
  }

  /** Of commands that the books do not know, none is seen once somebody may pay. */
  async #withoutStrangers(): Promise<PayerReading> {
    const { rows } = await this.#pool.query<{ key: string }>(
      'SELECT request_key AS key FROM chain_transaction UNION SELECT request_key FROM payer, unnest($1::text[]) AS u (request_key) WHERE NOT is_ready',
      [[...this.#sent.keys()]],
    );
    const known = new Set(rows.map(({ key }) => key));
    return {
      ...READING,
      read: async (payer, payload) => {
        const facts = await READING.read(payer, payload);
        return { ...facts, commands: facts.commands.filter(({ requestKey }) => known.has(requestKey)) };
      },
    };
  }

  /** By order, where its nodes have left the chain. False where a newer attempt stands in the way. */
  async undo(chain: ChainId): Promise<boolean> {
    if (this.isOnCourse(chain)) return true;
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
      [chain, microsOf(this.cursor(chain).time).toString()],
    );
    for (const { line } of rows) await settleLine(this.#pool, line, { requestKey: undefined, ...BY });
  }

  async planBefore(account: number, chain: ChainId): Promise<void> {
    await inTransaction(this.#pool, async (client) => {
      const due = (await rowsOf(client, SQL.due, [formatAmount(LEAST), 0, NAMES.length])).find(
        (one) => one.account === nameOf(account),
      );
      if (!due) return;
      const id = await insertPayout(client, { minimum: LEAST });
      await bulkRows(client, SQL.insertLines, [id, [due.id], [chain], [due.due]]);
      await run(client, SQL.describe, [id, 0, '']);
    });
  }

  /** As who follows chains sees them: each at its newest block, or that it stands still. */
  async look(): Promise<void> {
    const well = CHAINS.filter((id) => this.isOnCourse(id));
    await run(this.#pool, CHAIN_SQL.areWell, [well, well.map((id) => String(this.#chains[id].head.height))]);
    for (const id of CHAINS)
      if (!well.includes(id)) await run(this.#pool, CHAIN_SQL.stands, [id, 'its nodes have left it', -1]);
  }

  async keep(copy: Copy): Promise<void> {
    await keepBooks(this.#pool, copy);
    this.#copies[copy] = structuredClone(this.#heard);
  }

  async put(copy: Copy): Promise<void> {
    await this.refuseFalsePause();
    await putBooks(this.#pool, copy);
    this.#heard = structuredClone(this.#copies[copy] ?? failed('no copy'));
  }

  /** Nothing is on its way, or may be, and all is booked. */
  async isOver(): Promise<boolean> {
    const mayCome = ({ key, chain, until }: Command): boolean => {
      const { blocks, head } = this.#chains[chain];
      const block = blocks.find(({ commands }) => commands.some((one) => one.key === key));
      return block ? block.height > this.cursor(chain).height : head.time < until;
    };
    if ([...this.#sent.values()].some(mayCome)) return false;
    if (CHAINS.some((id) => !this.isOnCourse(id))) return false;
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
  async refuseFalsePause(): Promise<void> {
    const { rows } = await this.#pool.query<{ says: string }>(
      "SELECT says FROM pause WHERE reason = 'anotherPayer'",
    );
    if (rows[0]) throw new Wrong('paused for nothing', rows[0].says);
  }
}

type Row = Omit<Shown['transactions'][number], 'account' | 'amount' | 'until'> & {
  readonly account: string;
  readonly amount: string;
  readonly until: string;
};

/** The account that pays. */
export const PAYER = 'k:payer';

const READING: PayerReading = {
  concerns: (_payer, { transactions }) => transactions.length > 0,
  read: async (_payer, { transactions }) => ({
    commands: commandsIn(transactions),
    debits: [],
    contracts: [],
  }),
};

function commandsIn(transactions: PayloadOutputs['transactions']) {
  return transactions.map(({ command, output }) => {
    const { key, line, attempt, account, amount, until } = JSON.parse(command) as Command;
    return {
      ...{ requestKey: key, cmd: key, lineId: line, attempt: attempt ?? 1, account: nameOf(account) },
      ...{ from: PAYER, amount: BigInt(amount) * COIN, untilMicros: microsOf(until), gas: GAS, why: '' },
      outcome: JSON.parse(output) ? ('paid' as const) : ('failed' as const),
    };
  });
}

const cursorAt = ({ height, id, time }: Block): Cursor => ({ height, id, time });
const hashOf = ({ id }: Pick<Cursor, 'id'>): string => `block ${id}`;
export const nameOf = (account: number): string => NAMES[account] ?? failed('no account');
export const microsOf = (time: number): bigint => BigInt(START_MS) * 1000n + BigInt(time) * UNIT_MICROS;
export const timeOf = (micros: bigint): number => Number((micros - BigInt(START_MS) * 1000n) / UNIT_MICROS);
