/** What headers and payloads carry in Base64Url, in forms to work with. */
import { readUintLittleEndian } from '../core/bytes/bytes.js';
import { parseExactJson } from './json.js';
import type { HeaderObject, Payload, PayloadWithOutputs } from './models.js';

/** The numbers of a header. */
export interface HeaderNumbers {
  /** A hash at or below it is a block. */
  readonly target: bigint;
  /** Hashes that it takes on the average: 2^256 / (target + 1). */
  readonly difficulty: bigint;
  /** Difficulties of the block and all its ancestors. */
  readonly weight: bigint;
  readonly nonce: bigint;
  /** Fork number: bits 0 to 31 of the feature flags. */
  readonly forkNumber: number;
  /** Votes for the next fork: bits 32 to 63, a vote of a block counts 1,000. */
  readonly forkVotes: number;
  readonly createdAt: Date;
}

export function numbersOf(header: HeaderObject): HeaderNumbers {
  const [target, weight] = [header.target, header.weight].map((text) => readUintLittleEndian(bytesOf(text)));
  const flags = BigInt(header.featureFlags);
  return {
    target: target ?? 0n,
    difficulty: (1n << 256n) / ((target ?? 0n) + 1n),
    weight: weight ?? 0n,
    nonce: BigInt(header.nonce),
    forkNumber: Number(flags & 0xffff_ffffn),
    forkVotes: Number((flags >> 32n) & 0xffff_ffffn),
    createdAt: new Date(header.creationTime / 1000),
  };
}

/** A transaction as it is in a block: JSON, whose integers beyond 2^53 are texts of their digits. */
export interface Included {
  /** Names it: its `hash`. */
  readonly requestKey: string | undefined;
  /** The signed transaction: `hash`, `sigs`, `cmd`. */
  readonly transaction: unknown;
  /** Its `cmd`, read. */
  readonly command: unknown;
  /** `gas`, `result`, `events` and more; `undefined` in a payload without outputs. */
  readonly output: unknown;
}

/** `undefined` stands for what is no JSON: the first blocks of networks hold such. */
export interface Contents {
  /** Who is paid. */
  readonly miner: unknown;
  /** What he is paid, as the output of a transaction; `undefined` in a payload without outputs. */
  readonly coinbase: unknown;
  readonly transactions: readonly Included[];
}

export function contentsOf(payload: Payload | PayloadWithOutputs): Contents {
  const coinbase = 'coinbase' in payload ? jsonIn(String(payload.coinbase)) : undefined;
  const transactions = payload.transactions.map((entry) => {
    const [transaction = '', output] = [entry].flat();
    return includedOf(jsonIn(transaction), output === undefined ? undefined : jsonIn(output));
  });
  return { miner: jsonIn(payload.minerData), coinbase, transactions };
}

function includedOf(transaction: unknown, output: unknown): Included {
  const { hash, cmd } = Object(transaction) as { hash?: unknown; cmd?: unknown };
  const command = typeof cmd === 'string' ? read(cmd) : undefined;
  return { requestKey: typeof hash === 'string' ? hash : undefined, transaction, command, output };
}

function jsonIn(base64Url: string): unknown {
  return read(Buffer.from(bytesOf(base64Url)).toString('utf8'));
}

function read(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined; // no JSON
  }
}

function bytesOf(base64Url: string): Uint8Array {
  return Buffer.from(base64Url, 'base64url');
}
