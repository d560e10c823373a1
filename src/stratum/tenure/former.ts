/** What outlives a restart of the bridge: each tenure that waits, the difficulties of rigs that have left before, and what addresses did. */
import type { KeptAddresses } from '../door/address.js';
import type { NonceLeases } from './nonce-leases.js';
import type { Parking } from './parking.js';
import type { RigBook } from './rig-book.js';
import { type KeptTenure, Tenure } from './tenure.js';

/** As plain data. */
export interface KeptRigs {
  readonly tenures: readonly KeptTenure[];
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
  readonly parking: Parking;
  readonly nowMs: number;
}

/** Before the first lease is given out. Throws RangeError for what no bridge keeps. */
export function restoreTenures({ rigs, agoMs }: Former, { leases, parking, nowMs }: RestoreParts): void {
  const inOrder = rigs.tenures.toSorted((a, b) => a.leavesInMs - b.leavesInMs);
  for (const kept of inOrder) {
    const leavesAtMs = nowMs + kept.leavesInMs - agoMs;
    if (leavesAtMs <= nowMs) continue;
    leases.rest(kept.lease, leavesAtMs);
    parking.keep(Tenure.of(kept, agoMs, nowMs), leavesAtMs);
  }
}
