/** Chains as the nodes show them, for the books. */
import type {
  ChainInSight,
  ChainRules,
  ChainsInSight,
  NetworkInSight,
  PassedBlock,
  PayloadOutputs,
  SeeChains,
} from '../bridge/ports.js';
import { NodeError, rootMessage } from '../chain/errors.js';
import type { PayloadWithOutputs } from '../chain/models.js';
import { PARAMETERS } from '../chain/parameters.js';
import { toBase64Url } from '../core/bytes/bytes.js';
import { type Development, isForDevelopment } from '../core/work/development.js';
import type { CallPolicy, NodeClient } from '../node-client/client.js';
import type { FollowedNode } from '../node-client/following/asked-node.js';
import { ChainFollower } from '../node-client/following/chain-follower.js';
import { followedNode } from '../node-client/following/followed-node.js';
import type { PassedBlock as FollowedBlock } from '../node-client/following/payloads.js';

/** Node -> its client, in order of preference; only nodes that can be asked now. */
export type Clients = () => ReadonlyMap<string, NodeClient>;

interface SightOptions {
  readonly clients: Clients;
  /** Nodes there are in all. */
  readonly count: number;
  /** What the operator says of their network. */
  readonly said: Development;
  /** Of each question. */
  readonly timeoutMs?: number;
}

/** One that hangs must not hold up the others for long. */
const TIMEOUT_MS = 5_000;

/** A node's head, as it says. */
interface Cut {
  readonly node: string;
  readonly client: NodeClient;
  readonly hashes: Readonly<Record<string, FollowedNode['head']>>;
}

/** Followers stay from one look to the next, with what they remember. */
export function sightOfChains({ clients, count, said, timeoutMs = TIMEOUT_MS }: SightOptions): SeeChains {
  const followers = new Map<string, ChainFollower>();
  const followerOf = (chainId: number, { depth, nodes }: ChainRules, isWorked: boolean): ChainFollower => {
    const key = `${chainId} ${depth} ${nodes}`;
    const follower = followers.get(key) ?? new ChainFollower({ depth, needed: nodes, isWorked });
    followers.set(key, follower);
    return follower;
  };
  return async (rulesOf, signal) => {
    const policy = { timeoutMs, attempts: 1, signal };
    const { cuts, failures } = await askForCuts(clients(), policy);
    if (cuts.length === 0) return `no node can be asked${failures.map((failure) => `; ${failure}`).join('')}`;
    const name = cuts[0]?.client.address.network ?? '';
    const network: NetworkInSight = { name, isForDevelopment: isForDevelopment(name, said), nodes: count };
    const rules = await rulesOf(network);
    const names = cuts.flatMap(({ hashes }) => Object.keys(hashes).filter(PARAMETERS.chain.fits));
    const ids = new Set(names.map(Number));
    const chains = [...ids].map((id): [number, ChainInSight] => {
      const follower = followerOf(id, rules, !network.isForDevelopment);
      const { depth } = rules;
      return [id, chainInSight(follower, nodesOf(cuts, id, policy), { depth, failures })];
    });
    return { network, chains: new Map(chains) } satisfies ChainsInSight;
  };
}

/** Of those that give theirs; of the others why not. */
async function askForCuts(
  clients: ReadonlyMap<string, NodeClient>,
  policy: CallPolicy,
): Promise<{ cuts: Cut[]; failures: string[] }> {
  const cuts: Cut[] = [];
  const failures: string[] = [];
  const ask = async ([node, client]: [string, NodeClient]): Promise<void> => {
    try {
      const { hashes } = await client.maintenance.cut(undefined, policy);
      cuts.push({ node, client, hashes });
    } catch (error) {
      if (!(error instanceof NodeError) || error.code === 'aborted') throw error;
      failures.push(`${node}: ${rootMessage(error)}`);
    }
  };
  await Promise.all([...clients].map(ask));
  return { cuts, failures };
}

function nodesOf(cuts: readonly Cut[], chainId: number, policy: CallPolicy): FollowedNode[] {
  return cuts.flatMap(({ node, client, hashes }) => {
    const head = hashes[chainId];
    return head ? [followedNode(node, client.chain(chainId), head, policy)] : [];
  });
}

function chainInSight(
  follower: ChainFollower,
  nodes: readonly FollowedNode[],
  { depth, failures }: { readonly depth: number; readonly failures: readonly string[] },
): ChainInSight {
  const heights = nodes.map(({ head }) => head.height);
  return {
    heights: [Math.min(...heights), Math.max(...heights)],
    heads: nodes
      .map(({ node, head }) => `${node} ${head.hash}`)
      .sort()
      .join(),
    depth,
    genesis: () => follower.genesis(nodes),
    blockAt: (height) => follower.blockAt(height, nodes),
    above: async (cursor, { most, without }) => {
      const { blocks, behind, trouble } = await follower.look(cursor, nodes, most, without);
      // Those that cannot even be asked for their heads, too.
      const says = trouble && [trouble, ...failures].join('; ');
      return { blocks: blocks.map(passed), behind, trouble: says };
    },
    isUnknown: (cursor) => follower.isUnknown(cursor, nodes),
    ancestorOf: (hash, height) => follower.ancestorOf(hash, height, nodes),
    payload: async (hash, height) => {
      const payloadHash = toBase64Url(hash);
      const payload = (await follower.payloads([{ payloadHash, height }], nodes)).get(payloadHash);
      return payload && outputsOf(payload);
    },
    forkFrom: (taken) => follower.forkFrom(taken, nodes),
  };
}

function passed({ payload, ...block }: FollowedBlock): PassedBlock {
  return { ...block, payload: payload && outputsOf(payload) };
}

function outputsOf({ coinbase, transactions }: PayloadWithOutputs): PayloadOutputs {
  return {
    coinbase: textOf(coinbase),
    transactions: transactions.map(([command, output]) => ({
      command: textOf(command),
      output: textOf(output),
    })),
  };
}

function textOf(base64Url: string): string {
  return Buffer.from(base64Url, 'base64url').toString('utf8');
}
