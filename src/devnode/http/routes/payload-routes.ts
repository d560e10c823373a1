/** Interface 4.1: payloads, alone or in batches, with or without outputs. */
import type { z } from 'zod';
import { payloadJson, payloadWithOutputsJson } from '../../../chain/encode.js';
import type { batchModel } from '../../../chain/models.js';
import type { Payload } from '../../mining/payload.js';
import { mostAt, type NodeContext } from '../context.js';
import { BareError, KeyNotFoundError } from '../errors.js';
import type { Asked, Handlers } from '../table.js';

type Writer = (payload: Payload) => string;

export const PAYLOAD_HANDLERS: Handlers<
  'payload' | 'payloads' | 'payloadWithOutputs' | 'payloadsWithOutputs'
> = {
  payload: (context, asked) => one(context, asked, payloadJson),
  payloads: (context, asked) => batch(context, asked, payloadJson),
  payloadWithOutputs: (context, asked) => one(context, asked, payloadWithOutputsJson),
  payloadsWithOutputs: (context, asked) => batch(context, asked, payloadWithOutputsJson),
};

function one(context: NodeContext, { chainId, path }: Asked, write: Writer): string {
  const hash = path['payloadHash'] ?? '';
  const payload = context.chains.store.payload(chainId, hash);
  if (payload?.payloadHash !== hash) throw new KeyNotFoundError(hash);
  return write(payload);
}

/**
 * The payloads found, in the order named. 404 when some were named and none is here. What is named beyond the limit of
 * the port is left out, as on real nodes.
 */
function batch(context: NodeContext, asked: Asked, write: Writer): string {
  const most = mostAt(context.port, asked.endpoint.most);
  if (most === 0) throw new BareError(404, 'payload batch limit is 0', 'json');
  const named = hashesOf(context, asked.body as z.output<typeof batchModel>);
  const hashes = new Set(named.slice(0, most));
  const found = foundOf(context, asked.chainId, hashes, write);
  const [first] = hashes;
  if (!context.dialect.emptyBatches && first !== undefined && found.length === 0) {
    throw new KeyNotFoundError(first, 'no payloads match');
  }
  return `[${found.join()}]`;
}

/** Each payload once, and no more than fit into one answer: whoever asks for the rest gets it. */
function foundOf(
  { chains, settings }: NodeContext,
  chainId: number,
  hashes: ReadonlySet<string>,
  write: Writer,
): readonly string[] {
  const found: string[] = [];
  let room = settings.answerLimit;
  for (const hash of hashes) {
    const payload = chains.store.payload(chainId, hash);
    if (payload?.payloadHash !== hash) continue;
    const text = write(payload);
    room -= text.length;
    if (room < 0 && found.length > 0) break;
    found.push(text);
  }
  return found;
}

function hashesOf({ dialect }: NodeContext, body: z.output<typeof batchModel>): readonly string[] {
  if (Array.isArray(body)) return body;
  const { hashes = [], heights = [] } = body;
  return dialect.pairsHeights ? hashes.slice(0, heights.length) : hashes;
}
