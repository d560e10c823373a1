/** Random days of payouts: credits, people, nodes that lie, part and begin anew, payers that die; and at each step what must hold. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { formatAmount } from '../../../src/core/money/amount.js';
import {
  allowByOrder,
  approveBatch,
  listBatches,
  listHolds,
  pauseByOrder,
  rejectBatch,
  resumePayer,
} from '../../../src/ledger/transactions/orders.js';
import type { PayerTerms } from '../../../src/payouts/payer/terms.js';
import type { Books } from '../books/books.js';
import { funds } from '../processes/commands.js';
import { Killed, type Killer, killer } from './killer.js';
import type { Lies } from './liar.js';
import { PayoutModel } from './model.js';
import { accountOf, coins, PayerStory, TestSigner } from './story.js';
import { TERMS } from './terms.js';
import { PAYER, type World } from './world.js';

export const LIES = {
  drops: { send: 'dropped' },
  loses: { send: 'lost' },
  refuses: { send: { status: 400, text: 'Transaction already exists on chain' } },
  hides: { send: 'dropped', hidesCommands: true },
  freezes: { isFrozen: true },
  isSilent: { isSilent: true },
  withholds: { hidesPayloads: true },
  alters: { payloads: (all) => all.map((one) => ({ ...one, transactions: [] })) },
} as const satisfies Record<string, Partial<Lies>>;
type Lie = keyof typeof LIES;

export type DayStep =
  | { readonly does: 'earn'; readonly who: number; readonly units: bigint }
  | { readonly does: 'mine'; readonly count: number; readonly everyS: number; readonly on: number }
  /** The payer sees one side alone, which is left for the other where that has more. Never more than D blocks. */
  | { readonly does: 'part'; readonly mined: readonly [number, number]; readonly everyS: number }
  | { readonly does: 'lie'; readonly at: number; readonly how: Lie }
  | { readonly does: 'tell the truth' }
  | { readonly does: 'die'; readonly calls: number; readonly when: 'before' | 'after' }
  | { readonly does: 'restart' | 'forget'; readonly at: number }
  | { readonly does: 'approve' | 'reject' | 'pause' | 'resume' };

/** Coins of the books, as text. */
export const NODES = 2;
const DAY_LIMIT = coins('40');
const everyS = fc.constantFrom(1, 30, 30, 120);
const at = fc.nat(9);
const just = <const T extends string>(does: T): fc.Arbitrary<{ does: T }> =>
  fc.record({ does: fc.constant(does) });

/** @param accounts how many there are. */
export function dayStep(accounts: number): fc.Arbitrary<DayStep> {
  const steps: readonly (readonly [number, fc.Arbitrary<DayStep>])[] = [
    [
      4,
      fc.record({
        does: fc.constant('earn'),
        who: fc.integer({ min: 1, max: accounts }),
        units: fc.bigInt({ min: 1n, max: 9_000_000_000_000n }),
      }),
    ],
    [6, fc.record({ does: fc.constant('mine'), count: fc.integer({ min: 1, max: 4 }), everyS, on: at })],
    [
      2,
      fc.record({
        does: fc.constant('part'),
        mined: fc.tuple(fc.nat(TERMS.depth), fc.nat(TERMS.depth)),
        everyS,
      }),
    ],
    [3, fc.record({ does: fc.constant('lie'), at, how: fc.constantFrom(...(Object.keys(LIES) as Lie[])) })],
    [2, just('tell the truth')],
    [3, fc.record({ does: fc.constant('die'), calls: fc.nat(30), when: fc.constantFrom('before', 'after') })],
    [1, fc.record({ does: fc.constantFrom('restart', 'forget'), at })],
    [1, just('pause')],
    [2, just('resume')],
    [3, just('approve')],
    [1, just('reject')],
  ];
  return fc.oneof(...steps.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

export interface DayOptions {
  readonly mode: PayerTerms['mode'];
  readonly isLimited: boolean;
  readonly accounts: number;
}

export class Days {
  readonly world: World;
  readonly model: PayoutModel;
  /** What has happened so far: a story in which nothing happens shows nothing. */
  readonly seen = new Map<string, number>();
  readonly #books: Books;
  readonly #options: DayOptions;
  readonly #signer = new TestSigner();
  #killer: Killer = killer();
  #payer: PayerStory | undefined;

  constructor(world: World, books: Books, options: DayOptions) {
    this.world = world;
    this.#books = books;
    this.#options = options;
    const day = options.isLimited ? DAY_LIMIT : undefined;
    const rules = { chainIds: [0, 1, 2], funds: coins('1000'), reserve: TERMS.reserve, day };
    this.model = new PayoutModel(world, books, rules);
  }

  async begin(): Promise<void> {
    await this.world.mine(3, { chains: [0, 1, 2] });
    await this.world.agree();
    await this.#round();
  }

  async go(step: DayStep): Promise<void> {
    const { world, model } = this;
    const { pool } = this.#books;
    const nodes = world.nodes.length;
    switch (step.does) {
      case 'earn':
        await model.credit(accountOf(step.who), step.units);
        break;
      case 'mine':
        for (let i = 0; i < step.count; i++) await this.#block(step.everyS, step.on % nodes);
        break;
      case 'part':
        await this.#part(step.mined, step.everyS);
        break;
      case 'lie':
        world.at(step.at % nodes).liar.lie(LIES[step.how]);
        break;
      case 'tell the truth':
        for (const { liar } of world.nodes) liar.beHonest();
        break;
      case 'die':
        this.#killer.arm(step.calls, step.when);
        break;
      case 'restart':
        await this.#restart(step.at % nodes);
        break;
      case 'forget':
        await fetch(`${world.at(step.at % nodes).node.controlUrl}/mempool`, { method: 'DELETE' });
        break;
      case 'pause':
        await pauseByOrder(pool, 'as the story wants it', 'anna');
        break;
      case 'resume':
        if (await resumePayer(pool, 'as the story wants it', 'anna')) this.#note('resumed');
        break;
      case 'approve':
        await this.#approve();
        break;
      case 'reject':
        await this.#reject();
        break;
    }
    await this.#round();
  }

  /** Nobody lies or dies any more, people let everything go on, and in the end everybody has what is owed. */
  async end(): Promise<void> {
    const { world } = this;
    this.#killer.arm(Number.POSITIVE_INFINITY, 'before');
    for (const { liar } of world.nodes) liar.beHonest();
    await world.join();
    for (let i = 0; i < MOST_BLOCKS_TO_END && !(await this.#isOver()); i++) {
      await resumePayer(this.#books.pool, 'the end', 'anna');
      for (const { account } of await listHolds(this.#books.pool, 1_000))
        await allowByOrder(this.#books.pool, { account, chainId: undefined, note: 'the end', by: 'anna' });
      await this.#approve();
      await this.#block(60, 0);
    }
    expect(await this.#isOver(), await this.#told()).toBe(true);
    await this.model.checkQuiet();
  }

  async close(): Promise<void> {
    await this.#payer?.close();
  }

  /** Nothing is due, prepared or followed. */
  async #isOver(): Promise<boolean> {
    const { rows } = await this.#books.pool.query<{ over: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM transaction WHERE followed) AND NOT EXISTS (SELECT FROM payment WHERE state IN ('prepared', 'sent', 'unknown'))
       AND NOT EXISTS (SELECT FROM balance WHERE book = 'balance' AND account_id <> 0 AND amount >= 1) AS over`,
    );
    return rows[0]?.over === true;
  }

  async #told(): Promise<string> {
    const { rows } = await this.#books.pool.query(
      'SELECT pause_says, why_not, (SELECT json_agg(json_build_array(l.id, l.state, t.state, t.why)) FROM payment l LEFT JOIN transaction t ON t.payment_id = l.id) AS lines FROM payer',
    );
    return JSON.stringify(rows);
  }

  async #block(everyS: number, on: number): Promise<void> {
    await this.world.mine(1, { everyS, on: this.world.at(on), chains: [0, 1, 2] });
    await this.world.agree();
    await this.#round();
  }

  async #part([ours, theirs]: readonly [number, number], everyS: number): Promise<void> {
    const { world } = this;
    const { lies } = world.b.liar;
    const before = { ...lies };
    world.part();
    world.b.liar.lie({ isSilent: true });
    for (let i = 0; i < ours; i++) {
      await world.mine(1, { everyS, chains: [0, 1, 2] });
      await this.#round();
    }
    for (let i = 0; i < theirs; i++) await world.mine(1, { everyS, on: world.b, chains: [0, 1, 2] });
    world.b.liar.lie(before);
    await world.join();
    if (theirs > ours && ours > 0) this.#note('reorganised');
  }

  async #restart(i: number): Promise<void> {
    const { world } = this;
    const peers = world.nodes.filter((_, other) => other !== i).map(({ url }) => url);
    await world.restart(i, { initialBalances: [funds(PAYER, '1000')], peers });
    await world.agree();
  }

  async #approve(): Promise<void> {
    const waits = await this.#waits();
    if (!waits) return;
    await approveBatch(this.#books.pool, waits.id, waits.contentHash ?? '', 'anna');
    this.#note('approved');
  }

  async #reject(): Promise<void> {
    const waits = await this.#waits();
    if (waits) await rejectBatch(this.#books.pool, waits.id, 'as the story wants it', 'anna');
  }

  async #waits() {
    const open = await listBatches(this.#books.pool, 50, true);
    return open.find(({ approvals, approvalsNeeded }) => approvals < approvalsNeeded);
  }

  async #round(): Promise<void> {
    try {
      this.#payer ??= await this.#start();
      await this.#payer.round();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#note(`died at ${error.message}`);
      await this.#payer?.close();
      this.#payer = await this.#start();
    }
    await this.model.check();
    for (const state of await this.#payer.states()) this.#note(state);
    const { rows } = await this.#books.pool.query<{ kind: string | null }>(
      'SELECT pause_kind AS kind FROM payer',
    );
    if (rows[0]?.kind) this.#note(`paused: ${rows[0].kind}`);
  }

  #start(): Promise<PayerStory> {
    this.#killer = killer();
    const { mode, isLimited } = this.#options;
    const limits = { ...TERMS.limits, day: isLimited ? DAY_LIMIT : undefined };
    const terms = { mode, limits, ttlS: TTL_S };
    const { around } = this.#killer;
    return PayerStory.start(
      this.world,
      this.#books,
      { terms, around, nextAfter: (ms) => ms + 1 },
      this.#signer,
    );
  }

  #note(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}

/** Some blocks long, so that some expire. */
const TTL_S = 300;
const MOST_BLOCKS_TO_END = 60;

export function stepInWords(step: DayStep): string {
  return Object.values(step)
    .map((value) => (typeof value === 'bigint' ? formatAmount(value) : String(value)))
    .join(' ');
}
