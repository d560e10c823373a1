/** The lists of a chain: hashes, headers and blocks (`node-interface.md`, 4.2 to 4.4), by pages or item by item. */
import type { z } from 'zod';
import { checkBranch, type Link } from '../../chain/branch-check.js';
import { decodeHeaderText, type EncodedHeader } from '../../chain/encoded-header.js';
import { type Endpoint, JSON_TYPE, OBJECT_TYPE, tooManyBounds, type Values } from '../../chain/endpoint.js';
import { ENDPOINTS } from '../../chain/endpoints.js';
import {
  type Block,
  blockModel,
  type HeaderObject,
  hashModel,
  headerModel,
  type Page,
  type pageModel,
} from '../../chain/models.js';
import { itemsOf, type Window } from '../../chain/paging.js';
import type { Verifier } from '../../chain/verify.js';
import { toBase64Url } from '../../core/bytes/bytes.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';

/** Ends of a branch: ancestors of `upper` (inclusive) that are no ancestors of `lower`. At most 32 hashes each. */
export interface BranchBounds {
  readonly upper: readonly string[];
  /** By default none: all ancestors. */
  readonly lower?: readonly string[];
}

type Items<T> = AsyncGenerator<T, void, undefined>;

/** One kind of list of one chain. Ascends by height, orphans included; a branch of it descends. */
export class Listing<T> {
  readonly #caller: Caller;
  readonly #verifier: Verifier | false;
  readonly #chainId: number;
  readonly #kind: Kind<T>;

  constructor(caller: Caller, verifier: Verifier | false, chainId: number, kind: Kind<T>) {
    this.#caller = caller;
    this.#verifier = verifier;
    this.#chainId = chainId;
    this.#kind = kind;
  }

  /** As many as the node gives at once. */
  page(window: Window = {}, policy?: CallPolicy): Promise<Page<T>> {
    return this.#ask(this.#kind.all, window, policy);
  }

  /** All of the window, page after page. */
  each(window: Window = {}, policy?: CallPolicy): Items<T> {
    return itemsOf(window, (next) => this.page(next, policy));
  }

  /** As many of a branch as the node gives at once. */
  branch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Promise<Page<T>> {
    return this.#ask(this.#kind.branch, window, policy, bounds);
  }

  /** All of a branch, page after page. */
  eachInBranch(bounds: BranchBounds, window: Window = {}, policy?: CallPolicy): Items<T> {
    return itemsOf(window, (next) => this.branch(bounds, next, policy));
  }

  async #ask(
    to: Endpoint<typeof pageModel>,
    window: Window,
    policy: CallPolicy | undefined,
    bounds?: BranchBounds,
  ): Promise<Page<T>> {
    const { accept, read, verify, linkOf } = this.#kind;
    const path = { chain: this.#chainId };
    const call: Call<typeof pageModel> = { to, path, query: inQuery(window), accept, ...inBody(to, bounds) };
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
    const items = page.items.map((item, i) => this.#caller.decoded(call, () => read(item), `items.${i}: `));
    const verifier = this.#verifier;
    if (verifier)
      await this.#caller.checked(call, async () => {
        await verify(verifier, items, this.#chainId);
        // Nothing follows from hashes alone.
        if (bounds && linkOf) checkBranch(items.map(linkOf), bounds.upper, window, next);
      });
    return { items, limit, next };
  }
}

/** What a list holds: where and how it is asked for, read, proven, and linked to the others of a branch. */
export interface Kind<T> {
  readonly all: Endpoint<typeof pageModel>;
  readonly branch: Endpoint<typeof pageModel>;
  readonly accept: typeof JSON_TYPE | typeof OBJECT_TYPE;
  readonly read: (item: unknown) => T;
  readonly verify: (verifier: Verifier, items: readonly T[], chainId: number) => Promise<void>;
  readonly linkOf?: (item: T) => Link;
}

export const HASHES: Kind<string> = {
  all: ENDPOINTS.hashes,
  branch: ENDPOINTS.hashBranch,
  accept: JSON_TYPE,
  read: readBy(hashModel),
  verify: async () => {},
};

/** As objects. */
export const HEADERS: Kind<HeaderObject> = {
  all: ENDPOINTS.headers,
  branch: ENDPOINTS.headerBranch,
  accept: OBJECT_TYPE,
  read: readBy(headerModel),
  verify: (verifier, items, chainId) => verifier.headers(items, chainId),
  linkOf: (header) => header,
};

/** As the bytes that are hashed. */
export const ENCODED_HEADERS: Kind<EncodedHeader> = {
  all: ENDPOINTS.headers,
  branch: ENDPOINTS.headerBranch,
  accept: JSON_TYPE,
  read: readEncoded,
  verify: (verifier, items, chainId) => verifier.encodedHeaders(items, chainId),
  linkOf: ({ hash, fields }) => ({
    hash: toBase64Url(hash),
    parent: toBase64Url(fields.parent),
    height: fields.height,
  }),
};

/** Headers with payloads and outputs. */
export const BLOCKS: Kind<Block> = {
  all: ENDPOINTS.blocks,
  branch: ENDPOINTS.blockBranch,
  accept: JSON_TYPE,
  read: readBy(blockModel),
  verify: (verifier, items, chainId) => verifier.blocks(items, chainId),
  linkOf: ({ header }) => header,
};

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

function inBody(to: Endpoint, bounds: BranchBounds | undefined): Pick<Call, 'json'> {
  if (!bounds) return {};
  const json = { lower: [...(bounds.lower ?? [])], upper: [...bounds.upper] };
  const tooMany = tooManyBounds(json, to.mostBounds?.service);
  if (tooMany !== undefined) throw new RangeError(tooMany);
  return { json };
}
