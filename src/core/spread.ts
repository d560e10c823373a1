/**
 * Who works on which chain: members (rigs) with weights (hash rates) over chains, balanced, sticky, with few moves.
 *
 * All chains pay alike, so balance is not about money: it keeps every chain's share of the hash rate, and so the time
 * between its blocks, as the network means it to be. A move costs a rig one job, so a small imbalance is left alone.
 */

export interface Member {
  /** Not negative; 0 while unknown: such members count as the mean of the known ones. */
  readonly weight: number;
  /** The chain it works on; one that is not among the chains counts as none. */
  readonly chainId: number | undefined;
}

/** Chains whose loads differ by less than this part of the mean load are balanced. */
const TOLERANCE = 0.25;

interface Placed {
  readonly index: number;
  readonly weight: number;
}

interface Load {
  readonly chainId: number;
  /** Lightest first. */
  readonly members: Placed[];
  total: number;
}

/**
 * Members without a chain go to the least loaded one, the heaviest first; the others stay.
 *
 * @returns the chain of each member, in their order; empty when there is no chain.
 */
export function place(members: readonly Member[], chains: readonly number[]): number[] {
  const [only] = chains;
  // Rigs wait for this: where one chain is left nothing is weighed.
  if (only !== undefined && chains.length === 1) return members.map(() => only);
  return chainsOf(placed(members, chains), members.length);
}

/** As {@link place}; then members move from the most to the least loaded chain while that is worth a move. */
export function spread(members: readonly Member[], chains: readonly number[]): number[] {
  const loads = placed(members, chains);
  const mean = loads.reduce((sum, { total }) => sum + total, 0) / loads.length;
  const full = new Set<Load>();
  while (full.size < loads.length - 1) {
    const heaviest = loads.filter((load) => !full.has(load)).reduce(heavier);
    const lightest = loads.reduce((a, b) => (b.total < a.total ? b : a));
    if (!moveOne(heaviest, lightest, mean * TOLERANCE)) full.add(heaviest);
  }
  return chainsOf(loads, members.length);
}

function placed(members: readonly Member[], chains: readonly number[]): Load[] {
  const byId = new Map(
    chains.map((chainId): [number, Load] => [chainId, { chainId, members: [], total: 0 }]),
  );
  const loads = [...byId.values()];
  const unknown = meanOf(members.filter(({ weight }) => weight > 0)) || 1;
  const byWeight = members
    .map(({ weight }, index) => ({ index, weight: weight > 0 ? weight : unknown }))
    .sort((a, b) => a.weight - b.weight || a.index - b.index);
  const homeless: Placed[] = [];
  for (const one of byWeight) {
    const home = byId.get(members[one.index]?.chainId ?? -1);
    if (home) add(home, one, home.members.length);
    else homeless.push(one);
  }
  if (loads.length === 0) return loads;
  for (const one of homeless.reverse()) {
    const lightest = loads.reduce((a, b) => (b.total < a.total ? b : a));
    add(lightest, one, positionOf(lightest.members, one.weight));
  }
  return loads;
}

/** Moves the member that evens the two out best; false when they are close enough, or no member is small enough. */
function moveOne(from: Load, to: Load, tolerance: number): boolean {
  const gap = from.total - to.total;
  if (gap <= tolerance) return false;
  const above = positionOf(from.members, gap / 2);
  const candidates = [from.members[above - 1], from.members[above]].filter((one) => one !== undefined);
  const left = (one: Placed): number => Math.abs(gap - 2 * one.weight);
  const [best] = candidates.sort((a, b) => left(a) - left(b));
  if (!best) return false;
  // A move that leaves most of the gap is not worth it, unless it gives the first member to a chain that has none.
  const fillsEmpty = to.members.length === 0 && from.members.length > 1;
  if (!fillsEmpty && left(best) > gap - tolerance / 2) return false;
  from.members.splice(from.members.indexOf(best), 1);
  from.total -= best.weight;
  add(to, best, positionOf(to.members, best.weight));
  return true;
}

function add(load: Load, one: Placed, position: number): void {
  load.members.splice(position, 0, one);
  load.total += one.weight;
}

/** Where a weight belongs among members, lightest first. */
function positionOf(members: readonly Placed[], weight: number): number {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((members[middle]?.weight ?? 0) <= weight) low = middle + 1;
    else high = middle;
  }
  return low;
}

function heavier(a: Load, b: Load): Load {
  return b.total > a.total ? b : a;
}

function meanOf(members: readonly Member[]): number {
  return members.reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, members.length);
}

function chainsOf(loads: readonly Load[], count: number): number[] {
  const chains = new Array<number>(loads.length > 0 ? count : 0);
  for (const { chainId, members } of loads) for (const { index } of members) chains[index] = chainId;
  return chains;
}
