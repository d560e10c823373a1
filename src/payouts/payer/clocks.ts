/** Our clock and those of nodes. One that is wrong moves no state, and says that something here is not as it should be. */
import type { Pause } from '../../bridge/payouts/payer-books.js';
import type { NodeClock } from '../evidence/eyes.js';

const TOLERATED_S = 60;

/**
 * Pure. Of two clocks nobody knows which is right: ours is doubted where half of the nodes have another time. Those that are silent for a
 * while take no side.
 *
 * @param nodes how many there are.
 */
export function clocksDiffer(clocks: readonly NodeClock[], nodes: number): Pause | undefined {
  const others = clocks.filter(({ skewS }) => Math.abs(skewS) > TOLERATED_S);
  if (2 * others.length < nodes || others.length === 0) return undefined;
  const skews = clocks.map(({ skewS }) => skewS);
  const areOne = Math.max(...skews) - Math.min(...skews) <= TOLERATED_S;
  const says = areOne ? oursDiffers(clocks) : theyDiffer(clocks);
  return { kind: 'nodes-clock', says, evidence: { clocks } };
}

function oursDiffers(clocks: readonly NodeClock[]): string {
  const [first] = clocks;
  const names = clocks.map(({ node }) => node).join(', ');
  const skewS = first?.skewS ?? 0;
  const who =
    clocks.length === 1 ? `that of node ${names}` : `those of all nodes that tell theirs (${names})`;
  const how = `${Math.abs(skewS)} s ${skewS > 0 ? 'ahead of' : 'behind'} ${who}`;
  return `the clock of this machine is ${how}: here it is ${timeOf(first?.ownMs)}, and there ${timeOf(first?.atMs)}`;
}

function theyDiffer(clocks: readonly NodeClock[]): string {
  const told = clocks.map(({ node, atMs }) => `${node} says ${timeOf(atMs)}`).join(', ');
  return `nodes differ on the time by more than a minute: ${told}, and this machine says ${timeOf(clocks[0]?.ownMs)}`;
}

const timeOf = (ms = 0): string => new Date(ms).toISOString();
