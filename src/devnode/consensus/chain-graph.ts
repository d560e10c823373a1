/** Which chains refer to each other (protocol notes C.1). */
import { MOST_CHAINS } from '../../core/work/chain-ids.js';

/** For each chain id, in ascending order, the ascending ids of its adjacent chains. */
export interface ChainGraph {
  readonly chains: readonly number[];
  adjacentsOf(chainId: number): readonly number[];
}

export const GRAPH_NAMES = ['singleton', 'pair', 'triangle', 'petersen', 'twenty'] as const;
type GraphName = (typeof GRAPH_NAMES)[number];
/** For each chain the chains that it refers to. */
type Adjacency = readonly (readonly number[])[];
type ChosenGraph = GraphName | Adjacency;

const ADJACENCY: Readonly<Record<GraphName, Adjacency>> = {
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

/** Throws RangeError for a name that is none of {@link GRAPH_NAMES}, and for lists that make no graph. */
export function chainGraph(chosen: ChosenGraph): ChainGraph {
  const rows =
    typeof chosen === 'string' ? named(chosen) : chosen.map((row) => [...row].sort((a, b) => a - b));
  const fault = typeof chosen === 'string' ? undefined : faultIn(rows);
  if (fault !== undefined) throw new RangeError(`graph ${fault}`);
  return { chains: rows.map((_, chainId) => chainId), adjacentsOf: (chainId) => rows[chainId] ?? [] };
}

function named(name: GraphName): Adjacency {
  const rows: Adjacency | undefined = Object.hasOwn(ADJACENCY, name) ? ADJACENCY[name] : undefined;
  if (rows !== undefined) return rows;
  throw new RangeError(`graph must be one of ${GRAPH_NAMES.join(', ')}, or a list of its own, not ${name}`);
}

function faultIn(rows: Adjacency): string | undefined {
  if (rows.length < 1 || rows.length > MOST_CHAINS) {
    return `must have 1 to ${MOST_CHAINS} chains, not ${rows.length}`;
  }
  for (const [id, row] of rows.entries()) {
    const strange = row.find((other, i) => rows[other] === undefined || other === id || other === row[i - 1]);
    if (strange !== undefined) return `names chain ${strange} beside chain ${id}: others of it, each once`;
    const oneWay = row.find((other) => !rows[other]?.includes(id));
    if (oneWay !== undefined) return `names chain ${oneWay} beside chain ${id}, and not the other way round`;
  }
  const reached = new Set([0]);
  for (const id of reached) for (const other of rows[id] ?? []) reached.add(other);
  const apart = rows.findIndex((_, id) => !reached.has(id));
  return apart === -1 ? undefined : `must be in one piece: no way leads from chain 0 to chain ${apart}`;
}
