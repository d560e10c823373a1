/**
 * Bridges, a queue, a chain and a ledger in which a history happens, step by step, and the truth of it beside. The ledger and its settlement are
 * real, and so are logs and shippers; time passes when a step says so.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SolutionWord } from '../../../src/bridge/ports.js';
import { formatAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import { endLog } from '../../../src/ledger/recording/logs.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { settlementChores } from '../../../src/ledger/settlement/settlement.js';
import { decodeEntry } from '../../../src/queue/shipping/entry.js';
import { keepUp } from '../books/keep-up.js';
import { signRoot } from '../books/root-key.js';
import { makeShare } from '../rigs/shares.js';
import { makeSolution } from '../rigs/solutions.js';
import { Machine } from './bridge.js';
import { CHAIN, CHAIN_REWARD, Chain, type Income } from './chain.js';
import { SLOT_MS } from './model.js';
import { MemoryQueue } from './queue.js';
import { type TrueBlock, Truth } from './truth.js';
import { Waiting } from './waiting.js';

const ALL = 1000;
/** A begin of an hour. */
export const START_MS = 1_699_999_200_000;

export interface WorldOptions {
  readonly ledger: Ledger;
  readonly setTime: (nowMs: number) => Promise<void>;
  readonly folder: string;
  readonly machines: number;
  readonly rules: RewardRules;
  readonly startMs: number;
}

export class World {
  readonly truth: Truth;
  readonly chain: Chain;
  readonly machines: readonly Machine[];
  readonly #options: WorldOptions;
  readonly #queue = new MemoryQueue();
  readonly #chores: ReturnType<typeof settlementChores>;
  #nowMs: number;
  #isLedgerUp = true;
  isQueueUp = true;
  #nonce = 0n;

  private constructor(options: WorldOptions) {
    const { ledger, rules } = options;
    this.#options = options;
    this.#nowMs = options.startMs;
    const settling = { pool: ledger.pool, rules: async () => rules, signRoot, log: SILENT };
    this.#chores = settlementChores(settling);
    this.chain = new Chain(settling);
    this.truth = new Truth(new Waiting(rules.patienceMs, this.#nowMs), this.chain);
    const around = {
      ...{ folder: join(options.folder, randomUUID()), queue: this.#queue, ledger },
      nowMs: () => this.#nowMs,
      onEntry: (entry: Parameters<Truth['made']>[0]) => this.truth.made(entry),
    };
    this.machines = Array.from({ length: options.machines }, (_, i) => new Machine(around, i));
  }

  /** In an empty ledger. */
  static async begin(options: WorldOptions): Promise<World> {
    const { ledger, setTime, startMs, rules } = options;
    await setTime(startMs);
    await ledger.pool.query("UPDATE settlement SET turn_at = now(), calm_since = 'epoch'");
    await ledger.pool.query('UPDATE settlement SET round_since = now()');
    await ledger.pool.query(
      "INSERT INTO chain (id, network, head_height, reward) VALUES ($1, 'test', 1, $2)",
      [CHAIN, formatAmount(CHAIN_REWARD)],
    );
    await ledger.pool.query(
      "INSERT INTO rules (version, valid_from, made_by, rules) VALUES (1, 'epoch', 'test', $1)",
      [{ 'rewards.scheme': rules.scheme }],
    );
    await ledger.pool.query(
      "INSERT INTO account_fee SELECT id, 'epoch', fee FROM unnest($1::text[], $2::int[]) AS u (name, fee) JOIN account USING (name)",
      [[...rules.fees.overrides.keys()], [...rules.fees.overrides.values()]],
    );
    const world = new World(options);
    for (const machine of world.machines) await world.start(machine, 0);
    return world;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  async end(): Promise<void> {
    await Promise.all(this.machines.map((machine) => machine.end()));
  }

  get isLedgerUp(): boolean {
    return this.#isLedgerUp;
  }

  set isLedgerUp(isUp: boolean) {
    const wasUp = this.#isLedgerUp;
    this.#isLedgerUp = isUp;
    if (isUp && !wasUp) this.truth.waiting.back(this.#reached, this.#nowMs);
  }

  reaches(machine: Machine): boolean {
    return machine.isUp && machine.isConnected && this.isLedgerUp;
  }

  /** Logs of bridges that reach the ledger. */
  get #reached(): string[] {
    return this.machines.filter((machine) => this.reaches(machine)).flatMap(({ allLogs }) => allLogs);
  }

  /** Somebody does the chores of the ledger, and follows its chains. */
  get isLed(): boolean {
    return this.machines.some((machine) => this.reaches(machine));
  }

  async accept(machine: Machine, account: string, work: bigint): Promise<void> {
    const atMs = machine.timeMs;
    const share = makeShare({
      account,
      difficulty: work,
      acceptedAtMs: machine.nowMs,
      blockDifficulty: DIFFICULTY,
    });
    await machine.accept(share);
    this.truth.accepted(machine.log, share, atMs);
  }

  /** A share that is a solution. */
  async find(
    machine: Machine,
    account: string,
    height: number,
    difficulty: bigint,
    pays: Income,
  ): Promise<TrueBlock> {
    await this.accept(machine, account, 1_000n);
    this.#nonce++;
    const work = { chainId: CHAIN, height, difficulty, payload: Number(this.#nonce % 250n) };
    const solution = makeSolution({ account, foundAtMs: machine.timeMs }, work, this.#nonce);
    await machine.found(solution);
    this.truth.found(machine.log, solution, { ...pays, height, difficulty });
    return this.truth.blocks.at(-1) ?? failed('no block');
  }

  /** What its node says. Another start may hear of it than that which found it. */
  async answer(
    machine: Machine,
    { solution, difficulty }: TrueBlock,
    state: 'received' | 'refused' | 'lost',
  ): Promise<void> {
    const { header, powHash, account, rig, foundAtMs } = solution;
    const record = {
      node: solution.job.node,
      header,
      powHash,
      blockDifficulty: difficulty,
      account,
      rig,
      foundAtMs,
    };
    await machine.answered({ solution: record }, state);
    this.truth.answered(machine.log, powHash, state);
  }

  /** Those who can be heard are heard. @param asleep its machine stands still meanwhile. */
  async pass(ms: number, asleep?: Machine): Promise<void> {
    this.#nowMs += ms;
    if (asleep) asleep.aheadMs -= ms;
    await this.#options.setTime(this.#nowMs);
    for (const machine of this.machines) if (machine !== asleep) await this.renew(machine);
  }

  /**
   * With its lease it learns what time it is. By the model it names all logs on its disk, whatever it names.
   *
   * @param isLongAgo it ships again what it has shipped and is not booked.
   */
  async renew(machine: Machine, isLongAgo = false): Promise<void> {
    if (!this.reaches(machine)) return;
    machine.aheadMs = 0;
    const logs = [...machine.allLogs];
    await machine.renew(isLongAgo);
    for (const log of logs) this.truth.waiting.heard(log, this.#nowMs, true);
  }

  /** What earlier starts left without an answer is posted again. @param aheadMs of a clock that nobody has set. */
  async start(machine: Machine, aheadMs: number): Promise<void> {
    const isTimeKnown = this.isLedgerUp && machine.isConnected;
    machine.aheadMs = isTimeKnown ? 0 : aheadMs;
    const open: SolutionWord[] = await machine.start(isTimeKnown);
    await this.renew(machine);
    for (const word of open) {
      await machine.answered(word, 'received');
      this.truth.answered(machine.log, word.solution.powHash, 'received');
    }
  }

  async stop(machine: Machine): Promise<void> {
    await machine.stop(this.isQueueUp);
  }

  async ship(machine: Machine, entries: number): Promise<void> {
    if (this.isQueueUp) await machine.ship(entries);
  }

  async shipAll(machine: Machine): Promise<void> {
    if (this.isQueueUp) await machine.shipAll();
  }

  async ask(machine: Machine): Promise<void> {
    await this.renew(machine, true);
  }

  loseQueue(): void {
    this.#queue.lose();
  }

  /** A recorder books some of what waits. @param stays the queue does not hear of it, and delivers it once more. */
  async book(from: number, count: number, stays: boolean): Promise<void> {
    if (!this.isQueueUp || !this.isLedgerUp || this.#queue.size === 0) return;
    const entries = this.#queue.take(from, count, stays);
    const outcomes = await this.#options.ledger.recordEntries(entries.map(decodeEntry));
    // As the ledger goes through them.
    const booked = entries.filter((_, i) => outcomes[i] === 'recorded').sort((a, b) => orderOf(a.id, b.id));
    for (const entry of booked) this.truth.booked(entry.id, this.#nowMs);
    await this.#followLate();
  }

  async bookAll(): Promise<void> {
    while (this.isQueueUp && this.isLedgerUp && this.#queue.size > 0) await this.book(0, ALL, false);
  }

  /** Of settlement. */
  async turn(): Promise<void> {
    if (!this.isLed) return;
    this.truth.waiting.turn(this.#nowMs);
    for (const chore of this.#chores) await chore.run(new AbortController().signal);
    await this.#seeClosed();
  }

  async keepUp(): Promise<void> {
    if (!this.isLed) return;
    await keepUp(this.#options.ledger.pool, this.#options.rules);
    await this.#seeClosed();
  }

  /** The next height is deep enough. @param which of ours there, by number, or another's. */
  async decide(which: number): Promise<void> {
    const { next } = this.chain;
    const ours = this.truth.blocks.filter(({ height }) => height === next);
    if (!this.isLed) return;
    const block = ours[which];
    await this.chain.apply(block && { ...block, header: block.solution.header });
    this.truth.place(this.#nowMs);
  }

  async revert(count: number): Promise<void> {
    if (this.isLed) await this.chain.revert(count);
  }

  /** Logs that the ledger waits for, but for these. */
  async waitedFor(others: readonly string[]): Promise<string[]> {
    const { rows } = await this.#options.ledger.pool.query<{ id: string }>(
      'SELECT id FROM log WHERE NOT ended',
    );
    return rows.map(({ id }) => id).filter((id) => !others.includes(id));
  }

  /** By order of a person, for logs that are on no disk any more. */
  async giveUp(logs: Iterable<string>): Promise<void> {
    for (const log of logs) {
      await endLog(this.#options.ledger.pool, log, { by: 'anna', note: 'its disk burnt' });
      this.truth.waiting.end(log);
    }
    this.truth.place(this.#nowMs);
    await this.#followLate();
  }

  async #followLate(): Promise<void> {
    const heights = new Set(this.truth.blocks.map(({ height }) => height));
    await this.chain.settleLate([...heights].filter((height) => height < this.chain.next));
  }

  /** How far slots are closed is the ledger's to say: no sooner than the model has it, or shares count elsewhere than by the model. */
  async #seeClosed(): Promise<void> {
    const { rows } = await this.#options.ledger.pool.query<{ until: Date }>(
      'SELECT closed_until AS until FROM settlement',
    );
    const slot = Math.floor((rows[0]?.until.getTime() ?? 0) / SLOT_MS);
    this.truth.waiting.closed(slot, this.#nowMs, this.#reached);
  }
}

/** Of every block that shares were worth a part of. */
export const DIFFICULTY = 1_000_000n;

function orderOf([a, m]: readonly [string, number], [b, n]: readonly [string, number]): number {
  return a < b ? -1 : a > b ? 1 : m - n;
}

function failed(why: string): never {
  throw new Error(why);
}
