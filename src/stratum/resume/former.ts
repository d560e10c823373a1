/** What outlives a restart of the bridge: each resumable session that waits, the difficulties of rigs that have left before, and what addresses did. */
import type { KeptAddresses } from '../admission/address.js';
import type { NonceLeases } from './nonce-leases.js';
import { type KeptResumable, ResumableSession } from './resumable-session.js';
import type { Resumables } from './resumables.js';
import type { RigBook } from './rig-book.js';

/** As plain data. */
export interface KeptRigs {
  readonly resumableSessions: readonly KeptResumable[];
  readonly difficulties: RigBook['difficulties'];
  readonly addresses: KeptAddresses;
}

export interface Former {
  readonly rigs: KeptRigs;
  /** Since it was kept. */
  readonly agoMs: number;
}

export interface RestoreParts {
  readonly leases: NonceLeases;
  readonly resumables: Resumables;
  readonly nowMs: number;
}

/** Before the first lease is given out. Throws RangeError for what no bridge keeps. */
export function restoreResumables(
  { rigs, agoMs }: Former,
  { leases, resumables, nowMs }: RestoreParts,
): void {
  const inOrder = rigs.resumableSessions.toSorted((a, b) => a.leavesInMs - b.leavesInMs);
  for (const kept of inOrder) {
    const leavesAtMs = nowMs + kept.leavesInMs - agoMs;
    if (leavesAtMs <= nowMs) continue;
    leases.rest(kept.lease, leavesAtMs);
    resumables.keep(ResumableSession.of(kept, agoMs, nowMs), leavesAtMs);
  }
}
