/**
 * The fronts of a bridge: each in a slot of its own, started again when it dies, ended when it says nothing any more. Those whose place
 * others take leave: they end when their last session has gone, or their time is over, and are not started again.
 */
import type { Log } from '../../core/names/log.js';
import { ForkedFront, type ForkOptions, type FrontProcess } from './front-process.js';

/** What becomes of fronts, for who works with them. */
export interface FrontsParts extends Omit<ForkOptions, 'fds'> {
  /** Sockets that one which is started now inherits. */
  fds(): readonly number[];
  readonly log: Log;
  /**
   * It runs, and has been told nothing yet. Resolves once it serves rigs; when that fails it is ended.
   */
  begin(front: FrontProcess): Promise<void>;
  /** Others have its place. Resolves once it lets nobody in any more. */
  leave(front: FrontProcess, overMs: number): Promise<void>;
  /** Asks it to stop in order; resolves once it has answered. */
  stop(front: FrontProcess, withinMs: number): Promise<void>;
  /** It is gone. @param isForGood nobody is started in its place. */
  gone(front: FrontProcess, isForGood: boolean): void;
}

/** Pauses before a front that died is started again; one that has lived for a minute begins anew with the first. */
const RESTART_MS = [100, 500, 2_000, 10_000, 30_000];
const LIVED_MS = 60_000;
/** A front that tells nothing for so long is stuck: its rigs are better off with another. */
const SILENT_MS = 15_000;
const LOOK_MS = 1_000;
/** One that leaves ends by itself within this time, or is ended. */
const STOP_MS = 9_500;

interface Slot {
  front: FrontProcess | undefined;
  /** It serves rigs. */
  isUp: boolean;
  /** When it is ended, on a rising clock; absent of one that stays. */
  leavesAtMs: number | undefined;
  isStopping: boolean;
  /** It waits for another hub. */
  isLetGo: boolean;
  /** In a row, each soon after its start. */
  deaths: number;
  timer: NodeJS.Timeout | undefined;
}

export class Fronts {
  readonly #parts: FrontsParts;
  /** By index. */
  readonly #slots = new Map<number, Slot>();
  readonly #timer: NodeJS.Timeout;
  #isClosing = false;

  constructor(parts: FrontsParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Those that serve rigs, or begin to. */
  get live(): readonly FrontProcess[] {
    return this.#frontsOf(() => true);
  }

  get up(): readonly FrontProcess[] {
    return this.#frontsOf(({ isUp }) => isUp);
  }

  /** Those that let rigs in. */
  get staying(): readonly FrontProcess[] {
    return this.#frontsOf(({ isUp, leavesAtMs }) => isUp && leavesAtMs === undefined);
  }

  /** Of those that do not leave, also where one is being started again. */
  get indexes(): readonly number[] {
    return [...this.#slots].flatMap(([index, { leavesAtMs }]) => (leavesAtMs === undefined ? [index] : []));
  }

  isLeaving({ index }: FrontProcess): boolean {
    return this.#slots.get(index)?.leavesAtMs !== undefined;
  }

  /** Resolves once all serve rigs. Rejects when one of them does not come up, and none of them is left then. */
  async start(indexes: readonly number[]): Promise<void> {
    for (const index of indexes) this.#slots.set(index, newSlot());
    try {
      await Promise.all(indexes.map((index) => this.#startAt(index)));
    } catch (error) {
      await Promise.all(indexes.map((index) => this.#drop(index)));
      throw error;
    }
  }

  /** One of the hub before, which is to leave. Resolves once it is as those of this hub. */
  async adopt(front: FrontProcess, join: () => Promise<void>): Promise<void> {
    const slot = { ...newSlot(), front, leavesAtMs: Number.POSITIVE_INFINITY };
    this.#slots.set(front.index, slot);
    void front.ended.then((how) => this.#gone(front, how));
    await join();
    slot.isUp = true;
  }

  /** It goes on without this hub, and waits for the next one: {@link close} leaves it alone. */
  letGo({ index }: FrontProcess): void {
    const slot = this.#slots.get(index);
    if (slot) slot.isLetGo = true;
  }

  /** Those of these slots leave. Resolves once they let nobody in any more. */
  async leave(indexes: readonly number[], overMs: number): Promise<void> {
    await Promise.all(indexes.map((index) => this.#leave(index, overMs)));
  }

  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    for (const { timer } of this.#slots.values()) clearTimeout(timer);
    await Promise.all(this.live.map((front) => this.#stop(front, withinMs)));
  }

  #frontsOf(isMeant: (slot: Slot) => boolean): FrontProcess[] {
    const slots = [...this.#slots.entries()].sort(([a], [b]) => a - b);
    return slots.flatMap(([, slot]) => (slot.front && isMeant(slot) ? [slot.front] : []));
  }

  async #startAt(index: number): Promise<void> {
    const slot = this.#slots.get(index);
    if (!slot || this.#isClosing) return;
    const front = new ForkedFront(index, { ...this.#parts, fds: this.#parts.fds() });
    slot.front = front;
    void front.ended.then((how) => this.#gone(front, how));
    try {
      await this.#parts.begin(front);
      // Only now does it tell: a start that took long is no silence.
      front.heardAtMs = performance.now();
      slot.isUp = true;
    } catch (error) {
      front.kill();
      throw error;
    }
  }

  async #drop(index: number): Promise<void> {
    const front = this.#slots.get(index)?.front;
    this.#slots.delete(index);
    if (!front) return;
    front.kill();
    await front.ended;
    this.#parts.gone(front, false);
  }

  async #leave(index: number, overMs: number): Promise<void> {
    const slot = this.#slots.get(index);
    if (!slot) return;
    slot.leavesAtMs = performance.now() + overMs;
    clearTimeout(slot.timer);
    const { front, isUp } = slot;
    if (!front) this.#slots.delete(index);
    else if (isUp) await this.#parts.leave(front, overMs).catch(() => front.kill());
    else front.kill();
  }

  async #stop(front: FrontProcess, withinMs: number): Promise<void> {
    const slot = this.#slots.get(front.index);
    if (slot) slot.isStopping = true;
    if (slot?.isLetGo) return front.release();
    await this.#parts.stop(front, withinMs).then(
      () => front.release(),
      () => front.kill(),
    );
    await front.ended;
  }

  #gone(front: FrontProcess, how: string): void {
    const { index } = front;
    const slot = this.#slots.get(index);
    front.channel.end();
    if (!slot || slot.front !== front) return;
    const { isUp, leavesAtMs, isStopping } = slot;
    slot.front = undefined;
    slot.isUp = false;
    const isLeaving = leavesAtMs !== undefined;
    this.#parts.gone(front, isLeaving && !this.#isClosing);
    if (isLeaving) this.#left(front, isStopping ? undefined : how);
    // Before it was up its start has failed: who waits for that is told.
    else if (!this.#isClosing && (isUp || slot.deaths > 0)) this.#again(slot, front, how);
  }

  /** @param how it ended, where it was not asked to. */
  #left({ index, pid }: FrontProcess, how: string | undefined): void {
    this.#slots.delete(index);
    const { log } = this.#parts;
    if (how === undefined) log.info({ event: 'front-left', front: index }, `front ${index} has left`);
    else log.error({ event: 'front-ended', front: index, pid, how }, `front ${index} has ended (${how})`);
  }

  #again(slot: Slot, front: FrontProcess, how: string): void {
    const { index, pid } = front;
    const { log } = this.#parts;
    if (performance.now() - front.startedAtMs > LIVED_MS) slot.deaths = 0;
    const inMs = RESTART_MS[Math.min(slot.deaths, RESTART_MS.length - 1)] ?? 0;
    slot.deaths++;
    const words = `front ${index} has ended (${how}): its rigs come back to the others, and it is started again in ${inMs / 1000} s`;
    log.error({ event: 'front-ended', front: index, pid, how }, words);
    slot.timer = setTimeout(() => {
      this.#startAt(index).then(
        () => log.info({ event: 'front-up', front: index }, `front ${index} serves rigs again`),
        (error: Error) => log.error({ front: index, error: error.message }, 'a front does not come up'),
      );
    }, inMs);
  }

  #look(): void {
    const nowMs = performance.now();
    for (const front of this.up) {
      if (nowMs - front.heardAtMs >= SILENT_MS) this.#endSilent(front);
      const slot = this.#slots.get(front.index);
      if (slot?.leavesAtMs === undefined || slot.isStopping) continue;
      const isEmpty = front.beat?.sessions === 0 && slot.leavesAtMs !== Number.POSITIVE_INFINITY;
      if (nowMs < slot.leavesAtMs && !isEmpty) continue;
      void this.#stop(front, STOP_MS);
    }
  }

  #endSilent(front: FrontProcess): void {
    const words = `front ${front.index} has said nothing for ${SILENT_MS / 1000} s and is ended`;
    this.#parts.log.error({ event: 'front-silent', front: front.index, pid: front.pid }, words);
    front.kill();
  }
}

function newSlot(): Slot {
  return {
    ...{ front: undefined, isUp: false, leavesAtMs: undefined, isStopping: false, isLetGo: false },
    ...{ deaths: 0, timer: undefined },
  };
}
