/** Blocks as the interface writes them. JSON is put together as text: integers here may be beyond 2^53. */
import { reversed, toBase64Url, toHex } from '../../core/bytes.js';
import { targetToHexBigEndian } from '../../core/target.js';
import { type Block, blockHashBytes } from '../block.js';
import { proofOfWorkHash } from '../header-rules.js';
import type { Payload } from '../payload.js';

export interface HeaderNames {
  readonly network: string;
  /** Key of the network's name: `ledgerVersion`, or what real nodes call it. */
  readonly versionKey: string;
}

/** A header as JSON object, keys in the order of real nodes. */
export function headerJson(block: Block, names: HeaderNames): string {
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
export function headerBytes(block: Block): Uint8Array {
  return Buffer.concat([block.header, blockHashBytes(block.hash)]);
}

export function payloadJson(payload: Payload): string {
  const { transactions, minerData, transactionsHash, outputsHash, payloadHash } = payload;
  return JSON.stringify({ transactions, minerData, transactionsHash, outputsHash, payloadHash });
}

export function payloadWithOutputsJson(payload: Payload): string {
  const { outputs, minerData, transactionsHash, outputsHash, payloadHash, coinbase } = payload;
  const transactions = payload.transactions.map((transaction, i) => [transaction, outputs[i]]);
  return JSON.stringify({ transactions, minerData, transactionsHash, outputsHash, payloadHash, coinbase });
}

/** One event of header/updates. */
export function headerEvent(block: Block, payload: Payload, names: HeaderNames): string {
  return `event:BlockHeader\ndata:{${eventFields(block, payload, names)}}\n\n`;
}

/** One event of block/updates. */
export function blockEvent(block: Block, payload: Payload, names: HeaderNames, eventName: string): string {
  const withOutputs = `"payloadWithOutputs":${payloadWithOutputsJson(payload)}`;
  return `event:${eventName}\ndata:{${eventFields(block, payload, names)},${withOutputs}}\n\n`;
}

function eventFields(block: Block, payload: Payload, names: HeaderNames): string {
  const powHash = toHex(reversed(proofOfWorkHash(block.header)));
  return (
    `"txCount":${payload.transactions.length},"powHash":"${powHash}",` +
    `"header":${headerJson(block, names)},"target":"${targetToHexBigEndian(block.target)}"`
  );
}
