/** Payloads: what a block carries besides its header. */
import type { PayloadSource } from '../../chain/encode.js';
import { requestKeyOf } from '../../chain/request-key.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import { payloadHashesOf } from '../../core/bytes/payload-hash.js';
import type { Coinbase } from '../coin/coinbase.js';
import type { Included } from '../coin/grants.js';
import { outputJson } from '../coin/result.js';

/** Who is credited for a block; the keys' order matters for the payload hash. */
export interface Miner {
  readonly account: string;
  readonly predicate: string;
  readonly 'public-keys': readonly string[];
}

/** Of the `k:` account of a key. */
export function minerOf(publicKey: string): Miner {
  return { account: `k:${publicKey}`, predicate: 'keys-all', 'public-keys': [publicKey] };
}

/** In the form it is served. */
export type Payload = PayloadSource;

interface PayloadPlace {
  /** 32 bytes. */
  readonly parent: Uint8Array;
  readonly height: number;
  readonly miner: Miner;
  readonly transactions: readonly Included[];
  /** `undefined`: there is none. */
  readonly coinbase: Coinbase | undefined;
}

/** Most transactions of one block; bounds payloads and spaces the transaction ids. */
export const MAX_TRANSACTIONS = 1000;

export function makePayload(place: PayloadPlace): Payload {
  return payloadFrom({
    minerData: bytesOf(minerDataOf(place.miner)),
    coinbase: bytesOf(coinbaseOutput(place)),
    transactions: place.transactions.map(({ text }) => bytesOf(text)),
    outputs: place.transactions.map(({ output }) => bytesOf(output)),
  });
}

export function minerDataOf(miner: Miner): string {
  const { account, predicate, 'public-keys': publicKeys } = miner;
  return JSON.stringify({ account, predicate, 'public-keys': publicKeys });
}

/** Id of what a block writes: of its coinbase, and of its transactions from 1 on. */
export function txIdOf(height: number, index = 0): number {
  return height * (MAX_TRANSACTIONS + 1) + index;
}

/** `undefined` for what is none. */
export function parseMiner(text: string): Miner | undefined {
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
function coinbaseOutput({ parent, coinbase, height }: PayloadPlace): string {
  if (coinbase === undefined) return NO_COINBASE;
  return outputJson({
    // The text of the hash, not its bytes.
    requestKey: toBase64Url(bytesOf(toBase64Url(parent))),
    gas: 0,
    result: { data: coinbase.data },
    events: coinbase.events,
    txId: txIdOf(height),
    hasLogs: true,
  });
}

const NO_COINBASE = outputJson({
  requestKey: requestKeyOf(''),
  gas: 0,
  result: { data: 'NO_COINBASE' },
  events: [],
  txId: undefined,
  hasLogs: false,
});

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'utf8'));
}

export function textOf(base64Url: string): string {
  return Buffer.from(base64Url, 'base64url').toString('utf8');
}
