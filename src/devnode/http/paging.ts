/** Chains, cursors, bounds and pages of listings and branches (interface sections 2 and 4.2 to 4.4). */
import type { FastifyRequest } from 'fastify';
import { toBase64Url, writeUintLittleEndian } from '../../core/bytes.js';
import type { Block, BlockHash } from '../block.js';
import { type Cursor, listBlocks, listBranch, type Page, type Window } from '../branches.js';
import { chainsOf, genesisHeightOf } from '../networks.js';
import type { NodeContext } from './context.js';
import { BareError, KeyNotFoundError, RequestError } from './errors.js';
import {
  checkHash,
  isCanonical,
  jsonBody,
  objectOf,
  pathText,
  queryNumber,
  queryText,
  quoted,
} from './params.js';

const GREATEST_CHAIN = 19;

/** The chain named in the path; 400 for what can be none, 404 for one that this network does not have. */
export function chainOf(context: NodeContext, request: FastifyRequest): number {
  const text = pathText(request, 'chain');
  const chainId = Number(text);
  if (!/^[0-9]{1,2}$/.test(text) || chainId > GREATEST_CHAIN) {
    throw new RequestError(
      400,
      `chain must be a whole number from 0 to ${GREATEST_CHAIN}, not ${quoted(text)}`,
    );
  }
  const { network } = context.chains;
  if (!chainsOf(network).includes(chainId)) {
    const key = (request.params as { hash?: string }).hash ?? keyOfNumber(chainId);
    throw new KeyNotFoundError(key, `chain ${chainId} does not exist on ${network.name} with this graph`);
  }
  return chainId;
}

/** A block of the chain by its hash; 404 with the key when there is none. */
export function blockOf(context: NodeContext, chainId: number, hash: string): Block {
  const block = context.chains.block(hash as BlockHash);
  if (block?.chainId !== chainId || !isCanonical(hash)) throw new KeyNotFoundError(hash);
  return block;
}

/** A not-found body has a key of 43 characters, also where what was asked for is a number: its 32 bytes, lowest first. */
function keyOfNumber(number: number): string {
  return toBase64Url(writeUintLittleEndian(BigInt(number), 32));
}

function windowOf(context: NodeContext, request: FastifyRequest, chainId: number, most: number): Window {
  const cursor = queryText(request, 'next');
  return {
    limit: Math.min(queryNumber(request, 'limit') ?? most, most),
    next: cursor === undefined ? undefined : readCursor(context, chainId, cursor),
    minHeight: queryNumber(request, 'minheight') ?? 0,
    maxHeight: queryNumber(request, 'maxheight') ?? Number.MAX_SAFE_INTEGER,
  };
}

function readCursor(context: NodeContext, chainId: number, text: string): Cursor {
  const [, form, hash] = /^(inclusive|exclusive):(.*)$/.exec(text) ?? [];
  if (form === undefined) {
    throw new RequestError(400, `next must be inclusive:<hash> or exclusive:<hash>, not ${quoted(text)}`);
  }
  return {
    inclusive: form === 'inclusive',
    block: blockOf(context, chainId, checkHash(hash, 'the hash in next')),
  };
}

/** One page of a listing; 404 when nothing matches, or when maxheight is above every block. */
export function listingPage(context: NodeContext, request: FastifyRequest, most: number): Page {
  const chainId = chainOf(context, request);
  const window = windowOf(context, request, chainId, most);
  if (context.settings.profile === 'chainweb' && isBehind(window)) return { blocks: [], next: undefined };
  const page = listBlocks(context.chains.store, chainId, window);
  if (context.settings.profile === 'chainweb') return page;
  const head = context.chains.head(chainId)?.height ?? genesisHeightOf(context.chains.network, chainId) ?? 0;
  if (queryText(request, 'maxheight') !== undefined && window.maxHeight > head) {
    throw new KeyNotFoundError(
      keyOfNumber(window.maxHeight),
      `maxheight ${window.maxHeight} is above the chain's head ${head}`,
    );
  }
  if (page.blocks.length === 0 && page.next === undefined) {
    throw new KeyNotFoundError(window.next?.block.hash ?? keyOfNumber(window.minHeight), 'no block matches');
  }
  return page;
}

/** Real nodes give an empty page when the cursor is below minheight. */
function isBehind({ next, minHeight }: Window): boolean {
  return next !== undefined && next.block.height < minHeight;
}

/** One page of a branch; 400 past the bounds, 404 for a bound that is not there. */
export function branchPage(context: NodeContext, request: FastifyRequest, most: number): Page {
  const chainId = chainOf(context, request);
  const window = windowOf(context, request, chainId, most);
  const body = objectOf(jsonBody(request), 'the body');
  const upper = readBounds(context, body['upper'], 'upper').map((hash) => blockOf(context, chainId, hash));
  const lower = readBounds(context, body['lower'], 'lower').flatMap((hash) =>
    lowerBound(context, chainId, hash),
  );
  return listBranch(context.chains.store, upper, lower, window);
}

function readBounds({ port, settings }: NodeContext, value: unknown, name: string): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new RequestError(400, `${name} must be a list of block hashes`);
  if (value.length > port.mostBounds) {
    const text = `branch bounds exceeded: ${value.length} ${name} bounds, at most ${port.mostBounds}`;
    throw settings.profile === 'chainweb' ? new BareError(400, text, 'json') : new RequestError(400, text);
  }
  return value.map((hash, i) => checkHash(hash, `${name}[${i}]`));
}

/** Real nodes leave out lower bounds that they do not know. */
function lowerBound(context: NodeContext, chainId: number, hash: string): Block[] {
  const block = context.chains.block(hash as BlockHash);
  if (block?.chainId === chainId && isCanonical(hash)) return [block];
  if (context.settings.profile === 'chainweb') return [];
  throw new KeyNotFoundError(hash);
}

/** A page as JSON text; `items` are JSON texts. Listings of real nodes end with a cursor, not with null. */
export function pageJson(
  context: NodeContext,
  page: Page,
  items: readonly string[],
  kind: 'listing' | 'branch',
): Buffer {
  const last = page.blocks.at(-1);
  const endsOpen = context.settings.profile === 'chainweb' && kind === 'listing';
  const end = endsOpen && last ? `"exclusive:${last.hash}"` : 'null';
  const next = page.next ? `"inclusive:${page.next.hash}"` : end;
  return Buffer.from(`{"items":[${items.join()}],"limit":${items.length},"next":${next}}`);
}
