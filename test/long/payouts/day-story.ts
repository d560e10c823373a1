/** A day of a pool that pays, ten minutes at a turn: credits, a liar, a kill, at times a reorganisation, and who runs it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Amount, formatAmount } from '../../../src/core/money/amount.js';
import { listBatches, listHolds } from '../../../src/ledger/transactions/orders.js';
import { expectProved } from '../../helpers/books/money.js';
import { NAMED_ORDERS, orderIn } from '../../helpers/books/standing-chains.js';
import { LIES } from '../../helpers/payouts/days.js';
import { coins } from '../../helpers/payouts/story.js';
import type { DayCredits } from './day-credits.js';
import { type DayNode, type DayNodes, heightOf } from './day-nodes.js';
import { type DayPool, DEPTH } from './day-pool.js';
import type { DayPostgres } from './day-postgres.js';

export interface StoryParts {
  readonly nodes: DayNodes;
  readonly pool: DayPool;
  readonly postgres: DayPostgres;
  readonly credits: DayCredits;
  readonly folder: string;
  readonly accounts: number;
  readonly turns: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly tell: (words: string) => void;
}

const BLOCK_S = 120;
const BLOCKS_A_TURN = 5;
export const TURNS_AN_HOUR = 6;
const TURNS_OF_A_LIAR = 3;
/** Over a day. */
const CREDITS_OF_EACH = 6;
const TURNS_A_DAY = 24 * TURNS_AN_HOUR;
const MINIMUM = coins('1');
/** Of these people resume once nodes are well again. All others mean that money is not where it should be. */
const PASSING = /^(left-deep|operator|nodes-.*)$/;
const MOST_TURNS_TO_END = 100;

const TAP_FAULTS = ['freezes', 'is cut', 'is slow', 'splits'] as const;

export class DayStory {
  /** What has happened, and how often. */
  readonly seen = new Map<string, number>();
  readonly #parts: StoryParts;
  #backup: { readonly file: string; readonly credits: number } | undefined;
  #down: number | undefined;

  constructor(parts: StoryParts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    const { nodes } = this.#parts;
    // As deep as anything is believed.
    for (let i = 0; i < 3 * DEPTH; i++) await this.#block(nodes.at(0));
  }

  async turn(turn: number): Promise<void> {
    const { nodes, pool, turns, credits } = this.#parts;
    const height = await heightOf(nodes.at(0));
    await this.#credit();
    if (turn % TURNS_OF_A_LIAR === 0) this.#newLiar();
    const half = Math.floor(turns / 2);
    if (turn === half) await this.#backUp();
    const isDeep = turn === Math.floor(turns / 4) || turn === Math.floor((7 * turns) / 8);
    if (isDeep) await this.#reorganise(DEPTH + 2);
    else if (turn % 4 === 3) await this.#reorganise(1 + this.#below(DEPTH - 1));
    else await this.#blocksAndAKill();
    if (turn === half + TURNS_AN_HOUR) await this.#restore();
    await pool.untilSeen(height);
    await this.#startWhatIsDown();
    await this.#operate();
    await credits.check(nodes.nodes);
    if (turn % TURNS_AN_HOUR === 0) await expectProved(pool.ledger.pool);
    await this.#tell(`${Math.floor(turn / TURNS_AN_HOUR)}:${turn % TURNS_AN_HOUR}0`);
  }

  /** Nobody lies, dies or reorganises any more, and in the end everybody has what is owed. */
  async end(): Promise<void> {
    const { nodes, pool, credits } = this.#parts;
    nodes.beHonest();
    await credits.bookAgain(pool.ledger);
    for (let i = 0; i < MOST_TURNS_TO_END && !(await this.#isOver()); i++) {
      const height = await heightOf(nodes.at(0));
      for (let n = 0; n < BLOCKS_A_TURN; n++) await this.#block(nodes.at(i));
      await pool.untilSeen(height);
      await this.#operate();
      for (const { account } of await listHolds(pool.ledger.pool, 1_000))
        await pool.done('payout', 'allow', account, '--note', 'the end');
      await credits.check(nodes.nodes);
      await this.#tell('the end');
    }
    expect(await this.#isOver(), pool.lastWords()).toBe(true);
    await credits.checkQuiet(nodes.nodes, pool.ledger, MINIMUM);
    await pool.done('verify');
    const { text } = await pool.done('payout', 'reconcile', '--since', '0');
    expect(JSON.parse(text)).toEqual([]);
  }

  async #isOver(): Promise<boolean> {
    const [row] = await this.#parts.pool.ask<{ over: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM transaction WHERE followed) AND NOT EXISTS (SELECT FROM payment WHERE state IN ('prepared', 'sent', 'unknown'))
       AND NOT EXISTS (SELECT FROM balance WHERE book = 'balance' AND account_id <> 0 AND amount >= 1) AS over`,
    );
    return row?.over === true;
  }

  async #credit(): Promise<void> {
    const { accounts, credits, pool } = this.#parts;
    const each = (accounts * CREDITS_OF_EACH) / TURNS_A_DAY;
    const count = Math.max(2, Math.floor(each + this.#parts.random()));
    for (let i = 0; i < count; i++)
      await credits.give(pool.ledger, accountOf(this.#below(accounts)), this.#amount());
  }

  /** Up to some coins, to the last of twelve decimals; at times what is below the minimum. */
  #amount(): Amount {
    const most = this.#below(5) === 0 ? 900_000 : 4_500_000;
    return BigInt(1 + this.#below(most)) * 1_000_000n + BigInt(this.#below(1_000_000));
  }

  #newLiar(): void {
    const { nodes } = this.#parts;
    nodes.beHonest();
    const node = nodes.at(this.#below(3));
    const how = this.#oneOf([...Object.keys(LIES), ...TAP_FAULTS, 'has another time', 'stalls']);
    if (Object.hasOwn(LIES, how)) node.liar.lie(LIES[how as keyof typeof LIES]);
    if (how === 'has another time') node.liar.lie({ skewS: 3_600 });
    if (how === 'stalls') node.liar.lie({ isStalled: true });
    if (how === 'freezes') node.tap.freeze();
    if (how === 'is cut') node.tap.set({ refuses: true });
    if (how === 'is slow') node.tap.set({ delayMs: 200 });
    if (how === 'splits') node.tap.set({ splits: true });
    this.#note(`liar: ${how}`);
  }

  async #blocksAndAKill(): Promise<void> {
    const { nodes } = this.#parts;
    const victim = this.#below(BLOCKS_A_TURN);
    for (let i = 0; i < BLOCKS_A_TURN; i++) {
      if (i === victim) await this.#kill();
      await this.#block(nodes.at(this.#below(3)));
    }
  }

  async #block(on: DayNode): Promise<void> {
    await this.#parts.nodes.mine(on, BLOCK_S);
    await this.#parts.nodes.agree();
  }

  async #kill(mayBeNode = true): Promise<void> {
    const { nodes, postgres } = this.#parts;
    const dies = this.#below(mayBeNode ? 5 : 3);
    if (dies < 2) await this.#killBridge(dies);
    else if (dies === 2) {
      this.#note('killed: PostgreSQL');
      await postgres.killAndStart();
    } else {
      const node = nodes.at(this.#below(3));
      this.#note(`killed: node ${node.name}`);
      await nodes.killAndStart(node);
    }
  }

  /** It stays down for the rest of the turn: the other one pays. */
  async #killBridge(i: number): Promise<void> {
    this.#note(`killed: bridge ${i}`);
    await this.#parts.pool.killBridge(i);
    this.#down = i;
  }

  async #startWhatIsDown(): Promise<void> {
    if (this.#down !== undefined) await this.#parts.pool.startBridge(this.#down);
    this.#down = undefined;
  }

  /** What the payer sees for so many blocks is left for a branch of another node. */
  async #reorganise(depth: number): Promise<void> {
    const { nodes, pool } = this.#parts;
    const apart = nodes.at(this.#below(3));
    const others = nodes.nodes.filter((node) => node !== apart);
    const [first = apart] = others;
    await nodes.partFrom(apart);
    apart.tap.set({ refuses: true });
    for (let i = 0; i < depth; i++) {
      if (i === 0) await this.#kill(false);
      await nodes.mine(first, BLOCK_S);
      await nodes.agree(others);
    }
    // Two liars of two nodes would leave nobody to believe.
    for (const { liar, tap } of others) {
      liar.beHonest();
      tap.heal();
    }
    await pool.untilSeen(await heightOf(first));
    for (let i = 0; i <= depth; i++) await nodes.mine(apart, 30);
    apart.tap.heal();
    await nodes.join();
    this.#note(`reorganised: ${depth}`);
    await pool.untilSeen(await heightOf(first));
  }

  async #backUp(): Promise<void> {
    const { pool, credits, folder } = this.#parts;
    const file = join(folder, 'books.dump');
    await pool.dump(file);
    this.#backup = { file, credits: credits.count };
  }

  /** The disk is lost, and there is a backup of an hour before: as "Paying on chain" in config/README.md tells. */
  async #restore(): Promise<void> {
    const { pool, credits, nodes, tell } = this.#parts;
    if (!this.#backup) throw new Error('there is no backup');
    await this.#startWhatIsDown();
    await pool.restore(this.#backup.file);
    tell(`restored, ${credits.forget(this.#backup.credits)} credits are forgotten`);
    expect((await pool.now()).pause).toBe('restored');
    expect((await pool.run('payout', 'resume', '--note', 'too soon')).code).toBe(1);
    for (let i = 0; (await this.#reconcile()) !== 0; i++) {
      expect(i, 'books and chain agree in the end').toBeLessThan(MOST_TURNS_TO_END);
      if (i === 1) await this.#killBridge(0);
      for (let n = 0; n < BLOCKS_A_TURN; n++) await this.#block(nodes.at(n));
      await this.#startWhatIsDown();
      await credits.check(nodes.nodes);
    }
    await credits.bookAgain(pool.ledger, Math.ceil((credits.count - this.#backup.credits) / 2));
    await pool.done('payout', 'resume', '--note', 'compared with the chain');
    this.#note('restored');
  }

  /** Resolves with the exit code: 3 while something that was signed before may still come. */
  async #reconcile(): Promise<number> {
    const { pool, tell } = this.#parts;
    const { code, stderr, text } = await pool.run('payout', 'reconcile', '--apply');
    const isWaiting = code === 3 || stderr.includes('no bridge pays');
    expect(code === 0 || isWaiting, `${stderr}\n${text}`).toBe(true);
    const found = code === 1 ? 0 : (JSON.parse(text) as unknown[]).length;
    if (found > 0) this.#note('taken over', found);
    tell(`reconcile: ${code}, ${found} payments\n${stderr.trim()}`);
    return code === 0 ? 0 : 3;
  }

  /** Who runs the pool looks in: takes back what a chain has left, approves what waits, and lets payouts go on where nodes had been the reason. */
  async #operate(): Promise<void> {
    const { pool } = this.#parts;
    for (const row of await pool.ask<{ trouble: string }>(NAMED_ORDERS)) {
      const [, ...words] = orderIn(row);
      await pool.done(...words, 'nodes agree on the other branch');
      this.#note('chain: taken back');
    }
    const { pause, says } = await pool.now();
    if (pause !== null) {
      this.#note(`paused: ${pause}`);
      this.#parts.tell(`paused: ${pause}: ${says}`);
      expect(pause, says ?? '').toMatch(PASSING);
      await pool.done('payout', 'resume', '--note', 'nodes are well again');
    }
    for (const batch of await listBatches(pool.ledger.pool, 50, true)) {
      if (batch.approvals >= batch.approvalsNeeded) continue;
      await pool.done('payout', 'approve', batch.name, '--hash', batch.contentHash ?? '');
      this.#note('approved');
    }
  }

  async #tell(when: string): Promise<void> {
    const { pool, credits, nodes, tell } = this.#parts;
    const states = await pool.ask<{ state: string; count: string }>(
      'SELECT state, count(*)::text FROM transaction GROUP BY 1 ORDER BY 1',
    );
    const all = states.map(({ state, count }) => `${count} ${state}`).join(', ');
    const height = await heightOf(nodes.at(0));
    tell(`${when}, height ${height}, credited ${formatAmount(credits.total)}: ${all || 'nothing is sent'}`);
  }

  #note(what: string, times = 1): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + times);
  }

  #below(end: number): number {
    return Math.floor(this.#parts.random() * end);
  }

  #oneOf<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] ?? expect.fail('there is nothing to choose from');
  }
}

/** Of a key that nobody has: it only receives. */
function accountOf(number: number): string {
  return `k:${createHash('sha256').update(`account ${number}`).digest('hex')}`;
}
