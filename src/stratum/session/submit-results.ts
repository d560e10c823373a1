/** What became of a rig's submits, told to all who count it: its resumable session, its vardiff, its usage, and the book of rigs. */
import type { Job } from '../../core/jobs/job.js';
import { HashRateMeter, SESSION_WINDOWS_MS } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Acceptance } from '../../core/shares/share.js';
import { ratesOf, reachedOrNull } from '../../operations/entry/values.js';
import type { Session } from '../../operations/rigs.js';
import type { Login } from '../admission/accounts.js';
import type { Usage } from '../admission/usage.js';
import type { JobFeed } from '../jobs/job-feed.js';
import type { Resumption } from '../resume/resumption.js';
import type { RigRecord } from '../resume/rig-record.js';
import type { Hints } from './replies.js';
import type { SessionParts } from './session-parts.js';

/** The session whose submits they are. */
export interface Earner {
  readonly openedAtMs: number;
  readonly addressKey: string;
}

/** What a session is made of, so far as results show there. */
interface SubmitResultParts {
  readonly resumption: Resumption;
  readonly feed: JobFeed;
  readonly usage: Usage;
  readonly hints: Hints;
}

export class SubmitResults {
  readonly #shared: Pick<SessionParts, 'clock' | 'rigBook'>;
  readonly #resumption: Resumption;
  readonly #feed: JobFeed;
  readonly #usage: Usage;
  readonly #hints: Hints;
  readonly #session: Earner;
  /** Of the login that had the last share. */
  #record: RigRecord | undefined;
  #recorded: Login | undefined;

  constructor(shared: Pick<SessionParts, 'clock' | 'rigBook'>, own: SubmitResultParts, session: Earner) {
    this.#shared = shared;
    this.#resumption = own.resumption;
    this.#feed = own.feed;
    this.#usage = own.usage;
    this.#hints = own.hints;
    this.#session = session;
  }

  credited(login: Login, { share, reached }: Acceptance, job: Job | undefined): void {
    const { resumable } = this.#resumption;
    const { addressKey, openedAtMs: sinceMs } = this.#session;
    const nowMs = this.#shared.clock.nowMs();
    this.#hints.accepted();
    const inForce = this.#feed.difficultyInForce;
    // What a rig has kept from before it came back comes all at once, and says nothing about its speed.
    if (inForce && job && this.#feed.isSince(job))
      resumable.shareTarget.share(share.difficulty, inForce, nowMs);
    const difficulty = Number(share.difficulty);
    resumable.credit(difficulty, reached, sinceMs, nowMs);
    const nextDifficulty = resumable.shareTarget.steeredDifficulty;
    const counted = { difficulty, reached, nextDifficulty, sinceMs, addressKey };
    this.#shared.rigBook.share(this.#recordOf(login), counted, nowMs);
    this.#usage.mined(login, nowMs);
  }

  /** @param detail why, as a sentence. */
  refused(reason: Rejection, detail: string): void {
    this.#resumption.resumable.refuse(reason);
    this.#hints.refused(reason, detail, this.#shared.clock.nowMs());
  }

  report(nowMs: number): Pick<Session, 'hashRates' | 'accepted' | 'rejected' | 'bestShare'> {
    const { meter, bestShare, accepted, rejected = [] } = this.#resumption.resumable;
    const shown = meter ?? new HashRateMeter(this.#session.openedAtMs, SESSION_WINDOWS_MS);
    return {
      hashRates: ratesOf(shown.rates(nowMs)),
      accepted,
      rejected: Object.fromEntries(rejected),
      bestShare: reachedOrNull(bestShare),
    };
  }

  /** Nearly always the same: looking it up by name took as long as judging. */
  #recordOf(login: Login): RigRecord {
    const known = this.#recorded === login ? this.#record : undefined;
    // A share may be kept only after its session has ended, when the book may have forgotten the rig.
    if (known && (known.isListed || known.sessions.length > 0)) return known;
    this.#recorded = login;
    this.#record = this.#shared.rigBook.recordOf(login);
    return this.#record;
  }
}
