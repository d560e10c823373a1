/** What a peer may answer. Whatever else it says is a {@link PeerError}. */
import { z } from 'zod';
import { fromBase64Url } from '../../core/bytes.js';
import { Block, type BlockHash } from '../consensus/block.js';
import type { Payload } from '../mining/payload.js';

/** A peer did not answer, or not as a node does. */
export class PeerError extends Error {
  override readonly name = 'PeerError';
  readonly code = 'peer';
  /** Of the answer, where there was one that is no success. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface Head {
  readonly hash: BlockHash;
  readonly height: number;
}

/** Where the reading of a peer's pool stopped; the texts are 64-bit integers. */
export interface Mark {
  readonly nonce: string;
  readonly since: string;
}

/** A header with its hash, 20 adjacents at most. */
const MOST_HEADER_TEXT = 2000;
const LEAST_HEADER_BYTES = 210;

const hash = z.string().regex(/^[a-zA-Z0-9_-]{43}$/);
export const cutModel = z.object({
  hashes: z.record(z.string().regex(/^\d{1,2}$/), z.object({ hash, height: z.number().int().nonnegative() })),
});
const branch = z.object({
  items: z.array(z.string().max(MOST_HEADER_TEXT)),
  next: z.string().max(100).nullable(),
});
export const payloadModel = z.object({
  transactions: z.array(z.string()),
  minerData: z.string(),
  transactionsHash: hash,
  outputsHash: hash,
  payloadHash: hash,
});
const payloads = z.array(
  payloadModel.extend({
    transactions: z.array(z.tuple([z.string(), z.string()])),
    coinbase: z.string(),
  }),
);
const pending = z.object({ hashes: z.array(hash) });
const found = z.array(z.object({ contents: z.string().optional() }));

export function readCut(text: string): ReadonlyMap<number, Head> {
  const { hashes } = read(cutModel, text, 'cut');
  return new Map(Object.entries(hashes).map(([id, head]) => [Number(id), head as Head]));
}

export function readBranch(text: string): { blocks: Block[]; next: string | null } {
  const { items, next } = read(branch, text, 'page of headers');
  return { blocks: items.map(readHeader), next };
}

export function readPayloads(text: string): Payload[] {
  return read(payloads, text, 'list of payloads').map(({ transactions, ...rest }) => ({
    ...rest,
    transactions: transactions.map(([transaction]) => transaction),
    outputs: transactions.map(([, output]) => output),
  }));
}

export function readPending(text: string): { keys: string[]; mark: Mark } {
  const { hashes } = read(pending, text, 'list of waiting transactions');
  // Read from the text, since the nonce may be beyond 2^53.
  const [, nonce, since] = /"highwaterMark":\s*\[\s*(-?\d+)\s*,\s*(-?\d+)\s*\]/.exec(text) ?? [];
  if (nonce === undefined || since === undefined) throw new PeerError('a pool without a high-water mark');
  return { keys: hashes, mark: { nonce, since } };
}

/** JSON texts of those transactions that are still there. */
export function readFound(text: string): string[] {
  return read(found, text, 'list of transactions').flatMap(({ contents }) => contents ?? []);
}

function read<T>(type: z.ZodType<T>, text: string, what: string): T {
  const result = type.safeParse(parse(text, what));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new PeerError(`an answer is no ${what}: ${issue?.path.join('.')} ${issue?.message}`);
}

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PeerError(`an answer is no ${what}: it is no JSON`);
  }
}

export function readHeader(text: string): Block {
  const bytes = fromBase64Url(text);
  if (bytes === undefined || bytes.length < LEAST_HEADER_BYTES)
    throw new PeerError('an answer holds what is no header');
  return Block.fromHeader(bytes.slice(0, -32));
}
