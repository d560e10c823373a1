/** Interface 4.2 to 4.4: hashes, headers and whole blocks, each as listing and as branch. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toBase64Url } from '../../core/bytes.js';
import type { Block } from '../block.js';
import type { Page } from '../branches.js';
import { CONTENT_TYPES, chooseEncoding, type HeaderEncoding } from './accept.js';
import type { NodeContext } from './context.js';
import { headerBytes, headerJson, payloadWithOutputsJson } from './encode.js';
import { blockOf, branchPage, chainOf, listingPage, pageJson } from './paging.js';
import { checkHash, pathText } from './params.js';

const MOST_HASHES = 4096;
const MOST_BLOCKS = 360;

type Listed = 'hash' | 'header' | 'block';
type Writer = (block: Block) => string;
type PageKind = 'listing' | 'branch';

export function chainRoutes(app: FastifyInstance, context: NodeContext): void {
  const chain = '/chain/:chain';
  const { role, mostHeaders } = context.port;
  /** Most items of a page. */
  const most = { hash: MOST_HASHES, header: mostHeaders, block: MOST_BLOCKS };
  const read = { listing: listingPage, branch: branchPage };
  const answer = (request: FastifyRequest, reply: FastifyReply, kind: PageKind, what: Listed): unknown => {
    const { write, type } = writerFor(context, request, what);
    const { page, items } = shortened(context, read[kind](context, request, most[what]), write);
    reply.header('content-type', type);
    return reply.send(pageJson(context, page, items, kind));
  };
  const served: readonly Listed[] = role === 'peer' ? ['header'] : ['hash', 'header', 'block'];
  for (const what of served) {
    app.get(`${chain}/${what}`, async (request, reply) => answer(request, reply, 'listing', what));
    app.post(`${chain}/${what}/branch`, async (request, reply) => answer(request, reply, 'branch', what));
  }
  app.get(`${chain}/header/:hash`, async (request, reply) => oneHeader(context, request, reply));
}

/** As many items as an answer may hold, at least one, and the page that they are. */
function shortened(
  { settings }: NodeContext,
  page: Page,
  write: Writer,
): { page: Page; items: readonly string[] } {
  const items: string[] = [];
  let room = settings.answerLimit;
  for (const block of page.blocks) {
    const item = write(block);
    room -= item.length;
    if (room < 0 && items.length > 0)
      return { page: { blocks: page.blocks.slice(0, items.length), next: block }, items };
    items.push(item);
  }
  return { page, items };
}

function writerFor(
  context: NodeContext,
  request: FastifyRequest,
  what: Listed,
): { write: Writer; type: string } {
  const { accept } = request.headers;
  if (what === 'hash') return { write: (block) => `"${block.hash}"`, type: CONTENT_TYPES.text };
  if (what === 'header') {
    const encoding = chooseEncoding(accept, ['text', 'object']);
    return { write: (block) => headerText(context, block, encoding), type: CONTENT_TYPES[encoding] };
  }
  const encoding = chooseEncoding(accept, ['text', 'object']);
  return { write: (block) => blockJson(context, block), type: CONTENT_TYPES[encoding] };
}

function oneHeader(context: NodeContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const encoding = chooseEncoding(request.headers.accept, ['text', 'object', 'bytes']);
  const chainId = chainOf(context, request);
  const block = blockOf(context, chainId, checkHash(pathText(request, 'hash'), 'blockHash'));
  reply.header('content-type', CONTENT_TYPES[encoding]);
  const body = encoding === 'bytes' ? headerBytes(block) : headerText(context, block, encoding);
  return reply.send(Buffer.from(body));
}

function headerText(context: NodeContext, block: Block, encoding: HeaderEncoding): string {
  if (encoding === 'object') return headerJson(block, context.names);
  return `"${toBase64Url(headerBytes(block))}"`;
}

/** The payload of a public network's genesis block is not here; it reads null. */
function blockJson(context: NodeContext, block: Block): string {
  const payload = context.chains.store.payload(block.chainId, block.payloadHash);
  const withOutputs = payload ? payloadWithOutputsJson(payload) : 'null';
  return `{"header":${headerJson(block, context.names)},"payloadWithOutputs":${withOutputs}}`;
}
