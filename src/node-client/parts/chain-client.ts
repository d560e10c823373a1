/** One chain as a node knows it: hashes, headers, blocks and payloads (`node-interface.md`, 4.1 to 4.4). */
import { setImmediate as breath } from 'node:timers/promises';
import type { z } from 'zod';
import { checkBranch, type Link } from '../../chain/branch-check.js';
import { decodeEncodedHeader, decodeHeaderText, type EncodedHeader } from '../../chain/encoded-header.js';
import {
  BYTES_TYPE,
  type Endpoint,
  JSON_TYPE,
  OBJECT_TYPE,
  tooManyBounds,
  type Values,
} from '../../chain/endpoint.js';
import { ENDPOINTS, LIMITS } from '../../chain/endpoints.js';
import {
  type Block,
  blockModel,
  type HeaderObject,
  hashModel,
  headerModel,
  type Page,
  type Payload,
  type PayloadWithOutputs,
  type pageModel,
} from '../../chain/models.js';
import { itemsOf, saysNothing, type Window } from '../../chain/paging.js';
import { ForgedError, type Verifier } from '../../chain/verify.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';
import { MempoolClient } from './mempool-client.js';
import { PactClient } from './pact-client.js';
import { TransferClient } from './transfer-client.js';

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

type Items<T> = AsyncGenerator<T, void, undefined>;

/**
 * Listings ascend by height and hold orphans too; branches descend. Every method throws NodeError, and RangeError for
 * what cannot be asked.
 */
export class ChainClient {
  readonly chainId: number;
  readonly mempool: MempoolClient;
  /** Its commands: coins are moved and read with them. */
  readonly pact: PactClient;
  /** Coins moved from one account to another. */
  readonly transfers: TransferClient;
  readonly #caller: Caller;
  readonly #verifier: Verifier | false;

  /** @param chainId 0 to 19, checked by whoever made this. @param verifier `false`: whatever comes is believed. */
  constructor(caller: Caller, chainId: number, verifier: Verifier | false) {
    this.chainId = chainId;
    this.#caller = caller;
    this.#verifier = verifier;
    this.mempool = new MempoolClient(caller, chainId);
    this.pact = new PactClient(caller, chainId);
    this.transfers = new TransferClient(caller, this);
  }

  /** `GET /chain/{chain}/hash`: one page of block hashes. */
  hashes(window: Window = {}, policy?: CallPolicy): Promise<Page<string>> {
    return this.#page(ENDPOINTS.hashes, HASHES, window, policy);
  }

  eachHash(window: Window = {}, policy?: CallPolicy): Items<string> {
    return itemsOf(window, (next) => this.hashes(next, policy));
  }

  /** `POST /chain/{chain}/hash/branch` */
  hashBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<string>> {
    return this.#page(ENDPOINTS.hashBranch, HASHES, window, policy, bounds);
  }

  eachHashInBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Items<string> {
    return itemsOf(window, (next) => this.hashBranch(bounds, next, policy));
  }

  /** `GET /chain/{chain}/header`, as objects. */
  headers(window: Window = {}, policy?: CallPolicy): Promise<Page<HeaderObject>> {
    return this.#page(ENDPOINTS.headers, HEADERS, window, policy);
  }

  eachHeader(window: Window = {}, policy?: CallPolicy): Items<HeaderObject> {
    return itemsOf(window, (next) => this.headers(next, policy));
  }

  /** `GET /chain/{chain}/header`, as the bytes that are hashed. */
  encodedHeaders(window: Window = {}, policy?: CallPolicy): Promise<Page<EncodedHeader>> {
    return this.#page(ENDPOINTS.headers, ENCODED_HEADERS, window, policy);
  }

  eachEncodedHeader(window: Window = {}, policy?: CallPolicy): Items<EncodedHeader> {
    return itemsOf(window, (next) => this.encodedHeaders(next, policy));
  }

  /** `POST /chain/{chain}/header/branch`, as objects. */
  headerBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<HeaderObject>> {
    return this.#page(ENDPOINTS.headerBranch, HEADERS, window, policy, bounds);
  }

  eachHeaderInBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Items<HeaderObject> {
    return itemsOf(window, (next) => this.headerBranch(bounds, next, policy));
  }

  /** `POST /chain/{chain}/header/branch`, as the bytes that are hashed. */
  encodedHeaderBranch(
    bounds: BranchBounds,
    window: Window = {},
    policy?: CallPolicy,
  ): Promise<Page<EncodedHeader>> {
    return this.#page(ENDPOINTS.headerBranch, ENCODED_HEADERS, window, policy, bounds);
  }

  eachEncodedHeaderInBranch(
    bounds: BranchBounds,
    window: Window = {},
    policy?: CallPolicy,
  ): Items<EncodedHeader> {
    return itemsOf(window, (next) => this.encodedHeaderBranch(bounds, next, policy));
  }

  /** `GET /chain/{chain}/header/{blockHash}`, as object. */
  async header(hash: string, policy?: CallPolicy): Promise<HeaderObject> {
    const call = this.#call(ENDPOINTS.header, { blockHash: hash }, { accept: OBJECT_TYPE });
    const header = await this.#caller.json(call, policy);
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
    const accept = as === 'bytes' ? BYTES_TYPE : JSON_TYPE;
    const call = this.#call(ENDPOINTS.header, { blockHash: hash }, { accept });
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
    return this.#page(ENDPOINTS.blocks, BLOCKS, window, policy);
  }

  eachBlock(window: Window = {}, policy?: CallPolicy): Items<Block> {
    return itemsOf(window, (next) => this.blocks(next, policy));
  }

  /** `POST /chain/{chain}/block/branch` */
  blockBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<Block>> {
    return this.#page(ENDPOINTS.blockBranch, BLOCKS, window, policy, bounds);
  }

  eachBlockInBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Items<Block> {
    return itemsOf(window, (next) => this.blockBranch(bounds, next, policy));
  }

  /** `GET /chain/{chain}/payload/{payloadHash}`. @param height helps a node to find it. */
  async payload(hash: string, height?: number, policy?: CallPolicy): Promise<Payload> {
    const call = this.#call(ENDPOINTS.payload, { payloadHash: hash }, { query: { height } });
    const payload = await this.#caller.json(call, policy);
    await this.#check(call, (verifier) => verifier.payload(payload, new Set([hash])));
    return payload;
  }

  /** `GET /chain/{chain}/payload/{payloadHash}/outputs` */
  async payloadWithOutputs(hash: string, height?: number, policy?: CallPolicy): Promise<PayloadWithOutputs> {
    const call = this.#call(ENDPOINTS.payloadWithOutputs, { payloadHash: hash }, { query: { height } });
    const payload = await this.#caller.json(call, policy);
    await this.#check(call, (verifier) => verifier.payloadWithOutputs(payload, new Set([hash])));
    return payload;
  }

  /** `POST /chain/{chain}/payload/batch`: those of at most 1,000 that the node has, in any order. */
  payloads(wanted: readonly PayloadKey[], policy?: CallPolicy): Promise<Payload[]> {
    return this.#batch(ENDPOINTS.payloads, wanted, policy, (verifier, payload, asked) =>
      verifier.payload(payload, asked),
    );
  }

  /** `POST /chain/{chain}/payload/outputs/batch`: those of at most 1,000 that the node has, in any order. */
  payloadsWithOutputs(wanted: readonly PayloadKey[], policy?: CallPolicy): Promise<PayloadWithOutputs[]> {
    return this.#batch(ENDPOINTS.payloadsWithOutputs, wanted, policy, (verifier, payload, asked) =>
      verifier.payloadWithOutputs(payload, asked),
    );
  }

  #call<M extends z.ZodType>(
    to: Endpoint<M>,
    path: Values = {},
    rest: Omit<Call, 'to' | 'path'> = {},
  ): Call<M> {
    return { to, path: { chain: this.chainId, ...path }, ...rest };
  }

  /** Heights go with the hashes, because real nodes pair them and ignore a hash without. */
  async #batch<T>(
    to: Endpoint<z.ZodType<T[]>>,
    wanted: readonly PayloadKey[],
    policy: CallPolicy | undefined,
    verify: (verifier: Verifier, payload: T, hashes: ReadonlySet<string>) => void,
  ): Promise<T[]> {
    const { batch } = LIMITS.service;
    if (wanted.length > batch)
      throw new RangeError(`a batch has at most ${batch} payloads, not ${wanted.length}`);
    const [hashes, heights] = [wanted.map(({ hash }) => hash), wanted.map(({ height }) => height)];
    const call = this.#call(to, {}, { json: { hashes, heights } });
    try {
      const payloads = await this.#caller.json(call, policy);
      const asked = new Set(hashes);
      await this.#check(call, async (verifier) => {
        for (const payload of payloads) {
          verify(verifier, payload, asked);
          await breath();
        }
      });
      return payloads;
    } catch (error) {
      // The specification answers so when it has none of them, real nodes with an empty list.
      if (saysNothing(error)) return [];
      throw error;
    }
  }

  async #page<T>(
    to: Endpoint<typeof pageModel>,
    kind: Kind<T>,
    window: Window,
    policy: CallPolicy | undefined,
    bounds?: BranchBounds,
  ): Promise<Page<T>> {
    const call = this.#call(to, {}, { query: inQuery(window), accept: kind.accept, ...inBody(bounds) });
    const page = await this.#caller.json(call, policy);
    const { limit, next } = page;
    if (window.limit !== undefined && page.items.length > window.limit)
      throw this.#caller.formatError(
        call,
        `it has ${page.items.length} items, and ${window.limit} were asked for`,
      );
    if (page.items.length > 0 && next !== null && next === window.next) {
      throw this.#caller.formatError(call, `the cursor to the next page is that of this one: ${next}`);
    }
    const items = page.items.map((item, i) => this.#decode(call, () => kind.read(item), `items.${i}: `));
    await this.#check(call, async (verifier) => {
      await kind.verify(verifier, items, this.chainId);
      // Nothing follows from hashes alone.
      if (bounds && kind.linkOf) checkBranch(items.map(kind.linkOf), bounds.upper, window, next);
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

/** What pages hold: how it is asked for, read, proven, and linked to the others of a branch. */
interface Kind<T> {
  readonly accept: typeof JSON_TYPE | typeof OBJECT_TYPE;
  readonly read: (item: unknown) => T;
  readonly verify: (verifier: Verifier, items: readonly T[], chainId: number) => Promise<void>;
  readonly linkOf?: (item: T) => Link;
}

const HASHES: Kind<string> = { accept: JSON_TYPE, read: readBy(hashModel), verify: async () => {} };

const HEADERS: Kind<HeaderObject> = {
  accept: OBJECT_TYPE,
  read: readBy(headerModel),
  verify: (verifier, items, chainId) => verifier.headers(items, chainId),
  linkOf: (header) => header,
};

const ENCODED_HEADERS: Kind<EncodedHeader> = {
  accept: JSON_TYPE,
  read: readEncoded,
  verify: (verifier, items, chainId) => verifier.encodedHeaders(items, chainId),
  linkOf: ({ hash, fields }) => ({
    hash: toBase64Url(hash),
    parent: toBase64Url(fields.parent),
    height: fields.height,
  }),
};

const BLOCKS: Kind<Block> = {
  accept: JSON_TYPE,
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

function inQuery({ limit, next, minHeight, maxHeight }: Window): Values {
  return { limit, next, minheight: minHeight, maxheight: maxHeight };
}

function inBody(bounds: BranchBounds | undefined): Pick<Call, 'json'> {
  if (!bounds) return {};
  const json = { lower: [...(bounds.lower ?? [])], upper: [...bounds.upper] };
  const tooMany = tooManyBounds(json, LIMITS.service.bounds);
  if (tooMany !== undefined) throw new RangeError(tooMany);
  return { json };
}

/** A model's error is a list; its first entry says enough. */
function sentenceOf(error: unknown): string {
  const [issue] = (error as Partial<z.ZodError>).issues ?? [];
  if (!issue) return (error as Error).message;
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
