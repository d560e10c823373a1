/** A drain of all fronts as one. */
import type { BridgeEvents } from '../../bridge/events.js';
import type { DrainReport, Refused } from '../../bridge/orders/steering.js';
import type { WatchedFronts } from './fronts.js';

export interface FleetDrainParts {
  readonly fronts: WatchedFronts;
  readonly events: BridgeEvents;
  /** Of the time since the epoch. */
  nowMs(): number;
}

interface Order {
  readonly by: string;
  readonly endsAtMs: number;
  readonly stops: boolean;
}

const OFF: DrainReport = {
  ...{ state: 'off', by: '', startedAtMs: 0, endsAtMs: 0, stops: false },
  ...{ sessions: 0, asked: 0, deaf: 0, left: 0 },
};

export class FleetDrain {
  readonly #parts: FleetDrainParts;
  /** As each front has reported last. */
  readonly #reports = new Map<number, DrainReport>();
  #order: Order | undefined;
  /** As it was told. */
  #told: DrainReport['state'] = 'off';

  constructor(parts: FleetDrainParts) {
    this.#parts = parts;
  }

  get report(): DrainReport {
    const left = [...this.#reports.values()].reduce((sum, report) => sum + report.left, 0);
    const all = [...this.#reports.values()].filter(({ state }) => state !== 'off');
    if (!this.#order) return { ...OFF, left };
    const sum = (of: 'sessions' | 'asked' | 'deaf'): number =>
      all.reduce((total, report) => total + report[of], 0);
    return {
      ...this.#order,
      state: stateOf(all),
      startedAtMs: Math.min(this.#order.endsAtMs, ...all.map(({ startedAtMs }) => startedAtMs)),
      ...{ sessions: sum('sessions'), asked: sum('asked'), deaf: sum('deaf'), left },
    };
  }

  async begin(overMs: number, by: string, stops: boolean): Promise<DrainReport | Refused> {
    if (this.#order) return { refused: 'busy', why: 'a drain is on already: cancel it first' };
    const order = { by, endsAtMs: this.#parts.nowMs() + overMs, stops };
    this.#order = order;
    const answers = await this.#parts.fronts.orderStaying((front) => front.drain(overMs, by, stops));
    const refused = answers.map(({ answer }) => answer).find((answer) => 'refused' in answer);
    if (refused) {
      if (this.#order === order) this.#order = undefined;
      return refused as Refused;
    }
    if (answers.length === 0) {
      this.#order = undefined;
      return { refused: 'busy', why: 'no front answers' };
    }
    for (const { front, answer } of answers) if ('state' in answer) this.#reports.set(front, answer);
    this.#tell({ ...this.report, state: 'draining' });
    this.#look();
    return this.report;
  }

  async cancel(by: string): Promise<DrainReport | Refused> {
    if (!this.#order) return { refused: 'busy', why: 'no drain is on' };
    const answers = await this.#parts.fronts.orderStaying((front) => front.cancelDrain(by));
    const refused = answers.map(({ answer }) => answer).find((answer) => 'refused' in answer);
    // Of a front that has just begun, and drains not yet: it goes on letting rigs in.
    if (refused && (refused as Refused).refused !== 'busy') return refused as Refused;
    this.#order = undefined;
    for (const { front, answer } of answers) if ('state' in answer) this.#reports.set(front, answer);
    this.#told = 'off';
    this.#parts.events.emit('drain', this.report, by);
    return this.report;
  }

  /** A front has begun: what is ordered of all is ordered of it. Resolves once it has heard. */
  async joined(front: number): Promise<void> {
    const order = this.#order;
    if (!order) return;
    const leftMs = Math.max(0, order.endsAtMs - this.#parts.nowMs());
    const done = await this.#parts.fronts.orderAt(front, (steering) =>
      steering.drain(leftMs, order.by, order.stops),
    );
    if (done && 'state' in done.answer) this.told(front, done.answer);
  }

  left(front: number): void {
    this.#reports.delete(front);
    this.#look();
  }

  /** Once a second, by each front. */
  told(front: number, report: DrainReport): void {
    // One that leaves drains for itself, and is left by all in the end.
    const isOfAll = !this.#parts.fronts.isLeaving(front);
    this.#reports.set(front, isOfAll ? report : { ...report, state: 'off' });
    this.#look();
  }

  #look(): void {
    if (!this.#order || this.#told === 'off') return;
    const { report } = this;
    if (report.state !== this.#told) this.#tell(report);
  }

  #tell(report: DrainReport): void {
    this.#told = report.state;
    this.#parts.events.emit('drain', report, report.by);
  }
}

/** While none has told of its own, it goes on. */
function stateOf(reports: readonly DrainReport[]): DrainReport['state'] {
  const states = new Set(reports.map(({ state }) => state));
  if (states.size === 0 || states.has('draining')) return 'draining';
  return states.has('timeUp') ? 'timeUp' : 'drained';
}
