/** Interface 4.1: payloads, alone or in batches, with or without outputs. */
import type { z } from 'zod';
import { payloadJson, payloadWithOutputsJson } from '../../../chain/encode.js';
import type { batchModel } from '../../../chain/models.js';
import type { Payload } from '../../mining/payload.js';
import { mostAt, type NodeContext } from '../context.js';
import { keyNotFound, RequestError } from '../errors.js';
import { fitting } from '../paging.js';
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
  const text = textOf(context, chainId, hash, write);
  if (text === undefined) throw keyNotFound(hash);
  return text;
}

/** `undefined` for what is not here, or its hash not as its 32 bytes are written. */
function textOf({ chains }: NodeContext, chainId: number, hash: string, write: Writer): string | undefined {
  const payload = chains.store.payload(chainId, hash);
  return payload?.payloadHash === hash ? write(payload) : undefined;
}

/**
 * The payloads found, each once, in the order named. 404 when some were named and none is here. What is named beyond the limit of
 * the port is left out, as on real nodes.
 */
function batch(context: NodeContext, asked: Asked, write: Writer): string {
  const most = mostAt(context.port, asked.endpoint.most);
  if (most === 0) throw new RequestError(404, '"payload batch limit is 0"', 'bare');
  const named = hashesOf(context, asked.body as z.output<typeof batchModel>);
  const hashes = new Set(named.slice(0, most));
  const found = fitting(context, hashes, (hash) => textOf(context, asked.chainId, hash, write));
  const [first] = hashes;
  if (!context.dialect.emptyBatches && first !== undefined && found.length === 0) {
    throw keyNotFound(first, 'no payloads match');
  }
  return `[${found.join()}]`;
}

function hashesOf({ dialect }: NodeContext, body: z.output<typeof batchModel>): readonly string[] {
  if (Array.isArray(body)) return body;
  const { hashes = [], heights = [] } = body;
  return dialect.pairsHeights ? hashes.slice(0, heights.length) : hashes;
}
