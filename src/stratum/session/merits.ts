/** What became of a rig's submits, told to all who count it: its tenure, its vardiff, its conduct, and the book of rigs. */
import type { Job } from '../../core/jobs/job.js';
import { HashRateMeter, SESSION_WINDOWS_MS } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Acceptance } from '../../core/shares/share.js';
import { ratesOf, reachedOrNull } from '../../operations/entry/values.js';
import type { Session } from '../../operations/rigs.js';
import type { Login } from '../door/accounts.js';
import type { Conduct } from '../door/conduct.js';
import type { JobFeed } from '../jobs/job-feed.js';
import type { Holding } from '../tenure/holding.js';
import type { RigRecord } from '../tenure/rig-record.js';
import type { Hints } from './replies.js';
import type { SessionParts } from './session-parts.js';

/** The session whose merits they are. */
export interface Earner {
  readonly openedAtMs: number;
  readonly addressKey: string;
}

/** What a session is made of, so far as its merits show there. */
interface MeritParts {
  readonly holding: Holding;
  readonly feed: JobFeed;
  readonly conduct: Conduct;
  readonly hints: Hints;
}

export class Merits {
  readonly #shared: Pick<SessionParts, 'clock' | 'rigBook'>;
  readonly #holding: Holding;
  readonly #feed: JobFeed;
  readonly #conduct: Conduct;
  readonly #hints: Hints;
  readonly #session: Earner;
  /** Of the login that had the last share. */
  #record: RigRecord | undefined;
  #recorded: Login | undefined;

  constructor(shared: Pick<SessionParts, 'clock' | 'rigBook'>, own: MeritParts, session: Earner) {
    this.#shared = shared;
    this.#holding = own.holding;
    this.#feed = own.feed;
    this.#conduct = own.conduct;
    this.#hints = own.hints;
    this.#session = session;
  }

  credited(login: Login, { share, reached }: Acceptance, job: Job | undefined): void {
    const { tenure } = this.#holding;
    const { addressKey, openedAtMs: sinceMs } = this.#session;
    const nowMs = this.#shared.clock.nowMs();
    this.#hints.accepted();
    const inForce = this.#feed.difficultyInForce;
    // What a rig has kept from before it came back comes all at once, and says nothing about its speed.
    if (inForce && job && this.#feed.isSince(job)) tenure.shareTarget.share(share.difficulty, inForce, nowMs);
    const difficulty = Number(share.difficulty);
    tenure.credit(difficulty, reached, sinceMs, nowMs);
    const nextDifficulty = tenure.shareTarget.steeredDifficulty;
    const counted = { difficulty, reached, nextDifficulty, sinceMs, addressKey };
    this.#shared.rigBook.share(this.#recordOf(login), counted, nowMs);
    this.#conduct.mined(login, nowMs);
  }

  /** @param detail why, as a sentence. */
  refused(reason: Rejection, detail: string): void {
    this.#holding.tenure.refuse(reason);
    this.#hints.refused(reason, detail, this.#shared.clock.nowMs());
  }

  report(nowMs: number): Pick<Session, 'hashRates' | 'accepted' | 'rejected' | 'bestShare'> {
    const { meter, bestShare, accepted, rejected = [] } = this.#holding.tenure;
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
