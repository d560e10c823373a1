/**
 * Tenures where this server is one of several fronts: what a rig had at another one is fetched before it is answered, what it
 * had here is given up when another asks, and once a second the hub is told what there is.
 */
import type {
  Claim,
  Claimed,
  FleetState,
  FrontNews,
  KnownTenure,
  LateSubmit,
  LateVerdict,
} from '../../bridge/fleet/state.js';
import { verdictOn } from '../../bridge/judge.js';
import type { Clock, Judge } from '../../bridge/ports.js';
import { frontOfJob, jobNumberOf } from '../../core/jobs/job.js';
import type { Nonce2 } from '../../core/jobs/nonce.js';
import type { Log } from '../../core/names/log.js';
import type { Verdict } from '../../core/shares/share.js';
import { type ClaimParts, takeLeft, takeNamed } from './claims.js';
import { effectiveTarget } from './issued-targets.js';
import { knownOf, tenureOf } from './moved.js';
import type { RigBook } from './rig-book.js';
import type { Tenure } from './tenure.js';

/** Of a server that is one of several fronts. */
export interface FleetOptions {
  /** The number of this front, below `MAX_NUMBERERS`; its book numbers jobs by it. */
  readonly front: number;
  readonly hub: FleetState;
}

export interface FleetTenuresParts extends ClaimParts, FleetOptions {
  readonly rigBook: RigBook;
  readonly judge: Judge;
  readonly clock: Clock;
  readonly log: Log;
}

/** A submit of a job that this front does not know. */
export interface Unknown {
  readonly jobId: string;
  readonly nonce2: Nonce2;
  readonly account: string;
  readonly rig: string;
  readonly onlySolutions: boolean;
}

/** How long a rig waits for an answer from elsewhere; what comes later waits for its next return. */
const PATIENCE_MS = 250;
/** Rigs that wait so at once; others begin anew. */
const MAX_ASKED = 2000;
/**
 * Tenures that are told in a tick of five milliseconds: 10,000 a second. Each is 1.5 kB, and takes 29 µs of a processor here and 6 µs at the
 * hub (Node.js 20): where 10,000 have changed within a second, 16 MB and 0.35 s of two processors.
 */
const TOLD_A_TURN = 50;
const LOOKS_A_TURN = 200;
const MAX_GONE = 5000;
const MAX_DIFFICULTIES = 1000;
const UNTOLD = -1;

export class FleetTenures {
  readonly #parts: FleetTenuresParts;
  #asked = 0;
  /** Token -> what was so when it was told last. */
  readonly #told = new Map<string, number>();
  /** Those to be looked at next. */
  #round: string[] = [];
  #gone: string[] = [];

  constructor(parts: FleetTenuresParts) {
    this.#parts = parts;
  }

  /**
   * Asks elsewhere for what a rig names or its logins have left; what is found waits here then as if it had been left here.
   * `undefined` where that is not worth asking: something is known here, or too many are asked for already.
   */
  seek({ named, logins, addressKey }: Omit<Claim, 'places'>): Promise<void> | undefined {
    const { parking, byToken, rigBook } = this.#parts;
    if (this.#asked >= MAX_ASKED) return undefined;
    if (named !== undefined && (parking.has(named) || byToken.has(named))) return undefined;
    if (logins.some((login) => parking.hasLeft(login, addressKey))) return undefined;
    const places = logins.map((login) => rigBook.placeOf(login, addressKey));
    return this.#ask({ named, logins, addressKey, places });
  }

  /** The verdict of the front that has issued the job; `undefined` where none of another front was issued in this tenure. */
  judgeElsewhere(tenure: Tenure, submit: Unknown): Promise<LateVerdict> | undefined {
    const number = jobNumberOf(submit.jobId);
    if (tenure.elsewhere.length === 0 || number === undefined) return undefined;
    const front = frontOfJob(number);
    const nowMs = this.#parts.clock.nowMs();
    const issues = tenure.elsewhere
      .filter((each) => each.front === front && each.untilMs > nowMs)
      .flatMap(({ issued }) => issued.at(number))
      .flatMap(({ lease: { nonce1, group }, own }) => (own ? [{ nonce1, group, own }] : []));
    return issues.length === 0 ? undefined : this.#judgeAt(front, { ...submit, issues });
  }

  /** A submit of a job of this front, by a rig that is elsewhere now. */
  async judge({ issues, ...submit }: LateSubmit): Promise<LateVerdict> {
    let verdict: Verdict = { accepted: false, reason: 'unknownJob', detail: `no job ${submit.jobId}` };
    for (const { nonce1, group, own } of issues) {
      const shareTargetOf: Parameters<Judge['judge']>[0]['shareTargetOf'] = (job) =>
        job.group === group ? effectiveTarget(own, job) : undefined;
      verdict = await verdictOn(this.#parts.judge, { ...submit, nonce1, shareTargetOf });
      // Which of its nonce1 a rig has used shows in the hash alone.
      if (!isNoHash(verdict)) break;
    }
    const { solution: _, ...plain } = verdict;
    return plain;
  }

  /** What the claim proves to be the rig's own; it is here no more. */
  giveUp({ named, logins, addressKey }: Claim): KnownTenure | undefined {
    const nowMs = this.#parts.clock.nowMs();
    const left = { logins, addressKey };
    const tenure = takeNamed(this.#parts, named, left, nowMs) ?? takeLeft(this.#parts, left, nowMs);
    if (!tenure) return undefined;
    // Nobody is to be told of it any more.
    if (tenure.token !== undefined) this.#told.delete(tenure.token);
    return knownOf(tenure, tenure.logins, this.#parts.parking.stayMs, nowMs);
  }

  /** The hub is another, and knows of none. */
  tellAnew(): void {
    this.#told.clear();
    this.#gone = [];
  }

  /** Tells of a few that are to be told: thousands at once would keep rigs waiting. Called each tick. */
  turn(): void {
    const nowMs = this.#parts.clock.nowMs();
    const news: KnownTenure[] = [];
    for (let looks = 0; looks < LOOKS_A_TURN && news.length < TOLD_A_TURN; looks++) {
      const token = this.#gone.length < MAX_GONE ? this.#round.pop() : undefined;
      if (token === undefined) break;
      const known = this.#look(token, nowMs);
      if (known) news.push(known);
    }
    if (news.length > 0) this.#parts.hub.has(news);
  }

  /** What there is besides since the last call. A round of looks follows, each at one tenure. */
  take(): Omit<FrontNews, 'addresses'> {
    const { byToken, parking, rigBook } = this.#parts;
    const gone = this.#gone;
    this.#gone = [];
    if (this.#round.length === 0) {
      const all = new Set([...this.#told.keys(), ...byToken.keys(), ...parking.tokens]);
      this.#round = [...all].reverse();
    }
    return { gone, difficulties: rigBook.takeNews(MAX_DIFFICULTIES) };
  }

  /** `undefined` where nothing is new since it was told. */
  #look(token: string, nowMs: number): KnownTenure | undefined {
    const owner = this.#parts.byToken.get(token);
    const place = this.#parts.parking.look(token);
    if (!owner && !place && this.#told.delete(token)) this.#gone.push(token);
    const tenure = owner?.tenure ?? place?.tenure;
    if (!tenure?.hasJobs) return undefined;
    const logins = owner?.logins ?? tenure.logins;
    // It rises with each share, with each login, and when its session ends.
    const state = 64 * tenure.accepted + 2 * logins.length + (owner ? 0 : 1);
    if (this.#told.get(token) === state) return undefined;
    this.#told.set(token, state);
    return knownOf(tenure, logins, place && place.leavesAtMs - nowMs, nowMs);
  }

  async #ask(claim: Claim): Promise<void> {
    this.#asked++;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    const answer = this.#parts.hub
      .claim(claim)
      .then((claimed) => this.#arrive(claimed))
      .catch((error: Error) => {
        this.#parts.log.warn({ error: error.message }, 'what a rig had at another front cannot be fetched');
      })
      .finally(() => {
        this.#asked--;
        clearTimeout(timer);
      });
    await Promise.race([answer, tooLate]);
  }

  #arrive({ former, difficulties }: Claimed): void {
    const { parking, rigBook, front: here, clock } = this.#parts;
    for (const [place, difficulty] of difficulties) rigBook.learn(place, difficulty);
    if (!former) return;
    const nowMs = clock.nowMs();
    // The hub has it here from now on.
    this.#told.set(former.tenure.token, UNTOLD);
    parking.park(tenureOf(former, here, parking.stayMs, nowMs), nowMs);
  }

  async #judgeAt(front: number, submit: LateSubmit): Promise<LateVerdict> {
    const { jobId } = submit;
    try {
      const verdict = await this.#parts.hub.judge(front, submit);
      if (verdict && (verdict.accepted || verdict.reason !== 'unknownJob')) return verdict;
      const detail = `job ${jobId} was of a part of this bridge that has ended, or has forgotten it`;
      return { accepted: false, reason: 'stale', detail };
    } catch (error) {
      this.#parts.log.warn({ front, error: (error as Error).message }, 'a late share could not be judged');
      const detail = `job ${jobId} is of another part of this bridge, which did not answer`;
      return { accepted: false, reason: 'tryAgain', detail };
    }
  }
}

/** Neither share nor solution under this nonce1. */
function isNoHash(verdict: Verdict): boolean {
  if (verdict.accepted || verdict.solution) return false;
  return ['lowDifficulty', 'unknownJob', 'tryAgain'].includes(verdict.reason);
}
