/** Whose a former tenure is: rules of proof, the same for who comes back here and for who comes back to another front. */
import type { Login } from '../door/accounts.js';
import type { NonceLeases } from './nonce-leases.js';
import { type LeftBy, type Parking, shareLogin } from './parking.js';
import type { Tenure } from './tenure.js';

/** A live session, for the one that comes after it. */
export interface TokenOwner {
  readonly logins: readonly Login[];
  readonly tenure: Tenure;
  end(reason: string): void;
}

export interface ClaimParts {
  readonly leases: Pick<NonceLeases, 'groups'>;
  readonly parking: Parking;
  readonly byToken: ReadonlyMap<string, TokenOwner>;
}

/** What is named is the rig's by its token, which it alone has, or by its nonce1 and one of these logins, which are the rig's. */
export function takeNamed(
  { leases, parking, byToken }: ClaimParts,
  named: string | undefined,
  left: LeftBy,
  nowMs: number,
): Tenure | undefined {
  if (named === undefined) return undefined;
  const live = byToken.get(named);
  // Its old connection may not have noticed yet that the rig is gone. A token alone ends nobody's session.
  if (live && shareLogin(live.logins, left.logins)) live.end('the rig came back on another connection');
  return parking.take(named, nowMs) ?? parking.takeNonce1(named, left, leases.groups, nowMs);
}

/** What a session of one of these logins has left at this address. */
export function takeLeft(
  { parking }: Pick<ClaimParts, 'parking'>,
  { logins, addressKey }: LeftBy,
  nowMs: number,
): Tenure | undefined {
  for (const login of logins) {
    const tenure = parking.takeOf(login, addressKey, nowMs);
    if (tenure) return tenure;
  }
  return undefined;
}
