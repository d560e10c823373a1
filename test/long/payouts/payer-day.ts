/**
 * Many accounts for hours in fast motion. Of two machines that pay one waits for the role of the other; three nodes are asked, and the word of two
 * is needed. Time leaps, each time less far than who pays may be silent, and blocks follow. A seed says what goes wrong meanwhile.
 */
import { expect } from 'vitest';
import { type Amount, formatAmount } from '../../../src/core/money/amount.js';
import { seededRandom } from '../../../src/devnode/chance.js';
import { askForPayout } from '../../../src/ledger/payer/orders.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { expectProved, giveMoney, moneyIn } from '../../helpers/books/money.js';
import { movedOn } from '../../helpers/payouts/oracle.js';
import { accountOf, MINER, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, PAYER, rulesFor } from '../../helpers/payouts/payer-terms.js';
import { until } from '../../helpers/until.js';
import { type End, FAULTS } from './day-faults.js';
import { PayingMachine } from './paying-machine.js';

const LEAP_S = 25;
const LEAPS_A_BLOCK = 2;
export const BLOCKS_AN_HOUR = 3_600 / (LEAP_S * LEAPS_A_BLOCK);
const CREDITS_A_BLOCK = 10;
const NEEDED = 2;
const MINIMUM = coins('1');
/** Short: whoever takes the role waits as long. */
const TTL_S = 300;
const RULES = { ...rulesFor(NEEDED), payoutSchedule: 'every 15m', minimum: MINIMUM };
/** One of so many blocks begins a fault, where there is none of its kind, and it lasts for so many at the most. */
const BLOCKS_A_FAULT = 8;
const LONGEST_FAULT = 6;
/** What there is to send is sent meanwhile, where it can be. */
const PATIENCE_MS = 500;
const MOST_BLOCKS_TO_END = 200;

export class PayerDay implements AsyncDisposable {
  /** What went wrong -> how often. */
  readonly #happened = new Map<string, number>();
  readonly #story: PayerStory;
  readonly #machines: readonly PayingMachine[];
  readonly #accounts: readonly string[];
  readonly #random: () => number;
  readonly #credited = new Map<string, Amount>();
  /** Kind -> the fault of that kind that there is now. */
  readonly #faults = new Map<string, { blocksLeft: number; readonly end: End }>();

  private constructor(story: PayerStory, machines: readonly PayingMachine[], accounts: number, seed: string) {
    this.#story = story;
    this.#machines = machines;
    this.#accounts = Array.from({ length: accounts }, (_, i) => accountOf(i));
    this.#random = seededRandom(seed, 'day of payments');
  }

  static async open(accounts: number, seed: string): Promise<PayerDay> {
    const story = await PayerStory.open({ nodes: 3, needed: NEEDED, coins: '100000' });
    await writeFirstRules(story.pool, RULES, 'a test');
    const [one, other] = [await story.keyFile(), await story.keyFile()];
    const each = { needed: NEEDED, ttlS: TTL_S };
    const machines = [
      new PayingMachine(story, { ...each, place: 'here', keyFile: one, bySignerProgram: true }),
      new PayingMachine(story, { ...each, place: 'there', keyFile: other }),
    ];
    for (const machine of machines) machine.start();
    return new PayerDay(story, machines, accounts, seed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const machine of this.#machines) await machine.kill();
    await this.#story[Symbol.asyncDispose]();
  }

  /** Accounts are credited, something goes wrong or is well again, and there is a block more. */
  async block(): Promise<void> {
    for (let i = 0; i < CREDITS_A_BLOCK; i++) await this.#credit();
    for (const kind of Object.keys(FAULTS)) await this.#goWrong(kind);
    await this.#nextBlock();
  }

  /** Nobody has got more than was due, the ledger proves itself, and nothing is paused: no fault here is a reason to. */
  async check(): Promise<void> {
    for (const [account, got] of await this.#paidOnChain()) {
      const credited = this.#credited.get(account) ?? 0n;
      if (got > credited)
        expect.fail(`${account} got ${formatAmount(got)}, and ${formatAmount(credited)} was due`);
    }
    await expectProved(this.#story.pool);
    expect((await this.#story.shown()).pauses).toEqual([]);
  }

  /** Nothing goes wrong any more: in the end all have got what was due, but for less than the minimum. */
  async end(): Promise<void> {
    const { pool } = this.#story;
    for (const kind of Object.keys(FAULTS)) await this.#mend(kind);
    // Another start tries at once what a dry run refused; the role is free by then.
    for (const machine of this.#machines) await machine.kill();
    await this.#story.pass(2 * LEAP_S);
    for (const machine of this.#machines) machine.start();
    for (let blocks = 0; !(await this.#isOver()); blocks++) {
      if (blocks > MOST_BLOCKS_TO_END) expect.fail(JSON.stringify(await this.#story.shown()));
      await askForPayout(pool);
      await this.#nextBlock();
    }
    await this.check();
    const [got, paid, due] = [
      await this.#paidOnChain(),
      await moneyIn(pool, 'paid'),
      await moneyIn(pool, 'due'),
    ];
    for (const [account, credited] of this.#credited) {
      const { [account]: left = 0n } = due;
      expect([account, got.get(account) ?? 0n]).toEqual([account, credited - left]);
      expect([account, paid[account] ?? 0n]).toEqual([account, credited - left]);
    }
  }

  /** Transactions, and what went wrong. */
  async told(): Promise<string> {
    const { rows } = await this.#story.pool.query<{ state: string; count: string }>(
      'SELECT state, count(*)::text FROM chain_transaction GROUP BY 1 ORDER BY 1',
    );
    const all = [...rows.map(({ state, count }) => [state, count] as const), ...this.#happened];
    return all.map(([what, count]) => `${what} ${count}`).join(', ');
  }

  async #isOver(): Promise<boolean> {
    const { rows } = await this.#story.pool.query(
      `SELECT FROM payout_line WHERE state = 'prepared' UNION ALL SELECT FROM money WHERE account_id > 0 AND due >= $1 LIMIT 1`,
      [formatAmount(MINIMUM)],
    );
    return rows.length === 0;
  }

  /** Up to two coins, to the last of twelve decimals. */
  async #credit(): Promise<void> {
    const account = this.#oneOf(this.#accounts);
    const amount = BigInt(1 + this.#below(2_000_000_000_000));
    // Before it is in the books: what is paid of it a moment later is right.
    this.#credited.set(account, (this.#credited.get(account) ?? 0n) + amount);
    await giveMoney(this.#story.pool, account, amount);
  }

  async #goWrong(kind: string): Promise<void> {
    const fault = this.#faults.get(kind);
    if (fault && --fault.blocksLeft === 0) await this.#mend(kind);
    if (fault || this.#below(BLOCKS_A_FAULT) > 0) return;
    const [name, begin] = this.#oneOf(Object.entries(FAULTS[kind] ?? {}));
    const [story, machines] = [this.#story, this.#machines];
    const end = await begin({
      ...{ story, machines, below: (most) => this.#below(most), oneOf: (all) => this.#oneOf(all) },
    });
    this.#faults.set(kind, { end, blocksLeft: 1 + this.#below(LONGEST_FAULT) });
    this.#happened.set(`${kind}: ${name}`, (this.#happened.get(`${kind}: ${name}`) ?? 0) + 1);
  }

  async #mend(kind: string): Promise<void> {
    await this.#faults.get(kind)?.end();
    this.#faults.delete(kind);
  }

  async #nextBlock(): Promise<void> {
    for (const { place, hasEndedByItself } of this.#machines)
      if (hasEndedByItself) expect.fail(`who pays ${place} has ended`);
    for (let leaps = 0; leaps < LEAPS_A_BLOCK; leaps++) {
      await this.#story.pass(LEAP_S);
      await until('who pays is heard of', async () => (await this.#now()).isHeard);
    }
    await this.#story.mine();
    await this.#story.followed();
    // Some seconds of ours would be minutes of the day.
    await until('it has sent what there is', async () => !(await this.#now()).isBusy, PATIENCE_MS).catch(
      () => {},
    );
  }

  /** Who pays has to be heard of, unless it is killed or sleeps. */
  async #now(): Promise<{ readonly isHeard: boolean; readonly isBusy: boolean }> {
    const { rows } = await this.#story.pool.query<{ holder: string; heard: boolean; busy: boolean }>(
      `SELECT holder, heard_at > now() - interval '10 seconds' AS heard, is_ready AND EXISTS (
         SELECT FROM payout_line n WHERE n.state = 'prepared' AND n.note = ''
         AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state = 'open' AND t.sent_at IS NOT NULL)
       ) AS busy FROM payer`,
    );
    const [{ holder, heard, busy } = expect.fail('the ledger has no row of who pays')] = rows;
    const isAwake = this.#machines.some((machine) => machine.place === holder && machine.isAwake);
    return { isHeard: heard || !isAwake, isBusy: isAwake && busy };
  }

  async #paidOnChain(): Promise<Map<string, Amount>> {
    const got = new Map<string, Amount>();
    for (const { from, to, amount } of await movedOn(this.#story.first.node))
      if (from === PAYER.account) got.set(to, (got.get(to) ?? 0n) + amount);
    // Gas.
    got.delete(MINER.account);
    return got;
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #oneOf<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] ?? expect.fail('there is nothing to choose from');
  }
}
