/** One chain as a node knows it: hashes, headers, blocks and payloads (`node-interface.md`, 4.1 to 4.4). */
import type { z } from 'zod';
import { toBase64Url } from '../core/bytes.js';
import { checkBatch, checkBounds, checkHash, checkWhole } from './bounds.js';
import { checkBranch, type Link } from './branch-check.js';
import type { Call, Caller, CallPolicy } from './call.js';
import { decodeEncodedHeader, decodeHeaderText, type EncodedHeader } from './encoded-header.js';
import { NodeError } from './errors.js';
import { MempoolClient } from './mempool-client.js';
import {
  type Block,
  blockModel,
  type HeaderObject,
  hashModel,
  headerModel,
  type Page,
  type Payload,
  type PayloadWithOutputs,
  pageModel,
  payloadModel,
  payloadsModel,
  payloadsWithOutputsModel,
  payloadWithOutputsModel,
} from './models.js';
import { pagesOf, type Window } from './paging.js';
import { ForgedError, type Verifier } from './verify.js';

/** Ends of a branch: ancestors of `upper` (inclusive) that are no ancestors of `lower`. At most 32 hashes each. */
export interface BranchBounds {
  readonly upper: readonly string[];
  /** By default none: all ancestors. */
  readonly lower?: readonly string[];
}

/** Names a payload; a header has both. */
export interface PayloadKey {
  readonly hash: string;
  readonly height: number;
}

export type Pages<T> = AsyncGenerator<Page<T>, void, undefined>;

const JSON_TYPE = 'application/json';
const OBJECT_TYPE = 'application/json;blockheader-encoding=object';
const BYTES_TYPE = 'application/octet-stream';
/** Full blocks may be large: 360 of them are a page. */
const MAX_BLOCKS_BYTES = 64 * 1024 * 1024;

/**
 * Listings ascend by height and hold orphans too; branches descend. Every method throws NodeError, and RangeError for
 * what cannot be asked.
 */
export class ChainClient {
  readonly chainId: number;
  readonly mempool: MempoolClient;
  readonly #caller: Caller;
  readonly #verifier: Verifier | false;

  /** @param chainId 0 to 19, checked by whoever made this. @param verifier `false`: whatever comes is believed. */
  constructor(caller: Caller, chainId: number, verifier: Verifier | false) {
    this.chainId = chainId;
    this.#caller = caller;
    this.#verifier = verifier;
    this.mempool = new MempoolClient(caller, chainId);
  }

  /** `GET /chain/{chain}/hash`: one page of block hashes. */
  hashes(window: Window = {}, policy?: CallPolicy): Promise<Page<string>> {
    return this.#page(this.#listing('hash', JSON_TYPE, window), HASHES, policy);
  }

  hashPages(window: Window = {}, policy?: CallPolicy): Pages<string> {
    return pagesOf(window, (next) => this.hashes(next, policy));
  }

  /** `POST /chain/{chain}/hash/branch` */
  hashBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<string>> {
    return this.#page(this.#branch('hash', JSON_TYPE, bounds, window), HASHES, policy);
  }

  hashBranchPages(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Pages<string> {
    return pagesOf(window, (next) => this.hashBranch(bounds, next, policy));
  }

  /** `GET /chain/{chain}/header`, as objects. */
  headers(window: Window = {}, policy?: CallPolicy): Promise<Page<HeaderObject>> {
    return this.#page(this.#listing('header', OBJECT_TYPE, window), HEADERS, policy);
  }

  headerPages(window: Window = {}, policy?: CallPolicy): Pages<HeaderObject> {
    return pagesOf(window, (next) => this.headers(next, policy));
  }

  /** `GET /chain/{chain}/header`, as the bytes that are hashed. */
  encodedHeaders(window: Window = {}, policy?: CallPolicy): Promise<Page<EncodedHeader>> {
    return this.#page(this.#listing('header', JSON_TYPE, window), ENCODED_HEADERS, policy);
  }

  encodedHeaderPages(window: Window = {}, policy?: CallPolicy): Pages<EncodedHeader> {
    return pagesOf(window, (next) => this.encodedHeaders(next, policy));
  }

  /** `POST /chain/{chain}/header/branch`, as objects. */
  headerBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<HeaderObject>> {
    const call = this.#branch('header', OBJECT_TYPE, bounds, window);
    return this.#page(call, HEADERS, policy, { bounds, window });
  }

  headerBranchPages(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Pages<HeaderObject> {
    return pagesOf(window, (next) => this.headerBranch(bounds, next, policy));
  }

  /** `POST /chain/{chain}/header/branch`, as the bytes that are hashed. */
  encodedHeaderBranch(
    bounds: BranchBounds,
    window: Window = {},
    policy?: CallPolicy,
  ): Promise<Page<EncodedHeader>> {
    const call = this.#branch('header', JSON_TYPE, bounds, window);
    return this.#page(call, ENCODED_HEADERS, policy, { bounds, window });
  }

  encodedHeaderBranchPages(
    bounds: BranchBounds,
    window: Window = {},
    policy?: CallPolicy,
  ): Pages<EncodedHeader> {
    return pagesOf(window, (next) => this.encodedHeaderBranch(bounds, next, policy));
  }

  /** `GET /chain/{chain}/header/{blockHash}`, as object. */
  async header(hash: string, policy?: CallPolicy): Promise<HeaderObject> {
    const call = this.#headerCall(hash, OBJECT_TYPE);
    const header = await this.#caller.json(call, headerModel, policy);
    await this.#check(call, async (verifier) => {
      checkAnswered(hash, header.hash);
      await verifier.header(header, this.chainId);
    });
    return header;
  }

  /**
   * `GET /chain/{chain}/header/{blockHash}`, as the bytes that are hashed.
   *
   * @param as how the node is asked to send them: 318 bytes, or the same as Base64Url.
   */
  async encodedHeader(
    hash: string,
    as: 'bytes' | 'text' = 'bytes',
    policy?: CallPolicy,
  ): Promise<EncodedHeader> {
    const call = this.#headerCall(hash, as === 'bytes' ? BYTES_TYPE : JSON_TYPE);
    const { body } = await this.#caller.answer(call, policy);
    const header = this.#decode(call, () => {
      if (as === 'bytes') return decodeEncodedHeader(body);
      return decodeHeaderText(String(JSON.parse(body.toString('utf8'))));
    });
    await this.#check(call, (verifier) => {
      checkAnswered(hash, toBase64Url(header.hash));
      verifier.encodedHeader(header, this.chainId);
    });
    return header;
  }

  /** `GET /chain/{chain}/block`: headers with payloads and outputs. */
  blocks(window: Window = {}, policy?: CallPolicy): Promise<Page<Block>> {
    const call = { ...this.#listing('block', JSON_TYPE, window), maxBytes: MAX_BLOCKS_BYTES };
    return this.#page(call, BLOCKS, policy);
  }

  blockPages(window: Window = {}, policy?: CallPolicy): Pages<Block> {
    return pagesOf(window, (next) => this.blocks(next, policy));
  }

  /** `POST /chain/{chain}/block/branch` */
  blockBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<Block>> {
    const call = { ...this.#branch('block', JSON_TYPE, bounds, window), maxBytes: MAX_BLOCKS_BYTES };
    return this.#page(call, BLOCKS, policy, { bounds, window });
  }

  blockBranchPages(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Pages<Block> {
    return pagesOf(window, (next) => this.blockBranch(bounds, next, policy));
  }

  /** `GET /chain/{chain}/payload/{payloadHash}`. @param height helps a node to find it. */
  async payload(hash: string, height?: number, policy?: CallPolicy): Promise<Payload> {
    const call = this.#payloadCall(hash, height, '');
    const payload = await this.#caller.json(call, payloadModel, policy);
    await this.#check(call, (verifier) => verifier.payload(payload, new Set([hash])));
    return payload;
  }

  /** `GET /chain/{chain}/payload/{payloadHash}/outputs` */
  async payloadWithOutputs(hash: string, height?: number, policy?: CallPolicy): Promise<PayloadWithOutputs> {
    const call = this.#payloadCall(hash, height, '/outputs');
    const payload = await this.#caller.json(call, payloadWithOutputsModel, policy);
    await this.#check(call, (verifier) => verifier.payloadWithOutputs(payload, new Set([hash])));
    return payload;
  }

  /** `POST /chain/{chain}/payload/batch`: those of at most 1,000 that the node has, in any order. */
  payloads(wanted: readonly PayloadKey[], policy?: CallPolicy): Promise<Payload[]> {
    return this.#batch('payload/batch', wanted, payloadsModel, policy, (verifier, payload, hashes) =>
      verifier.payload(payload, hashes),
    );
  }

  /** `POST /chain/{chain}/payload/outputs/batch`: those of at most 1,000 that the node has, in any order. */
  payloadsWithOutputs(wanted: readonly PayloadKey[], policy?: CallPolicy): Promise<PayloadWithOutputs[]> {
    return this.#batch(
      'payload/outputs/batch',
      wanted,
      payloadsWithOutputsModel,
      policy,
      (verifier, payload, hashes) => verifier.payloadWithOutputs(payload, hashes),
    );
  }

  #at(endpoint: string, path: string): Pick<Call, 'endpoint' | 'path'> {
    return { endpoint: `/chain/{chain}/${endpoint}`, path: `/chain/${this.chainId}/${path}` };
  }

  #listing(what: string, accept: string, window: Window): Call {
    return { method: 'GET', ...this.#at(what, what), query: queryOf(window), accept };
  }

  #branch(what: string, accept: string, { upper, lower = [] }: BranchBounds, window: Window): Call {
    return {
      method: 'POST',
      ...this.#at(`${what}/branch`, `${what}/branch`),
      query: queryOf(window),
      accept,
      json: { lower: checkBounds(lower, 'lower'), upper: checkBounds(upper, 'upper') },
      repeatable: true,
    };
  }

  #headerCall(hash: string, accept: string): Call {
    checkHash(hash, 'the block hash');
    return { method: 'GET', ...this.#at('header/{blockHash}', `header/${hash}`), accept };
  }

  #payloadCall(hash: string, height: number | undefined, rest: string): Call {
    checkHash(hash, 'the payload hash');
    const query = { height: checkWhole(height, 'height') };
    const at = this.#at(`payload/{payloadHash}${rest}`, `payload/${hash}${rest}`);
    return { method: 'GET', ...at, query, accept: JSON_TYPE };
  }

  /** Heights go with the hashes, because real nodes pair them and ignore a hash without. */
  async #batch<T>(
    path: string,
    wanted: readonly PayloadKey[],
    model: z.ZodType<T[]>,
    policy: CallPolicy | undefined,
    verify: (verifier: Verifier, payload: T, hashes: ReadonlySet<string>) => void,
  ): Promise<T[]> {
    const hashes = checkBatch(wanted).map(({ hash }, i) => checkHash(hash, `hash ${i}`));
    const heights = wanted.map(({ height }, i) => checkWhole(height, `height ${i}`));
    const call: Call = {
      method: 'POST',
      ...this.#at(path, path),
      accept: JSON_TYPE,
      json: { hashes, heights },
      repeatable: true,
      maxBytes: MAX_BLOCKS_BYTES,
    };
    try {
      const payloads = await this.#caller.json(call, model, policy);
      const asked = new Set(hashes);
      await this.#check(call, (verifier) => {
        for (const payload of payloads) verify(verifier, payload, asked);
      });
      return payloads;
    } catch (error) {
      // The specification answers so when it has none of them, real nodes with an empty list.
      if (error instanceof NodeError && error.code === 'not-found') return [];
      throw error;
    }
  }

  async #page<T>(
    call: Call,
    kind: Kind<T>,
    policy: CallPolicy | undefined,
    branch?: { readonly bounds: BranchBounds; readonly window: Window },
  ): Promise<Page<T>> {
    const page = await this.#caller.json(call, pageModel, policy);
    const { limit, next } = page;
    if (page.items.length > 0 && next !== null && next === call.query?.['next']) {
      throw this.#caller.formatError(call, `the cursor to the next page is that of this one: ${next}`);
    }
    const items = page.items.map((item, i) => this.#decode(call, () => kind.read(item), `items.${i}: `));
    await this.#check(call, async (verifier) => {
      await kind.verify(verifier, items, this.chainId);
      if (branch) checkBranch(items.map(kind.linkOf), branch.bounds.upper, branch.window, next);
    });
    return { items, limit, next };
  }

  async #check(call: Call, check: (verifier: Verifier) => void | Promise<void>): Promise<void> {
    const verifier = this.#verifier;
    if (verifier) await this.#caller.checked(call, () => check(verifier));
  }

  #decode<T>(call: Call, decode: () => T, where = ''): T {
    try {
      return decode();
    } catch (error) {
      throw this.#caller.formatError(call, where + sentenceOf(error), error);
    }
  }
}

/** What pages hold: how an item is read, proven, and linked to the others of a branch. */
interface Kind<T> {
  readonly read: (item: unknown) => T;
  readonly verify: (verifier: Verifier, items: readonly T[], chainId: number) => Promise<void>;
  readonly linkOf: (item: T) => Link;
}

const HASHES: Kind<string> = {
  read: readBy(hashModel),
  // Nothing follows from a hash alone.
  verify: async () => {},
  linkOf: (hash) => ({ hash, parent: '', height: 0 }),
};

const HEADERS: Kind<HeaderObject> = {
  read: readBy(headerModel),
  verify: (verifier, items, chainId) => verifier.headers(items, chainId),
  linkOf: (header) => header,
};

const ENCODED_HEADERS: Kind<EncodedHeader> = {
  read: readEncoded,
  verify: (verifier, items, chainId) => verifier.encodedHeaders(items, chainId),
  linkOf: ({ hash, fields }) => ({
    hash: toBase64Url(hash),
    parent: toBase64Url(fields.parent),
    height: fields.height,
  }),
};

const BLOCKS: Kind<Block> = {
  read: readBy(blockModel),
  verify: (verifier, items, chainId) => verifier.blocks(items, chainId),
  linkOf: ({ header }) => header,
};

function checkAnswered(asked: string, answered: string): void {
  if (asked !== answered) throw new ForgedError(`it is block ${answered}, which was not asked for`);
}

function readBy<T extends z.ZodType>(model: T): (item: unknown) => z.output<T> {
  return (item) => model.parse(item);
}

function readEncoded(item: unknown): EncodedHeader {
  if (typeof item === 'string') return decodeHeaderText(item);
  throw new RangeError(`a header in this encoding is a text, not ${typeof item}`);
}

function queryOf({ limit, next, minHeight, maxHeight }: Window): NonNullable<Call['query']> {
  return {
    limit: checkWhole(limit, 'limit'),
    next,
    minheight: checkWhole(minHeight, 'minHeight'),
    maxheight: checkWhole(maxHeight, 'maxHeight'),
  };
}

/** A model's error is a list; its first entry says enough. */
function sentenceOf(error: unknown): string {
  const [issue] = (error as Partial<z.ZodError>).issues ?? [];
  if (!issue) return (error as Error).message;
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
