/**
 * Blocks of chosen chains at a depth, each once, by a follower for each chain. The cut says which heads are new, and nothing is asked for where
 * none is: followers remember headers. What a node does not give is told of and tried again: who follows chains is a service, and outlives nodes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeError } from '../chain/errors.js';
import type { PayloadWithOutputs } from '../chain/models.js';
import type { NodeAddress } from './asking/address.js';
import type { CallPolicy } from './asking/policy.js';
import type { FollowedNode } from './following/asked-node.js';
import { ChainFollower, type Look } from './following/chain-follower.js';
import { followedNode } from './following/followed-node.js';
import { type Link, linkOf } from './following/links.js';
import type { ChainClient } from './parts/chain-client.js';
import type { MaintenanceClient } from './parts/maintenance-client.js';

/** What is asked: a client of one node or of several. */
interface Source {
  readonly address: NodeAddress;
  readonly maintenance: MaintenanceClient;
  chain(chainId: number): ChainClient;
}

export interface FollowOptions {
  /** By default all of the network, and those that begin later. */
  readonly chains?: readonly number[];
  /** Blocks that a block must have on top. At a reorganisation that reaches below it a chain stands still. */
  readonly depth: number;
  /**
   * Chain -> hash of the last block that the caller has. By default a chain begins above the block that is at the depth when it is first seen,
   * and a younger one, or one that begins later, above its first block.
   */
  readonly after?: Readonly<Record<number, string>>;
  /** Of each question. */
  readonly policy?: CallPolicy;
  /** Ends it without an error. */
  readonly signal?: AbortSignal;
}

export type Followed =
  /** The next block of its chain. */
  | (Link & { readonly kind: 'block'; readonly chainId: number; readonly payload: PayloadWithOutputs })
  /** Its chain does not go on, for a reason that is for people. Told once, until there is another reason or the next block. */
  | { readonly kind: 'still'; readonly chainId: number; readonly why: string };

interface Following extends FollowOptions {
  /** Blocks take work, as on public networks, and come at their pace. */
  readonly isWorked: boolean;
  readonly policy: CallPolicy;
  readonly signal: AbortSignal;
}

interface Head {
  readonly height: number;
  readonly hash: string;
}

const PAUSE_MS = 5_000;
/** On networks for development, where nobody waits half a minute for a block. */
const SHORT_PAUSE_MS = 1_000;
/** Blocks of a chain that are read, payloads included, before it is the turn of the next chain. */
const BLOCKS = 32;

/** Throws RangeError for what cannot be followed, and NodeError for a block in `after` that the node does not know. */
export async function* followChains(
  client: Source,
  options: Following,
): AsyncGenerator<Followed, void, undefined> {
  const { chains, depth, after = {}, isWorked, policy, signal } = options;
  if (!Number.isSafeInteger(depth) || depth < 0)
    throw new RangeError(`depth must be a number of blocks, not ${depth}`);
  const followed = new Map<number, FollowedChain>();
  const add = (ids: readonly number[], isLater: boolean): void => {
    const fresh = ids.filter((id) => !followed.has(id));
    for (const id of fresh) followed.set(id, new FollowedChain(client, id, options, isLater));
  };
  // They stand still if the first cut does not come.
  add(chains ?? client.address.info?.nodeChains?.map(Number) ?? [], false);
  try {
    for (let isFirst = true; !signal.aborted; ) {
      const cut = await tried(client.maintenance.cut(undefined, policy));
      const isAway = cut instanceof NodeError;
      const heads: Readonly<Record<number, Head>> = isAway ? {} : cut.hashes;
      if (!isAway) {
        const ids = Object.keys(heads).map(Number);
        if (isFirst) checkChains(chains ?? Object.keys(after).map(Number), ids);
        if (!chains) add(ids, !isFirst);
        isFirst = false;
      }
      // Before the first block is given: what is wrong with `after` is said at once.
      for (const [id, chain] of followed) await chain.begin(heads[id]);
      let isMore = false;
      for (const [id, chain] of followed) {
        const whyNone = isAway ? cut.message : 'the node has no such chain';
        if (yield* chain.follow(heads[id], whyNone)) isMore = true;
      }
      if (!isMore) await sleep(isWorked ? PAUSE_MS : SHORT_PAUSE_MS, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

class FollowedChain {
  readonly #client: Source;
  readonly #chainId: number;
  readonly #options: Following;
  readonly #isLater: boolean;
  readonly #follower: ChainFollower;
  /** The last block that was given, or why there is none to begin above. */
  #last: Link | string = 'it has not begun';
  /** What was told last, while it stands. */
  #why: string | undefined;

  /** @param isLater it was not there when others were first looked at. */
  constructor(client: Source, chainId: number, options: Following, isLater: boolean) {
    this.#client = client;
    this.#chainId = chainId;
    this.#options = options;
    this.#isLater = isLater;
    this.#follower = new ChainFollower({ ...options, needed: 1 });
  }

  /** Finds the block to begin above, once. Throws {@link NodeError} where the node does not know the one that was named. */
  async begin(head: Head | undefined): Promise<void> {
    if (head && typeof this.#last === 'string') this.#last = await this.#blockBefore(head);
  }

  async #blockBefore(head: Head): Promise<Link | string> {
    const { depth, after = {}, policy } = this.#options;
    const chain = this.#client.chain(this.#chainId);
    const named = after[this.#chainId];
    if (named !== undefined) {
      const header = await tried(chain.encodedHeader(named, 'bytes', policy));
      if (!(header instanceof NodeError)) return linkOf(header);
      if (header.status === 404) throw header;
      return header.message;
    }
    const first = await tried(this.#nodeAt(head).genesis());
    if (first instanceof NodeError) return first.message;
    if (this.#isLater || first.height >= head.height - depth) return first;
    return this.#follower.blockAt(Math.max(0, head.height - depth), [this.#nodeAt(head)]);
  }

  /** What this head brings; returns whether there is more to ask for at once. @param whyNone there is no head. */
  async *follow(head: Head | undefined, whyNone: string): AsyncGenerator<Followed, boolean, undefined> {
    const { depth, signal } = this.#options;
    const chainId = this.#chainId;
    const { blocks, trouble } = head ? await this.#look(head) : still(whyNone);
    for (const { payload, ...block } of blocks) {
      if (!payload) throw new Error(`block ${block.hash} came without its payload`);
      if (signal.aborted) return false;
      this.#last = block;
      this.#why = undefined;
      yield { kind: 'block', chainId, ...block, payload };
    }
    if (trouble !== undefined && trouble !== this.#why) yield { kind: 'still', chainId, why: trouble };
    this.#why = trouble ?? this.#why;
    if (!head || typeof this.#last === 'string') return false;
    return blocks.length > 0 && this.#last.height + depth < head.height;
  }

  async #look(head: Head): Promise<Pick<Look, 'blocks' | 'trouble'>> {
    const last = this.#last;
    if (typeof last === 'string') return still(last);
    // Without the height of the head, which would be another reason with each block.
    if (head.height < last.height)
      return still(`the node is behind block ${last.hash} of height ${last.height}, which was given`);
    return this.#follower.look(last, [this.#nodeAt(head)], BLOCKS);
  }

  #nodeAt(head: Head): FollowedNode {
    const { address } = this.#client;
    const { policy } = this.#options;
    return followedNode(new URL(address.baseUrl).origin, this.#client.chain(this.#chainId), head, policy);
  }
}

function checkChains(named: readonly number[], ids: readonly number[]): void {
  const unknown = named.find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw new RangeError(`the network has no chain ${unknown}: it has ${ids.join(', ')}`);
}

function still(trouble: string): Pick<Look, 'blocks' | 'trouble'> {
  return { blocks: [], trouble };
}

/** How a node fails is a value here. */
async function tried<T>(asked: Promise<T>): Promise<T | NodeError> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NodeError && error.code !== 'aborted') return error;
    throw error;
  }
}
