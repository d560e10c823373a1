/** What one node says of a block, and what several together make of it. Pure but for the questions. */
import type { ChainReader, SeenHeader } from '../../bridge/ports.js';
import { bytesEqual, toHex } from '../../core/bytes/bytes.js';
import { decodeHeader } from '../../core/work/header.js';
import type { BlockSight, FollowedBlock } from './blocks.js';

/** What a node says: the block is on its chain (that many blocks to the tip), off it, or nothing can be said yet. */
export type NodeWord =
  | { readonly says: 'on'; readonly depth: number; readonly tipHeight: number }
  | { readonly says: 'off'; readonly depth: number; readonly tipHeight: number; readonly known: boolean }
  | { readonly says: 'nothing' };

/** The hash that the node gives the block is not the one that its header has: one of the two is wrong about the chain. */
export class HashMismatchError extends Error {
  override readonly name = 'HashMismatchError';
  readonly code = 'hash-mismatch';
}

/** Headers of one listing: enough to see a tip grow between two looks. */
const LISTED_HEADERS = 360;

/** Asks a node. The tip is the heaviest header that it lists at or above what was seen before. */
export async function askNode(chain: ChainReader, node: string, block: FollowedBlock): Promise<NodeWord> {
  const from = Math.max(block.height, block.tipHeight);
  const tip = (await tipFrom(chain, node, block, from)) ?? (await tipFrom(chain, node, block, block.height));
  if (!tip) return { says: 'nothing' };
  const { height: tipHeight } = tip;
  const depth = tipHeight - block.height + 1;
  const ancestors = await chain.ancestorsAt(node, block.chainId, block.height, tip.hash);
  if (ancestors.length === 0) return { says: 'nothing' };
  if (ancestors.some((hash) => bytesEqual(hash, block.hash))) return { says: 'on', depth, tipHeight };
  return { says: 'off', depth, tipHeight, known: await knows(chain, node, block) };
}

async function tipFrom(
  chain: ChainReader,
  node: string,
  block: FollowedBlock,
  min: number,
): Promise<SeenHeader | undefined> {
  const heights = { min, max: min + LISTED_HEADERS };
  const headers = await chain.listHeaders(node, block.chainId, heights, LISTED_HEADERS);
  return headers.reduce<SeenHeader | undefined>(
    (tip, header) => (tip && tip.weight >= header.weight ? tip : header),
    undefined,
  );
}

async function knows(chain: ChainReader, node: string, block: FollowedBlock): Promise<boolean> {
  const heights = { min: block.height, max: block.height };
  const headers = await chain.listHeaders(node, block.chainId, heights, LISTED_HEADERS);
  return headers.some((header) => isBlock(header, block));
}

/** Whether this is the solution's block: same chain, parent, nonce and creation time. Throws {@link HashMismatchError}. */
export function isBlock(header: SeenHeader, block: Pick<FollowedBlock, 'header' | 'hash'>): boolean {
  const { chainId, parent, nonce, creationTime } = decodeHeader(block.header);
  if (header.chainId !== chainId || header.nonce !== nonce || header.creationTime !== creationTime)
    return false;
  if (!bytesEqual(header.parent, parent)) return false;
  if (bytesEqual(header.hash, block.hash)) return true;
  throw new HashMismatchError(
    `the node names the block ${toHex(header.hash)}, its header hashes to ${toHex(block.hash)}`,
  );
}

interface SightRules {
  readonly confirmDepth: number;
  /** Deeper blocks are not looked at again. */
  readonly settleDepth: number;
  /** Nodes there are, whether they can be asked now or not. */
  readonly nodes: number;
  /** Whether a block of which nobody says anything may still turn up. */
  readonly patience: boolean;
}

/**
 * - on the chain as soon as one node says so and none says otherwise; confirmed when every node that speaks puts it deep
 *   enough;
 * - off the chain only when every node that speaks says so from deep enough, and with several nodes at least two speak;
 * - nothing said of it for too long: unknown, and not asked for again;
 * - otherwise it stays what it was.
 */
export function judgeWords(block: FollowedBlock, words: readonly NodeWord[], rules: SightRules): BlockSight {
  const on = words.filter((word) => word.says === 'on');
  const off = words.filter((word) => word.says === 'off');
  const tipHeight = Math.max(block.tipHeight, ...[...on, ...off].map((word) => word.tipHeight));
  if (on.length > 0 && off.length === 0) {
    const depth = Math.min(...on.map((word) => word.depth));
    const confirmed = depth >= rules.confirmDepth || block.state === 'confirmed';
    const state = confirmed ? 'confirmed' : 'onChain';
    return { state, depth, tipHeight, settled: depth >= rules.settleDepth, isSeen: true };
  }
  const enough =
    off.length >= Math.min(2, rules.nodes) && off.every((word) => word.depth >= rules.confirmDepth);
  if (on.length === 0 && off.length > 0 && enough) {
    const state = off.some((word) => word.known) ? 'orphaned' : 'unknown';
    const settled = off.every((word) => word.depth >= rules.settleDepth);
    return { state, depth: 0, tipHeight, settled, isSeen: false };
  }
  if (on.length + off.length === 0 && block.state === 'pending' && !rules.patience) {
    return { state: 'unknown', depth: 0, tipHeight, settled: true, isSeen: false };
  }
  const depth = on.length > 0 ? Math.min(...on.map((word) => word.depth)) : 0;
  return { state: block.state, depth, tipHeight, settled: false, isSeen: false };
}
