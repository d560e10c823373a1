/**
 * Emptying a bridge before it is stopped: nobody is let in, and rigs are asked to go, each at a time of its own, so that they
 * do not all come to the next one at once.
 */
import type { BridgeEvents } from '../../bridge/events.js';
import type { Drain as DrainView } from '../../operations/drain.js';
import { timeOf } from '../../operations/entry/values.js';
import type { Arrivals } from '../admission/arrivals.js';
import type { Session } from '../session/session.js';

type Leaving = Pick<Session, 'askToReconnect'>;

interface DrainParts {
  /** Open ones; the same set while nobody comes or goes. */
  sessions(): ReadonlySet<Leaving>;
  readonly arrivals: Pick<Arrivals, 'turnAway'>;
  readonly events: BridgeEvents;
  /** So many random bytes. */
  readonly random: (length: number) => Buffer;
  readonly nowMs: () => number;
}

interface Turn {
  readonly session: Leaving;
  readonly atMs: number;
}

/** Who is asked last needs time to go. */
const ASKING_PART = 0.9;
const BYTES_A_TURN = 4;

type Course = Omit<DrainView, 'left'>;

const OFF: Course = {
  state: 'off',
  by: null,
  startedAt: null,
  endsAt: null,
  stops: false,
  sessions: 0,
  asked: 0,
  unsupported: 0,
};

export class Drain {
  readonly #parts: DrainParts;
  #course: Course = OFF;
  #endsAtMs = 0;
  /** Those who have not had their turn, the last one first. */
  #turns: Turn[] = [];

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  get report(): DrainView {
    return { ...this.#course, left: this.#parts.sessions().size };
  }

  get whyShut(): string | undefined {
    return this.#course.state === 'off' ? undefined : 'the bridge drains: nobody is let in';
  }

  /** Only where none is under way. @param startedAtMs as others have it that begin it at the same time. */
  begin(overMs: number, by: string, stops: boolean, startedAtMs = this.#parts.nowMs()): DrainView {
    this.#turns = this.#drawTurns(startedAtMs, overMs * ASKING_PART);
    this.#endsAtMs = startedAtMs + overMs;
    const [startedAt, endsAt] = [timeOf(startedAtMs), timeOf(this.#endsAtMs)];
    const sessions = this.#turns.length;
    this.#course = { ...OFF, state: 'draining', by, startedAt, endsAt, stops, sessions };
    this.#parts.arrivals.turnAway();
    this.#tell(by);
    // Who ordered the end of the bridge is told that it was heard before that comes.
    if (!stops) this.tick(startedAtMs);
    return this.report;
  }

  cancel(by: string): DrainView {
    this.#turns = [];
    this.#course = OFF;
    this.#tell(by);
    return this.report;
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    const { state } = this.#course;
    if (state !== 'draining' && state !== 'timeUp') return;
    this.#askWhoseTurnItIs(nowMs);
    if (this.#parts.sessions().size === 0) this.#end('drained');
    else if (state === 'draining' && nowMs >= this.#endsAtMs) this.#end('timeUp');
  }

  #askWhoseTurnItIs(nowMs: number): void {
    const open = this.#parts.sessions();
    let { asked, unsupported } = this.#course;
    while ((this.#turns.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) {
      const session = this.#turns.pop()?.session;
      if (!session || !open.has(session)) continue;
      if (session.askToReconnect(0)) asked++;
      else unsupported++;
    }
    this.#course = { ...this.#course, asked, unsupported };
  }

  #end(state: 'drained' | 'timeUp'): void {
    this.#course = { ...this.#course, state };
    this.#tell(this.#course.by ?? '');
  }

  #tell(by: string): void {
    this.#parts.events.emit('drain', this.report, by);
  }

  #drawTurns(fromMs: number, spreadMs: number): Turn[] {
    const sessions = [...this.#parts.sessions()];
    const draws = this.#parts.random(sessions.length * BYTES_A_TURN);
    const turns = sessions.map((session, i) => ({
      session,
      atMs: fromMs + (draws.readUInt32LE(i * BYTES_A_TURN) / 2 ** 32) * spreadMs,
    }));
    return turns.sort((a, b) => b.atMs - a.atMs);
  }
}
