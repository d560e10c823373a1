/**
 * Payloads: what a block carries besides its header. What comes out of the transactions follows from the block's place
 * alone, so that every node can check it. Contracts are not executed: a transaction's output says that it was included.
 */
import { toBase64Url } from '../core/bytes.js';
import { payloadHashesOf } from '../core/payload-hash.js';
import { requestKeyOf } from './request-key.js';

/** Who is credited for a block; the keys' order matters for the payload hash. */
export interface Miner {
  readonly account: string;
  readonly predicate: string;
  readonly 'public-keys': readonly string[];
}

/** In the form it is served; every text is unpadded Base64Url. */
export interface Payload {
  readonly transactions: readonly string[];
  readonly outputs: readonly string[];
  readonly minerData: string;
  readonly coinbase: string;
  readonly transactionsHash: string;
  readonly outputsHash: string;
  readonly payloadHash: string;
}

export interface PayloadPlace {
  /** 32 bytes. */
  readonly parent: Uint8Array;
  readonly height: number;
  readonly miner: Miner;
  /** Each one's JSON text. */
  readonly transactions: readonly string[];
  /** What the coinbase credits to the miner, a decimal. */
  readonly reward: string;
}

/** Most transactions of one block; bounds payloads and spaces the transaction ids. */
export const MAX_TRANSACTIONS = 1000;
export const BLOCK_REWARD = '2.304523';

export function makePayload(place: PayloadPlace): Payload {
  const firstId = place.height * (MAX_TRANSACTIONS + 1);
  return payloadFrom({
    minerData: bytesOf(minerDataOf(place.miner)),
    coinbase: bytesOf(coinbaseOutput(place, firstId)),
    transactions: place.transactions.map(bytesOf),
    outputs: place.transactions.map((text, i) => bytesOf(transactionOutput(text, firstId + 1 + i))),
  });
}

export function minerDataOf(miner: Miner): string {
  const { account, predicate, 'public-keys': publicKeys } = miner;
  return JSON.stringify({ account, predicate, 'public-keys': publicKeys });
}

/**
 * The payload that its transactions and miner must have at this place, for comparison with one that a peer sent.
 * `undefined` when minerData or a transaction does not read as JSON.
 */
export function remakePayload(
  payload: Pick<Payload, 'minerData' | 'transactions'>,
  parent: Uint8Array,
  height: number,
): Payload | undefined {
  const miner = parseMiner(textOf(payload.minerData));
  const transactions = payload.transactions.map(textOf);
  if (miner === undefined || transactions.length > MAX_TRANSACTIONS) return undefined;
  if (transactions.some((text) => requestKeyOf(text) === undefined)) return undefined;
  return makePayload({ parent, height, miner, transactions, reward: BLOCK_REWARD });
}

function parseMiner(text: string): Miner | undefined {
  try {
    const { account, predicate, 'public-keys': keys } = (JSON.parse(text) ?? {}) as Partial<Miner>;
    const fits = typeof account === 'string' && typeof predicate === 'string' && Array.isArray(keys);
    return fits ? { account, predicate, 'public-keys': keys } : undefined;
  } catch {
    return undefined;
  }
}

function payloadFrom(parts: Parameters<typeof payloadHashesOf>[0]): Payload {
  const hashes = payloadHashesOf(parts);
  return {
    transactions: parts.transactions.map(toBase64Url),
    outputs: parts.outputs.map(toBase64Url),
    minerData: toBase64Url(parts.minerData),
    coinbase: toBase64Url(parts.coinbase),
    transactionsHash: toBase64Url(hashes.transactionsHash),
    outputsHash: toBase64Url(hashes.outputsHash),
    payloadHash: toBase64Url(hashes.payloadHash),
  };
}

/** Credits the miner. It names the parent, so even empty payloads differ from block to block. */
function coinbaseOutput(place: PayloadPlace, txId: number): string {
  const reqKey = toBase64Url(bytesOf(JSON.stringify(toBase64Url(place.parent))));
  const account = JSON.stringify(place.miner.account);
  const transfer = `{"params":["",${account},${place.reward}],"name":"TRANSFER","module":{"namespace":null,"name":"coin"}}`;
  return (
    `{"gas":0,"result":{"status":"success","data":"Write succeeded"},"reqKey":"${reqKey}","logs":null,` +
    `"events":[${transfer}],"metaData":null,"continuation":null,"txId":${txId}}`
  );
}

function transactionOutput(text: string, txId: number): string {
  return JSON.stringify({
    gas: 0,
    result: { status: 'success', data: 'Transaction included' },
    reqKey: requestKeyOf(text) ?? null,
    logs: null,
    metaData: null,
    continuation: null,
    txId,
  });
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'utf8'));
}

function textOf(base64Url: string): string {
  return Buffer.from(base64Url, 'base64url').toString('utf8');
}
