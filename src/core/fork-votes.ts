/**
 * What headers say of forks: bytes 0 to 7, little endian, are a fork number (bits 0 to 31) and votes (32 to 63). A vote counts
 * on from that of the parent, so only works of one parent can be compared: those of nodes that would vote alike are the same.
 */
import { toHex } from './bytes.js';
import type { Work } from './work.js';

/** @param nodes works of each node. `undefined` where no two nodes have a work of the same place. */
export function forksDiffer(
  nodes: readonly (readonly Pick<Work, 'chainId' | 'fields'>[])[],
): boolean | undefined {
  const seen = new Map<string, bigint>();
  let isCompared = false;
  for (const works of nodes) {
    // A node is not compared with itself: its votes may have been set anew between two works.
    const own = new Map(
      works.map(({ chainId, fields }) => [`${chainId} ${toHex(fields.parent)}`, fields.flags]),
    );
    for (const [place, flags] of own) {
      const other = seen.get(place);
      if (other === undefined) seen.set(place, flags);
      else if (other !== flags) return true;
      else isCompared = true;
    }
  }
  return isCompared ? false : undefined;
}
