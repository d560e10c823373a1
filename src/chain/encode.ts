/**
 * Headers, payloads and events as the interface writes them: the other way of `models.ts`. JSON is put together as text,
 * because integers here may be beyond 2^53.
 */
import { reversed, toBase64Url, toHex } from '../core/bytes/bytes.js';
import type { HeaderFields } from '../core/work/header.js';
import { type Target, targetToHexBigEndian } from '../core/work/target.js';

/** A block as a node holds it. */
export interface BlockSource
  extends Omit<HeaderFields, 'parent' | 'payloadHash' | 'weight' | 'versionCode' | 'target'> {
  /** As hashed for proof of work. */
  readonly header: Uint8Array;
  readonly target: Target;
  /** Base64Url, as are the three below. */
  readonly hash: string;
  readonly parent: string;
  readonly payloadHash: string;
  readonly weightText: string;
}

/** A payload whose texts are Base64Url. */
export interface PayloadSource {
  readonly transactions: readonly string[];
  readonly outputs: readonly string[];
  readonly minerData: string;
  readonly coinbase: string;
  readonly transactionsHash: string;
  readonly outputsHash: string;
  readonly payloadHash: string;
}

export interface HeaderNames {
  readonly network: string;
  /** Key of the network's name, by the dialect. */
  readonly versionKey: string;
}

/** A header as JSON object, keys in the order of real nodes. */
export function headerJson(block: BlockSource, names: HeaderNames): string {
  const adjacents = block.adjacents.map(({ chainId, hash }) => `"${chainId}":"${toBase64Url(hash)}"`);
  return (
    `{"nonce":"${block.nonce}","creationTime":${block.creationTime},"parent":"${block.parent}",` +
    `"adjacents":{${adjacents.join()}},"target":"${toBase64Url(block.target)}",` +
    `"payloadHash":"${block.payloadHash}","chainId":${block.chainId},"weight":"${block.weightText}",` +
    `"height":${block.height},"${names.versionKey}":"${names.network}","epochStart":${block.epochStart},` +
    `"featureFlags":${block.flags},"hash":"${block.hash}"}`
  );
}

/** The encoded header: as hashed, and the block hash behind it (318 bytes with three adjacents). */
export function headerBytes(block: BlockSource): Uint8Array {
  return Buffer.concat([block.header, Buffer.from(block.hash, 'base64url')]);
}

export function payloadJson(payload: PayloadSource): string {
  const { transactions, minerData, transactionsHash, outputsHash, payloadHash } = payload;
  return JSON.stringify({ transactions, minerData, transactionsHash, outputsHash, payloadHash });
}

export function payloadWithOutputsJson(payload: PayloadSource): string {
  const { outputs, minerData, transactionsHash, outputsHash, payloadHash, coinbase } = payload;
  const transactions = payload.transactions.map((transaction, i) => [transaction, outputs[i]]);
  return JSON.stringify({ transactions, minerData, transactionsHash, outputsHash, payloadHash, coinbase });
}

/** One event of header/updates. @param powHash 32 bytes, lowest first; so below. */
export function headerEvent(
  block: BlockSource,
  payload: PayloadSource,
  names: HeaderNames,
  powHash: Uint8Array,
): string {
  return `event:BlockHeader\ndata:{${eventFields(block, payload, names, powHash)}}\n\n`;
}

/** One event of block/updates. */
export function blockEvent(
  block: BlockSource,
  payload: PayloadSource,
  names: HeaderNames,
  powHash: Uint8Array,
  eventName: string,
): string {
  const withOutputs = `"payloadWithOutputs":${payloadWithOutputsJson(payload)}`;
  return `event:${eventName}\ndata:{${eventFields(block, payload, names, powHash)},${withOutputs}}\n\n`;
}

function eventFields(
  block: BlockSource,
  payload: PayloadSource,
  names: HeaderNames,
  powHash: Uint8Array,
): string {
  return (
    `"txCount":${payload.transactions.length},"powHash":"${toHex(reversed(powHash))}",` +
    `"header":${headerJson(block, names)},"target":"${targetToHexBigEndian(block.target)}"`
  );
}
