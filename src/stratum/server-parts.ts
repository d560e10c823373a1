/** What all sessions of a server share, made from its options. */
import type { BridgeEvents } from '../bridge/events.js';
import type { Clock, JobSource, Judge } from '../bridge/ports.js';
import type { NonceSpace } from '../core/jobs/nonce.js';
import type { Log } from '../core/names/log.js';
import type { Ban } from '../operations/bans.js';
import { Addresses } from './admission/address.js';
import { Bans } from './admission/bans.js';
import { Violations } from './admission/violations.js';
import type { JobBoard } from './jobs/job-board.js';
import type { KeptOrders } from './operator/order-saver.js';
import { RigOrders } from './operator/rig-orders.js';
import { type Former, type RestoreParts, restoreResumables } from './resume/former.js';
import { NonceLeases } from './resume/nonce-leases.js';
import { Resumables } from './resume/resumables.js';
import { RigBook } from './resume/rig-book.js';
import type { RigRules } from './rig-rules.js';
import { NonceDetective } from './session/nonce-detective.js';
import type { SessionParts } from './session/session-parts.js';

const TOKEN_BYTES = 16;
const BAN_ID_BYTES = 6;

export interface SharedOptions {
  readonly judge: Judge;
  /** Shared with everything else that mines for this bridge. */
  readonly nonceSpace: NonceSpace;
  /** Time rolling; without it rigs get jobs only when the node gives new work. */
  readonly jobs?: JobSource;
  readonly clock: Clock;
  readonly events: BridgeEvents;
  readonly log: Log;
  /** What an operator has ordered in an earlier start. */
  readonly kept?: KeptOrders;
  /** What rigs of an earlier start may come back to. */
  readonly former?: Former | undefined;
}

interface ServerParts {
  readonly rules: RigRules;
  /** So many random bytes. */
  readonly random: (length: number) => Buffer;
  /** Made later: it knows the sessions. */
  readonly board: () => JobBoard;
}

/** All but the rules, which each port has of its own. */
export type SharedParts = Omit<SessionParts, 'rules'>;

export function sharedPartsOf(options: SharedOptions, parts: ServerParts): SharedParts {
  const { judge, jobs, clock, events, log, former } = options;
  const { rules, random, board } = parts;
  const bans = bansOf(options, parts);
  const rigBook = new RigBook(rules, former?.rigs.difficulties);
  const byToken: SharedParts['byToken'] = new Map();
  const leases = new NonceLeases(options.nonceSpace, jobs?.groups ?? 1);
  const resumables = new Resumables(leases.quarantineMs, rules.limits);
  const addresses = new Addresses(rules.limits);
  const nowMs = clock.nowMs();
  if (former) goOn(former, { leases, resumables, nowMs }, log);
  if (former) addresses.goOn(former.rigs.addresses, nowMs - former.agoMs);
  return {
    ...{ judge, leases, resumables, byToken, rigBook, clock, log },
    ...{ bans, addresses, events },
    ordered: new RigOrders(options.kept?.difficulties),
    violations: new Violations(bans, rules.limits, log),
    detective: new NonceDetective(nowMs),
    newestJob: (session) => board().newestFor(session),
    chainOf: (session) => board().chainOf(session),
    oldestJob: () => jobs?.oldestJob ?? 0,
    newToken: () => random(TOKEN_BYTES).toString('hex'),
  };
}

function goOn(former: Former, parts: RestoreParts, log: Log): void {
  try {
    restoreResumables(former, parts);
  } catch (error) {
    const words = 'not all that rigs of the last start come back to can be used: the others begin anew';
    log.warn({ error: (error as Error).message }, words);
  }
}

function bansOf({ events, kept }: SharedOptions, { rules, random }: ServerParts): Bans {
  const witness = {
    newId: () => random(BAN_ID_BYTES).toString('hex'),
    banned: (ban: Ban) => void events.emit('banned', ban),
    unbanned: (ban: Ban, by: string | undefined) => void events.emit('unbanned', ban, by),
  };
  return new Bans(rules.limits, witness, kept?.bans);
}
