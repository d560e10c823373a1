/** Cursors, bounds and pages of listings and branches (interface sections 2 and 4.2 to 4.4). */

import type { z } from 'zod';
import { tooManyBounds } from '../../chain/endpoint.js';
import type { boundsModel } from '../../chain/models.js';
import { checkParameter } from '../../chain/parameters.js';
import { fromBase64Url } from '../../core/bytes/bytes.js';
import type { Block, BlockHash } from '../consensus/block.js';
import { type Cursor, listBlocks, listBranch, type Page, type Window } from '../consensus/branches.js';
import { mostAt, type NodeContext } from './context.js';
import { keyNotFound, keyOfNumber, RequestError } from './errors.js';
import { checked } from './params.js';
import type { Asked } from './table.js';

/** What a page lists. */
export type Listed = 'hash' | 'header' | 'block';
export type PageKind = 'listing' | 'branch';

/** A block of the chain by its hash; 404 with the key when there is none, or its text is not as its 32 bytes are written. */
export function blockOf(context: NodeContext, chainId: number, hash: string): Block {
  const block = knownBlock(context, chainId, hash);
  if (block === undefined) throw keyNotFound(hash);
  return block;
}

function knownBlock({ chains }: NodeContext, chainId: number, hash: string): Block | undefined {
  const block = chains.store.block(hash as BlockHash);
  return block?.chainId === chainId && fromBase64Url(hash) ? block : undefined;
}

/** One page; 404 for what is not there, 400 past the bounds. */
export function pageOf(context: NodeContext, asked: Asked, kind: PageKind): Page {
  const most = mostAt(context.port, asked.endpoint.most);
  const { limit = most, next, minheight: min = 0, maxheight: max = Number.MAX_SAFE_INTEGER } = asked.query;
  const window: Window = {
    limit: Math.min(Number(limit), most),
    next: next === undefined ? undefined : readCursor(context, asked.chainId, next),
    minHeight: Number(min),
    maxHeight: Number(max),
  };
  return kind === 'listing' ? listing(context, asked, window) : branch(context, asked, window);
}

function readCursor(context: NodeContext, chainId: number, text: string): Cursor {
  const [form, key = ''] = text.split(/:(.*)/);
  if (/^[0-9]{1,16}$/.test(key))
    throw keyNotFound(keyOfNumber(Number(key)), `next names a height, and blocks are named by hash`);
  const hash = checked(() => checkParameter('hash', 'the key of next', key));
  return { inclusive: form === 'inclusive', block: blockOf(context, chainId, hash) };
}

/** 404 when nothing matches, or when maxheight is above every block. */
function listing(context: NodeContext, { chainId, query }: Asked, window: Window): Page {
  const { emptyPages } = context.dialect;
  // Real nodes give an empty page when the cursor is below minheight.
  const isBehind = window.next !== undefined && window.next.block.height < window.minHeight;
  if (emptyPages && isBehind) return { blocks: [], next: undefined };
  const page = listBlocks(context.chains.store, chainId, window);
  if (emptyPages) return page;
  if (query['maxheight'] !== undefined && !reaches(context, chainId, window.maxHeight)) {
    throw keyNotFound(
      keyOfNumber(window.maxHeight),
      `maxheight ${window.maxHeight} is above every block of the chain`,
    );
  }
  if (page.blocks.length === 0 && page.next === undefined) {
    throw keyNotFound(window.next?.block.hash ?? keyOfNumber(window.minHeight), 'no block matches');
  }
  return page;
}

/** Orphans are listed too, and may be above the head. */
function reaches({ chains: { store } }: NodeContext, chainId: number, height: number): boolean {
  for (const _ of store.ascending(chainId, { height })) return true;
  return false;
}

function branch(context: NodeContext, { chainId, body, endpoint }: Asked, window: Window): Page {
  const bounds = body as z.output<typeof boundsModel>;
  const { bareRefusals, ignoresUnknownLower } = context.dialect;
  const tooMany = tooManyBounds(bounds, mostAt(context.port, endpoint.mostBounds));
  if (tooMany !== undefined && bareRefusals) throw new RequestError(400, JSON.stringify(tooMany), 'bare');
  if (tooMany !== undefined) throw new RequestError(400, tooMany);
  const upper = (bounds.upper ?? []).map((hash) => blockOf(context, chainId, hash));
  const lower = (bounds.lower ?? []).flatMap((hash) =>
    ignoresUnknownLower ? (knownBlock(context, chainId, hash) ?? []) : blockOf(context, chainId, hash),
  );
  return listBranch(context.chains.store, upper, lower, window);
}

/** Characters of the items of one answer, but for the first: whole blocks may be of a megabyte and more each. */
const MOST_TEXT = 16 * 1024 * 1024;

/** The texts of as many items as fit into one answer, at least one; an item may have none. Whoever asks for the rest gets it. */
export function fitting<T>(
  { settings }: NodeContext,
  items: Iterable<T>,
  write: (item: T) => string | undefined,
): string[] {
  const texts: string[] = [];
  let room = settings.answerLimit ?? MOST_TEXT;
  for (const item of items) {
    const text = write(item);
    if (text === undefined) continue;
    room -= text.length;
    if (room < 0 && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}

/** A page as JSON text; `items` are JSON texts. Listings of real nodes end with a cursor, not with null. */
export function pageJson(
  { dialect }: NodeContext,
  page: Page,
  items: readonly string[],
  kind: PageKind,
): string {
  const last = page.blocks.at(-1);
  const end = dialect.listingsEndOpen && kind === 'listing' && last ? `"exclusive:${last.hash}"` : 'null';
  const next = page.next ? `"inclusive:${page.next.hash}"` : end;
  return `{"items":[${items.join()}],"limit":${items.length},"next":${next}}`;
}
