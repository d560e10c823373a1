/** What all sessions of a server share, but for the rules of their port. */
import type { BridgeEvents } from '../../bridge/events.js';
import type { Clock, Judge } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import type { OrderedDifficulty } from '../../operations/orders/by-order.js';
import type { Login } from '../admission/accounts.js';
import type { Addresses } from '../admission/address.js';
import type { Bans } from '../admission/bans.js';
import type { Violations } from '../admission/violations.js';
import type { JobLine } from '../jobs/job-feed.js';
import type { RigOrders } from '../operator/rig-orders.js';
import type { Lease, NonceLeases } from '../resume/nonce-leases.js';
import type { Resumables } from '../resume/resumables.js';
import type { RigBook } from '../resume/rig-book.js';
import type { PortRules } from '../rig-rules.js';
import type { NonceDetective } from './nonce-detective.js';

/** A session as those see it who hand out jobs. */
export interface JobTaker {
  readonly lease: Lease | undefined;
  /** Subscribed and authorized. */
  readonly ready: boolean;
  /** 0 while nothing is known. */
  readonly hashesPerSecond: number;
  /** That it had under its lease. */
  readonly lastJobNumber: number;
  /** Whether a job with fresh nonces or a new target is due. */
  jobDue(nowMs: number): 'must' | 'may' | 'no';
  offerJob(jobLine: JobLine): void;
}

/** A live session, for the one that comes after it. */
export interface TokenOwner {
  readonly logins: readonly Login[];
  end(reason: string): void;
}

export interface SessionParts {
  readonly judge: Judge;
  readonly leases: NonceLeases;
  readonly resumables: Resumables;
  readonly rigBook: RigBook;
  readonly bans: Bans;
  readonly ordered: RigOrders<OrderedDifficulty>;
  readonly addresses: Addresses;
  readonly violations: Violations;
  readonly detective: NonceDetective;
  readonly clock: Clock;
  readonly events: BridgeEvents;
  readonly log: Log;
  /** Of the port that the session came in by; all others share the rest. */
  readonly rules: PortRules;
  newestJob(taker: JobTaker): JobLine | undefined;
  chainOf(taker: JobTaker): number | undefined;
  /** The lowest number of a job that a submit may still be of. */
  oldestJob(): number;
  /** A secret that nobody guesses. */
  newToken(): string;
  /** Live sessions by their resume tokens; each enters and leaves by itself. */
  readonly byToken: Map<string, TokenOwner>;
}
