/** What is known of one rig, over all of its sessions: what became of its submits, how fast it is, whether it is heard. */
import { type HashRate, HashRateMeter, type WindowMs } from '../../core/shares/hash-rate.js';
import { REJECTIONS, type Rejection } from '../../core/shares/rejections.js';
import type { Difficulty } from '../../core/work/target.js';
import type { RigState } from '../../operations/enums.js';
import type { Session } from '../../operations/rigs.js';
import type { Login } from '../admission/accounts.js';

/** What is forgotten when there are too many. */
export interface Forgettable {
  /** When it was last put at the end of the order of forgetting. */
  movedAtMs: number;
  /** It has not been forgotten: looking that up for each share would take as long as counting it. */
  isListed: boolean;
}

export interface AccountRecord extends Forgettable {
  readonly login: Login;
  readonly meter: HashRateMeter;
  lastShareAtMs: number;
}

export interface CountedShare {
  /** Expected hashes, as issued. */
  readonly difficulty: number;
  /** That its hash would have met; absent where nobody knows. */
  readonly reached?: number | undefined;
  /** What the rig has now, kept for its return. */
  readonly nextDifficulty: number | undefined;
  /** Where it is known by it alone; absent for CPU threads. */
  readonly addressKey?: string;
  /** Since when the rig has been mining: a rate is over that time, and not over that since its first share. */
  readonly sinceMs: number;
}

/** Where a rig came from, and by which port. */
interface CameFrom {
  readonly host: string;
  readonly port: string;
}

/** A session as its rigs see it. */
export interface RigSession {
  readonly openedAtMs: number;
  /** When it last answered or was authorized; its submits are not counted here, as it may mine for several rigs. */
  readonly answeredAtMs: number;
  readonly agent: string;
  /** Of the shares of its newest job. */
  readonly difficulty: Difficulty | undefined;
  readonly cameFrom: CameFrom;
  report(nowMs: number): Session;
}

/** Shares that the usual time between two of them is taken from, about. */
const REMEMBERED_SHARES = 16;
/** A rig that is on line is silent for so many times of what is usual once in 160,000 shares. */
const UNUSUAL = 12;
const LEAST_SILENCE_MS = 60_000;
/** While nothing is known of its rate. */
const SILENCE_AT_FIRST_MS = 300_000;

const NONE: readonly RigSession[] = [];

export class RigRecord implements Forgettable {
  readonly login: Login;
  readonly key: string;
  accepted = 0;
  /** Highest difficulty that a share has reached. */
  bestShare = 0;
  lastShareAtMs: number | undefined;
  /** The address that it mined from last; empty for CPU threads. */
  addressKey = '';
  movedAtMs = 0;
  isListed = false;
  /** Of its account, as long as that is not forgotten. */
  account: AccountRecord | undefined;
  /** What is remembered for its return. */
  nextDifficulty: number | undefined;
  /** Of the session that has left last, when none is open. */
  cameFrom: CameFrom | undefined;
  #sessions: RigSession[] | undefined;
  #agent = '';
  /** When its sessions that have gone were heard last. */
  #goneAtMs = 0;
  #submittedAtMs: number | undefined;
  /** From the first of each on: many rigs that only wait hold less without. */
  #meter: HashRateMeter | undefined;
  #rejected: number[] | undefined;
  /** Work of the last shares, and the time that it took. */
  #work = 0;
  #workMs = 0;

  constructor(login: Login, key: string) {
    this.login = login;
    this.key = key;
  }

  /** Open ones, in no order. */
  get sessions(): readonly RigSession[] {
    return this.#sessions ?? NONE;
  }

  /** Of its newest session, or of the last one that has gone. */
  get agent(): string {
    return this.newest?.agent ?? this.#agent;
  }

  get newest(): RigSession | undefined {
    return extreme(this.sessions, (a, b) => a.openedAtMs > b.openedAtMs);
  }

  /** Since when it has been connected without a break, as far as is known. */
  get connectedAtMs(): number | undefined {
    return extreme(this.sessions, (a, b) => a.openedAtMs < b.openedAtMs)?.openedAtMs;
  }

  /** When it was heard last of those sessions that have gone, or had a submit. */
  get goneAtMs(): number {
    return Math.max(this.#goneAtMs, this.#submittedAtMs ?? 0);
  }

  /** Submits that were not accepted. */
  get rejected(): number {
    return (this.#rejected ?? []).reduce((sum, count) => sum + count, 0);
  }

  get rejections(): Partial<Record<Rejection, number>> {
    const counts = (this.#rejected ?? []).map((count, i) => [REJECTIONS[i], count] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Of all submits, 0 to 1. */
  get rejectedPart(): number {
    const { rejected } = this;
    return rejected === 0 ? 0 : rejected / (rejected + this.accepted);
  }

  entered(session: RigSession, addressKey: string): void {
    // Nearly always one: a list that grows from nothing takes room for a dozen.
    if (this.#sessions) this.#sessions.push(session);
    else this.#sessions = [session];
    this.addressKey = addressKey;
  }

  left(session: RigSession): void {
    const at = this.sessions.indexOf(session);
    if (at === -1) return;
    // The last takes its place: thousands may leave at once.
    const last = this.#sessions?.pop();
    if (this.#sessions && last && last !== session) this.#sessions[at] = last;
    if (this.sessions.length > 0) return;
    this.#sessions = undefined;
    this.#agent = session.agent;
    this.cameFrom = session.cameFrom;
    this.#goneAtMs = session.answeredAtMs;
  }

  accept({ difficulty, reached = 0, sinceMs }: CountedShare, nowMs: number): void {
    this.#meter ??= new HashRateMeter(sinceMs);
    this.#meter.add(difficulty, nowMs);
    const fade = 1 - 1 / REMEMBERED_SHARES;
    this.#work = this.#work * fade + difficulty;
    this.#workMs = this.#workMs * fade + Math.max(0, nowMs - Math.max(this.lastShareAtMs ?? 0, sinceMs));
    this.accepted++;
    if (reached > this.bestShare) this.bestShare = reached;
    this.lastShareAtMs = nowMs;
    this.#submittedAtMs = nowMs;
  }

  reject(reason: Rejection, nowMs: number): void {
    this.#rejected ??= REJECTIONS.map(() => 0);
    const at = REJECTIONS.indexOf(reason);
    this.#rejected[at] = (this.#rejected[at] ?? 0) + 1;
    this.#submittedAtMs = nowMs;
  }

  rates(nowMs: number): HashRate[] {
    return (this.#meter ?? new HashRateMeter(nowMs)).rates(nowMs);
  }

  /** Over the last five minutes. */
  steadyRate(nowMs: number): number {
    return this.#meter?.steadyRate(nowMs) ?? 0;
  }

  /** @param windowMs one of those that `rates` gives. */
  rateOver(windowMs: WindowMs, nowMs: number): number {
    return this.#meter?.rateOver(windowMs, nowMs) ?? 0;
  }

  /** @param isBanned it would not be let in. */
  stateAt(nowMs: number, isBanned: () => boolean): RigState {
    // CPU threads have no session here, and are always there.
    const isCpu = this.addressKey === '';
    if (this.sessions.length === 0 && !isCpu) return isBanned() ? 'banned' : 'offline';
    const heardAtMs = this.sessions.reduce(
      (latest, { answeredAtMs }) => Math.max(latest, answeredAtMs),
      this.#submittedAtMs ?? 0,
    );
    return nowMs - heardAtMs > this.#patienceMs ? 'idle' : 'online';
  }

  /** How long a silence is nothing unusual: what a dozen shares take, as the rig is when it is heard. */
  get #patienceMs(): number {
    if (this.#work === 0) return SILENCE_AT_FIRST_MS;
    const difficulty = Number(this.newest?.difficulty ?? 0);
    const usualMs = (difficulty * this.#workMs) / this.#work;
    return Math.max(LEAST_SILENCE_MS, UNUSUAL * usualMs);
  }
}

function extreme<T>(items: readonly T[], isBetter: (a: T, b: T) => boolean): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best && !isBetter(item, best) ? best : item),
    undefined,
  );
}
