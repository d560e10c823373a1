/** Which chains refer to each other (protocol notes C.1). */

/** For each chain id, in ascending order, the ascending ids of its adjacent chains. */
export interface ChainGraph {
  readonly name: GraphName;
  readonly chains: readonly number[];
  adjacentsOf(chainId: number): readonly number[];
}

export const GRAPH_NAMES = ['singleton', 'pair', 'triangle', 'petersen', 'twenty'] as const;
export type GraphName = (typeof GRAPH_NAMES)[number];

const ADJACENCY: Readonly<Record<GraphName, readonly (readonly number[])[]>> = {
  singleton: [[]],
  pair: [[1], [0]],
  triangle: [
    [1, 2],
    [0, 2],
    [0, 1],
  ],
  petersen: [
    [2, 3, 5],
    [3, 4, 6],
    [0, 4, 7],
    [0, 1, 8],
    [1, 2, 9],
    [0, 6, 9],
    [1, 5, 7],
    [2, 6, 8],
    [3, 7, 9],
    [4, 5, 8],
  ],
  twenty: [
    [5, 10, 15],
    [6, 11, 16],
    [7, 12, 17],
    [8, 13, 18],
    [9, 14, 19],
    [0, 7, 8],
    [1, 8, 9],
    [2, 5, 9],
    [3, 5, 6],
    [4, 6, 7],
    [0, 11, 19],
    [1, 10, 12],
    [2, 11, 13],
    [3, 12, 14],
    [4, 13, 15],
    [0, 14, 16],
    [1, 15, 17],
    [2, 16, 18],
    [3, 17, 19],
    [4, 10, 18],
  ],
};

/** Throws RangeError for a name that is none of {@link GRAPH_NAMES}. */
export function chainGraph(name: GraphName): ChainGraph {
  const rows: (typeof ADJACENCY)[GraphName] | undefined = ADJACENCY[name];
  if (rows === undefined) throw new RangeError(`graph must be one of ${GRAPH_NAMES.join(', ')}, not ${name}`);
  return { name, chains: rows.map((_, chainId) => chainId), adjacentsOf: (chainId) => rows[chainId] ?? [] };
}
