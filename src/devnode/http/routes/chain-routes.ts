/** Interface 4.2 to 4.4: hashes, headers and whole blocks, each as listing and as branch. */

import { headerBytes, headerJson, payloadWithOutputsJson } from '../../../chain/encode.js';
import { BYTES_TYPE, type Encoding, OBJECT_TYPE } from '../../../chain/endpoint.js';
import { toBase64Url } from '../../../core/bytes/bytes.js';
import type { Block } from '../../consensus/block.js';
import type { NodeContext } from '../context.js';
import { blockOf, fitting, type Listed, type PageKind, pageJson, pageOf } from '../paging.js';
import type { Asked, Handler, Handlers } from '../table.js';

const pages =
  (what: Listed, kind: PageKind): Handler =>
  (context, asked) => {
    const page = pageOf(context, asked, kind);
    const items = fitting(context, page.blocks, writerFor(context, asked, what));
    const next = page.blocks[items.length] ?? page.next;
    return pageJson(context, { blocks: page.blocks.slice(0, items.length), next }, items, kind);
  };

export const CHAIN_HANDLERS: Handlers<
  'hashes' | 'hashBranch' | 'headers' | 'headerBranch' | 'blocks' | 'blockBranch' | 'header'
> = {
  hashes: pages('hash', 'listing'),
  hashBranch: pages('hash', 'branch'),
  headers: pages('header', 'listing'),
  headerBranch: pages('header', 'branch'),
  blocks: pages('block', 'listing'),
  blockBranch: pages('block', 'branch'),
  header: (context, { chainId, path, encoding }) => {
    const block = blockOf(context, chainId, path['blockHash'] ?? '');
    return encoding === BYTES_TYPE ? headerBytes(block) : headerText(context, block, encoding);
  },
};

function writerFor(context: NodeContext, { encoding }: Asked, what: Listed): (block: Block) => string {
  if (what === 'hash') return (block) => `"${block.hash}"`;
  if (what === 'header') return (block) => headerText(context, block, encoding);
  return (block) => blockJson(context, block);
}

function headerText(context: NodeContext, block: Block, encoding: Encoding): string {
  if (encoding === OBJECT_TYPE) return headerJson(block, context.names);
  return `"${toBase64Url(headerBytes(block))}"`;
}

/** The payload of a public network's genesis block is not here; it reads null. */
function blockJson(context: NodeContext, block: Block): string {
  const payload = context.chains.store.payload(block.chainId, block.payloadHash);
  const withOutputs = payload ? payloadWithOutputsJson(payload) : 'null';
  return `{"header":${headerJson(block, context.names)},"payloadWithOutputs":${withOutputs}}`;
}
