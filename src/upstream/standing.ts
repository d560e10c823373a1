/** Which of several nodes are not to be trusted, by comparing what they say of themselves. */

export interface Sighting {
  readonly network: string;
  /** By which its works name the network; `undefined` while it has given none. */
  readonly versionCode?: number | undefined;
  /** The node's clock less ours, which nobody sets, in milliseconds; `undefined` where it does not tell its time. */
  readonly clockOffsetMs: number | undefined;
  /** Sum of the heights of all chains; `undefined` where the node does not serve its cut. */
  readonly cutHeight: number | undefined;
  /** For so long its cut has been the same. */
  readonly stillMs?: number | undefined;
  /** Of its cut. */
  readonly chains?: number | undefined;
}

export interface Distrust {
  /** A node is `behind` for a moment whenever a block is on its way to it. */
  readonly kind: 'network' | 'clock' | 'behind' | 'forged';
  readonly reason: string;
}

export interface StandingLimits {
  /** Nodes tell their time in whole seconds. */
  readonly clockMs: number;
  /** Blocks of all chains together. */
  readonly lagBlocks: number;
  /** One whose cut is the same for so long, while another has a block more of each chain, stands still. */
  readonly stillMs: number;
}

/** Whatever a healthy node's clock and cut may differ from the others', in one round of questions. */
export const STANDING_LIMITS: StandingLimits = { clockMs: 30_000, lagBlocks: 60, stillMs: 5_000 };

/**
 * Why each node is not to be trusted, `undefined` for those that are.
 *
 * Networks are compared with `network`, and with the code in works of the first node of it; clocks with that on which most nodes agree (on a tie, with the node preferred by
 * order), heights with the highest of those whose network and clock are right.
 */
export function standings(
  sightings: readonly (Sighting | undefined)[],
  network: string,
  limits: StandingLimits = STANDING_LIMITS,
): (Distrust | undefined)[] {
  const isOfNetwork = (seen: Sighting | undefined) => network === '' || seen?.network === network;
  const code = sightings.find((seen) => isOfNetwork(seen) && seen?.versionCode !== undefined)?.versionCode;
  const clockMs = agreedOffset(sightings, limits.clockMs);
  const faults = sightings.map(
    (seen) => seen && (wrongNetwork(seen, network, code) ?? wrongClock(seen, clockMs, limits.clockMs)),
  );
  const best = Math.max(0, ...sightings.map((seen, i) => (faults[i] ? 0 : (seen?.cutHeight ?? 0))));
  return sightings.map((seen, i) => faults[i] ?? (seen && behind(seen, best, limits)));
}

function wrongNetwork(seen: Sighting, network: string, code: number | undefined): Distrust | undefined {
  const oneNetwork = 'name only nodes of one network';
  if (network !== '' && seen.network !== network) {
    const reason = `it is a node of ${seen.network}, and this bridge mines ${network}: ${oneNetwork}`;
    return { kind: 'network', reason };
  }
  if (seen.versionCode === undefined || seen.versionCode === code) return undefined;
  const reason = `its works have the version code ${seen.versionCode}, and those of the first node ${code}: ${oneNetwork}`;
  return { kind: 'network', reason };
}

function wrongClock(seen: Sighting, agreedMs: number | undefined, limitMs: number): Distrust | undefined {
  if (seen.clockOffsetMs === undefined || agreedMs === undefined) return undefined;
  const aheadMs = seen.clockOffsetMs - agreedMs;
  if (Math.abs(aheadMs) <= limitMs) return undefined;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const where = aheadMs > 0 ? 'ahead of' : 'behind';
  return {
    kind: 'clock',
    reason: `its clock is ${seconds} s ${where} the other nodes': set it right with NTP`,
  };
}

function behind(
  { cutHeight, stillMs = 0, chains = Number.POSITIVE_INFINITY }: Sighting,
  best: number,
  limits: StandingLimits,
): Distrust | undefined {
  const lag = cutHeight === undefined ? 0 : best - cutHeight;
  if (lag >= chains && stillMs >= limits.stillMs) {
    const seconds = Math.round(stillMs / 1000);
    const reason = `it has had no block for ${seconds} s, and the best node has ${lag} more: it stands still`;
    return { kind: 'behind', reason };
  }
  if (lag <= limits.lagBlocks) return undefined;
  return {
    kind: 'behind',
    reason: `it is ${lag} blocks behind the best node: it catches up, or is on a fork`,
  };
}

function agreedOffset(sightings: readonly (Sighting | undefined)[], limitMs: number): number | undefined {
  const offsets = sightings.map((seen) => seen?.clockOffsetMs).filter((offset) => offset !== undefined);
  const votes = (offset: number): number => offsets.filter((o) => Math.abs(o - offset) <= limitMs).length;
  return offsets.reduce<number | undefined>(
    (best, offset) => (best === undefined || votes(offset) > votes(best) ? offset : best),
    undefined,
  );
}
