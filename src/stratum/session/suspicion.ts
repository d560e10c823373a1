/** A rig all of whose hashes are wrong: they may be right with another nonce1, or with bytes turned around, which is worth saying. */
import type { Job } from '../../core/jobs/job.js';
import { type Nonce1, type Nonce2, nonce1ToHex } from '../../core/jobs/nonce.js';
import { effectiveTarget, type Issue } from '../resume/issued-targets.js';
import { turnedIn } from './nonce-detective.js';
import type { Session } from './session.js';

/** Low-difficulty submits, without a good one, after which another nonce1 is looked for. */
const SUSPICIOUS = [3, 30, 300];
const SUSPECTS = 3;

/**
 * One more submit of low difficulty.
 *
 * @returns what the rig does wrong, as a sentence, where that can be said at once; a promise where it takes a search;
 * `undefined` where nothing is looked for.
 */
export function suspect(
  session: Session,
  { lease, own }: Issue,
  job: Job,
  nonce2: Nonce2,
): string | Promise<string | undefined> | undefined {
  const { submits } = session;
  if (!own) return undefined;
  const target = effectiveTarget(own, job);
  submits.suspects = [...submits.suspects, { job, nonce2, target }].slice(-SUSPECTS);
  if (!SUSPICIOUS.includes(++submits.lowInARow)) return undefined;
  const turned = turnedIn(submits.suspects, lease.nonce1);
  return turned ? turnsAround(session, turned) : search(session, lease.nonce1);
}

function turnsAround(session: Session, parts: string): string {
  const text = `this rig has the bytes of ${parts} the other way round than stratum.agents says of its agent`;
  session.shared.log.warn({ session: session.info, parts }, 'a rig turns its nonces around');
  session.hint(text);
  return text;
}

async function search(session: Session, given: Nonce1): Promise<string | undefined> {
  const { detective, clock, log } = session.shared;
  const used = await detective.search(session.submits.suspects, session.address.key, clock.nowMs());
  if (used === undefined || used === given) return undefined;
  const [right, wrong] = [nonce1ToHex(given), nonce1ToHex(used)];
  const text = `this rig ignores nonce1: its hashes are right with ${wrong}, and it was given ${right}`;
  log.warn({ session: session.info, given: right, used: wrong }, 'a rig ignores its nonce1');
  session.hint(text);
  return text;
}
