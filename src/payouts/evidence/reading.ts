/** Headers and payloads of one chain, read from nodes into the window: each once, from whoever gives it. */
import { NodeError } from '../../chain/errors.js';
import { ForgedError } from '../../chain/verify.js';
import { storable } from '../../core/names/names.js';
import type { CallPolicy, NodeClient } from '../../node-client/client.js';
import { type Link, linkOf } from '../../node-client/following/links.js';
import { inTurns } from '../turns.js';
import { type Payer, readContents } from './contents.js';
import type { BlockPlace, NodeSight } from './sight.js';
import type { Window } from './window.js';

/** What a node has as the head of a chain, or why it has nothing to say. */
export interface NodeHead {
  readonly node: string;
  readonly client: NodeClient | undefined;
  /** As it says. */
  readonly head: BlockPlace | undefined;
  readonly fault: Fault | undefined;
}

export interface Fault {
  readonly standing: Extract<NodeSight['standing'], 'silent' | 'forged' | 'network'>;
  readonly says: string;
}

/** Characters of how one fails. */
const SHOWN = 500;

/** How nodes fail is a value here, but not that the caller ended it. */
export function faultIn(error: unknown): Fault {
  if (error instanceof ForgedError) return { standing: 'forged', says: storable(error.message, SHOWN) };
  if (!(error instanceof NodeError) || error.code === 'aborted') throw error;
  return { standing: error.code === 'forged' ? 'forged' : 'silent', says: storable(error.message, SHOWN) };
}

const PAGE = 360;
/** Payloads of one question: some MB on a full chain, and parsed at once. */
const PAYLOADS = 8;

/**
 * Notes the headers from a head down to what is known, or to a height where nothing is. Throws NodeError and ForgedError.
 *
 * @param lowestFrom the lowest height that is wanted, given that of the head.
 */
export async function readBranch(
  window: Window,
  { chainId, most }: { readonly chainId: number; readonly most: number },
  client: NodeClient,
  head: BlockPlace,
  lowestFrom: (height: number) => number,
  policy: CallPolicy,
): Promise<void> {
  if (window.link(head.hash)) return;
  const branch: Link[] = [];
  let lowest = 0;
  let upper = head.hash;
  for (let limit = Math.min(PAGE, firstPage(window, head, lowestFrom)); ; limit = PAGE) {
    const { items, next } = await client
      .chain(chainId)
      .encodedHeaderBranch({ upper: [upper] }, { limit }, policy);
    for (const link of items.map(linkOf)) {
      if (branch.length === 0) lowest = lowestFrom(link.height);
      if (window.link(link.hash) || link.height < lowest) return window.add(branch);
      branch.push(link);
    }
    const last = branch.at(-1);
    if (!last || last.height <= lowest || next === null || items.length === 0) return window.add(branch);
    if (window.link(last.parent)) return window.add(branch);
    if (branch.length > most)
      throw new ForgedError(`${branch.length} blocks from ${head.hash} on, and no end`);
    upper = last.parent;
  }
}

/** The height is what the node says: it only makes the page fit. */
function firstPage(window: Window, { height }: BlockPlace, lowestFrom: (height: number) => number): number {
  const isBelow = height < (window.base?.height ?? 0);
  return Math.max(2, isBelow ? height - lowestFrom(height) + 1 : height - (window.head?.height ?? 0) + 2);
}

/**
 * Reads what is not read yet of these blocks. Says what is missing: nobody gave it.
 *
 * @param from whom to ask, in this order. @param failed told of each that fails.
 */
export async function readPayloads(
  window: Window,
  chainId: number,
  payer: Payer,
  links: readonly Link[],
  from: readonly { readonly node: string; readonly client: NodeClient }[],
  policy: CallPolicy,
  failed: (node: string, fault: Fault) => void,
): Promise<Link | undefined> {
  const unread = (): Link[] => links.filter(({ hash }) => !window.readBlock(hash));
  for (const { node, client } of from) {
    try {
      const wanted = unread();
      for (let at = 0; at < wanted.length; at += PAYLOADS) {
        const some = wanted.slice(at, at + PAYLOADS);
        const keys = some.map(({ payloadHash, height }) => ({ hash: payloadHash, height }));
        const payloads = await client.chain(chainId).payloadsWithOutputs(keys, policy);
        for (const link of some) {
          const payload = payloads.find(({ payloadHash }) => payloadHash === link.payloadHash);
          if (payload) window.setRead(link, await inTurns(readContents(payer, payload)));
        }
      }
    } catch (error) {
      failed(node, faultIn(error));
    }
    if (unread().length === 0) return undefined;
  }
  return unread()[0];
}
