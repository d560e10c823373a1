/**
 * A tenure on its way from one front to another. What its jobs were issued with stays with the number of the front whose they
 * are: late shares of them are judged there.
 */
import { deserialize, serialize } from 'node:v8';
import type { Claimed, KnownTenure } from '../../bridge/fleet/state.js';
import { nonce1ToHex } from '../../core/jobs/nonce.js';
import { IssuedTargets, type KeptIssues } from './issued-targets.js';
import { type Elsewhere, type KeptTenure, Tenure } from './tenure.js';

/** As bytes; only fronts of one bridge, which are of one version, read it. No times of a clock: each process has its own. */
interface Moved extends KeptTenure {
  readonly elsewhere: readonly {
    readonly front: number;
    readonly forMs: number;
    readonly issued: readonly KeptIssues[];
  }[];
}

/** What travels of what was issued: its own and some earlier ones, each with its last changes. */
const MAX_ISSUES = 4;
const MAX_CHANGES = 64;
/** Times that a rig has moved within the life of a job. */
const MAX_ELSEWHERE = 8;

/** `undefined` without a token: there is nothing to come back by. @param leavesInMs absent while a session holds it. */
export function knownOf(
  tenure: Tenure,
  logins: KnownTenure['logins'],
  leavesInMs: number | undefined,
  nowMs: number,
): KnownTenure | undefined {
  const { token, lease, addressKey } = tenure;
  const kept = tenure.keptWithoutLease(0, nowMs);
  if (token === undefined || !kept) return undefined;
  const moved: Moved = {
    ...kept,
    logins: logins.map(({ account, rig }) => ({ account, rig })),
    issued: shortened(tenure.issued.kept),
    elsewhere: tenure.elsewhere
      .filter(({ untilMs }) => untilMs > nowMs)
      .map(({ front, untilMs, issued }) => {
        return { front, forMs: untilMs - nowMs, issued: shortened(issued.kept) };
      }),
  };
  const nonce1 = lease ? nonce1ToHex(lease.nonce1) : '';
  const data = new Uint8Array(serialize(moved));
  return { token, nonce1, logins: moved.logins, addressKey, leavesInMs, data };
}

/**
 * As it waits at this front, without a lease. Throws what `deserialize` throws for what no front keeps.
 *
 * @param stayMs for how long the jobs are known where it comes from.
 */
export function tenureOf(
  { front: from, tenure: { data }, agoMs }: NonNullable<Claimed['former']>,
  here: number,
  stayMs: number,
  nowMs: number,
): Tenure {
  const moved = deserialize(data) as Moved;
  const tenure = Tenure.of({ ...moved, lease: undefined, issued: [] }, agoMs, nowMs);
  const elsewhere = [{ front: from, forMs: stayMs, issued: moved.issued }, ...moved.elsewhere]
    .slice(0, MAX_ELSEWHERE)
    .map(({ front, forMs, issued }): Elsewhere => {
      return { front, untilMs: nowMs + forMs - agoMs, issued: IssuedTargets.of(issued) };
    });
  tenure.issued.alsoKnow(elsewhere.filter(({ front }) => front === here).map(({ issued }) => issued));
  tenure.elsewhere = elsewhere.filter(({ front }) => front !== here);
  tenure.hasMoved = true;
  return tenure;
}

function shortened(issues: readonly KeptIssues[]): KeptIssues[] {
  return issues
    .slice(0, MAX_ISSUES)
    .map(({ upTo, changes }) => ({ upTo, changes: changes.slice(-MAX_CHANGES) }));
}
