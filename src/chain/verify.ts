/**
 * Whether what a node answers is what it was asked for: headers and payloads are named by their hashes, so both are hashed
 * again. A node that is wrong, or anybody between it and us, is found out.
 */
import { setImmediate as breath } from 'node:timers/promises';
import { blockHashOf } from '../core/bytes/block-hash.js';
import {
  bytesEqual,
  readUintLittleEndian as readUint,
  reversed,
  toBase64Url,
  toHex,
} from '../core/bytes/bytes.js';
import { treeRoot } from '../core/bytes/hash-tree.js';
import { type PayloadParts, payloadHashesOf } from '../core/bytes/payload-hash.js';
import { isForDevelopment } from '../core/work/development.js';
import { genesisParent } from '../core/work/genesis-parent.js';
import { encodeHeader, type HeaderFields, powHashOf } from '../core/work/header.js';
import { meetsTarget, targetFromBytes, targetToHexBigEndian } from '../core/work/target.js';
import type { EncodedHeader } from './encoded-header.js';
import type { Block, HeaderEvent, HeaderObject, Payload, PayloadWithOutputs } from './models.js';

export interface VerifyOptions {
  /** Whether blocks need work at all. By default not on networks for development, where nodes may go without. */
  readonly proofOfWork?: boolean;
  /** The number by which headers name their network. By default that of the node's first header. */
  readonly versionCode?: number;
}

/** The answer is not what its hash says. */
export class ForgedError extends Error {
  override readonly name = 'ForgedError';
  readonly code = 'forged';
}

/** Hashing a header takes 70 us, and others want the processor in between. */
const HEADERS_AT_ONCE = 8;

export class Verifier {
  /** Whether blocks of its network do. */
  readonly needsWork: boolean;
  readonly #named: string | undefined;
  readonly #askCode: () => Promise<number | undefined>;
  #askedCode: Promise<number | undefined> | undefined;

  /**
   * @param askCode the network's version code as a header of the node has it: header objects do not tell it, and networks
   *   may have any name.
   * @param named how headers call the network, where that is known.
   */
  constructor(
    network: string,
    options: VerifyOptions,
    askCode: () => Promise<number | undefined>,
    named?: string,
  ) {
    this.#named = named;
    this.needsWork = options.proofOfWork ?? !isForDevelopment(network);
    const { versionCode } = options;
    this.#askCode = versionCode === undefined ? askCode : async () => versionCode;
  }

  /** Throws {@link ForgedError}, as all below. */
  async encodedHeaders(headers: readonly EncodedHeader[], chainId: number): Promise<void> {
    for (const [i, header] of headers.entries()) {
      if (i % HEADERS_AT_ONCE === HEADERS_AT_ONCE - 1) await breath();
      this.encodedHeader(header, chainId);
    }
  }

  encodedHeader({ header, hash, fields }: EncodedHeader, chainId: number): void {
    const own = blockHashOf(header);
    if (!bytesEqual(own, hash)) throw wrongHash(toBase64Url(hash), toBase64Url(own));
    this.#checkPlace(header, fields, toBase64Url(hash), chainId);
  }

  async headers(headers: readonly HeaderObject[], chainId: number): Promise<void> {
    for (const [i, header] of headers.entries()) {
      if (i % HEADERS_AT_ONCE === HEADERS_AT_ONCE - 1) await breath();
      await this.header(header, chainId);
    }
  }

  async header(header: HeaderObject, chainId: number): Promise<void> {
    const code = await this.#askCodeOnce();
    if (code === undefined)
      throw new ForgedError(`block ${header.hash} is of a network that the node tells no code of`);
    const fields = fieldsOf(header, code);
    const bytes = encode(fields, header.hash);
    const hash = toBase64Url(blockHashOf(bytes));
    if (hash !== header.hash) throw wrongHash(header.hash, hash);
    if (this.#named !== undefined) compare('ledgerVersion', header.ledgerVersion, this.#named);
    this.#checkPlace(bytes, fields, hash, chainId);
  }

  #askCodeOnce(): Promise<number | undefined> {
    this.#askedCode ??= this.#askCode().catch((error: unknown) => {
      this.#askedCode = undefined;
      throw error;
    });
    return this.#askedCode;
  }

  async blocks(blocks: readonly Block[], chainId: number): Promise<void> {
    for (const block of blocks) {
      await this.block(block, chainId);
      await breath();
    }
  }

  /** @param wanted the hashes that were asked for. */
  payload(payload: Payload, wanted: ReadonlySet<string>): void {
    const { transactionsHash } = payloadHashesOf({
      ...partsOf(payload, payload.transactions),
      ...NO_OUTPUTS,
    });
    compare('transactionsHash', payload.transactionsHash, toBase64Url(transactionsHash));
    checkRoot(payload, wanted);
  }

  payloadWithOutputs(payload: PayloadWithOutputs, wanted: ReadonlySet<string>): void {
    const transactions = payload.transactions.map(([transaction]) => transaction);
    const hashes = payloadHashesOf({
      ...partsOf(payload, transactions),
      coinbase: decoded(payload.coinbase, 'coinbase'),
      outputs: payload.transactions.map(([, output], i) => decoded(output, `output ${i}`)),
    });
    compare('transactionsHash', payload.transactionsHash, toBase64Url(hashes.transactionsHash));
    compare('outputsHash', payload.outputsHash, toBase64Url(hashes.outputsHash));
    checkRoot(payload, wanted);
  }

  async block({ header, payload, payloadWithOutputs }: Whole, chainId: number): Promise<void> {
    await this.header(header, chainId);
    const wanted = new Set([header.payloadHash]);
    if (payload) this.payload(payload, wanted);
    if (payloadWithOutputs) this.payloadWithOutputs(payloadWithOutputs, wanted);
  }

  /** A block as a stream tells of it. */
  async event(event: Whole & Pick<HeaderEvent, 'powHash' | 'target'>): Promise<void> {
    const { header, powHash, target } = event;
    await this.block(event, header.chainId);
    // The code is known: the header was hashed with it.
    const fields = fieldsOf(header, (await this.#askCodeOnce()) ?? 0);
    if (target !== undefined) compare('target', target.toLowerCase(), targetToHexBigEndian(fields.target));
    if (powHash === undefined) return;
    compare('powHash', powHash.toLowerCase(), toHex(reversed(powHashOf(encodeHeader(fields)))));
  }

  #checkPlace(bytes: Uint8Array, fields: HeaderFields, hash: string, chainId: number): void {
    if (fields.chainId !== chainId) {
      throw new ForgedError(`block ${hash} is of chain ${fields.chainId}, not of chain ${chainId}`);
    }
    if (!this.needsWork || isGenesis(fields) || meetsTarget(powHashOf(bytes), fields.target)) return;
    throw new ForgedError(
      `block ${hash} has no proof of work (if its network has none, connect with verify: { proofOfWork: false })`,
    );
  }
}

/** A header, and what may come with it. */
interface Whole {
  readonly header: HeaderObject;
  readonly payload?: Payload | null | undefined;
  readonly payloadWithOutputs?: PayloadWithOutputs | null | undefined;
}

function fieldsOf(header: HeaderObject, versionCode: number): HeaderFields {
  return {
    flags: BigInt(header.featureFlags),
    creationTime: BigInt(header.creationTime),
    parent: decoded(header.parent, 'parent'),
    adjacents: Object.entries(header.adjacents)
      .map(([id, hash]) => ({ chainId: Number(id), hash: decoded(hash, `adjacent ${id}`) }))
      .sort((a, b) => a.chainId - b.chainId),
    target: targetFromBytes(decoded(header.target, 'target')),
    payloadHash: decoded(header.payloadHash, 'payloadHash'),
    chainId: header.chainId,
    weight: readUint(decoded(header.weight, 'weight')),
    height: header.height,
    versionCode,
    epochStart: BigInt(header.epochStart),
    nonce: BigInt(header.nonce),
  };
}

function encode(fields: HeaderFields, hash: string): Uint8Array {
  try {
    return encodeHeader(fields);
  } catch (error) {
    throw new ForgedError(`block ${hash} cannot be: ${(error as Error).message}`, { cause: error });
  }
}

/** The first block of a chain is given, not mined. */
function isGenesis({ weight, parent, versionCode, chainId }: HeaderFields): boolean {
  return weight === 0n && bytesEqual(parent, genesisParent(versionCode, chainId));
}

const NO_OUTPUTS = { coinbase: new Uint8Array(0), outputs: [] } as const;

function partsOf(
  { minerData }: Pick<Payload, 'minerData'>,
  transactions: readonly string[],
): Pick<PayloadParts, 'minerData' | 'transactions'> {
  return {
    minerData: decoded(minerData, 'minerData'),
    transactions: transactions.map((text, i) => decoded(text, `transaction ${i}`)),
  };
}

function checkRoot(
  payload: Pick<Payload, 'transactionsHash' | 'outputsHash' | 'payloadHash'>,
  wanted: ReadonlySet<string>,
): void {
  const [transactionsHash, outputsHash] = [
    decoded(payload.transactionsHash, 'transactionsHash'),
    decoded(payload.outputsHash, 'outputsHash'),
  ];
  compare('payloadHash', payload.payloadHash, toBase64Url(treeRoot([transactionsHash, outputsHash])));
  if (!wanted.has(payload.payloadHash)) {
    throw new ForgedError(`it is payload ${payload.payloadHash}, which was not asked for`);
  }
}

function compare(what: string, given: string, own: string): void {
  if (given !== own) throw new ForgedError(`it has the ${what} ${given}, and by what is hashed it is ${own}`);
}

function wrongHash(named: string, own: string): ForgedError {
  return new ForgedError(`the header of block ${named} hashes to ${own}`);
}

/** Base64Url as every reader reads it; the last character may hold bits that mean nothing. */
function decoded(text: string, what: string): Uint8Array {
  if (/^[a-zA-Z0-9_-]*$/.test(text)) return Uint8Array.from(Buffer.from(text, 'base64url'));
  throw new ForgedError(`its ${what} is no Base64Url`);
}
