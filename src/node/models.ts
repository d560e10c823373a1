/**
 * What a node answers, checked (`node-interface.md`, section 2).
 *
 * Unknown fields are let through. What real nodes leave out or call otherwise is accepted: `chainwebVersion` for
 * `ledgerVersion`, `blockHeader` for `header`, integers beyond 2^53 (they come as bigint, see `json.ts`).
 */
import { z } from 'zod';

const HASH = /^[a-zA-Z0-9_-]{43}$/;

/** 32 bytes as 43 characters of Base64Url. */
export const hashModel = z.string().regex(HASH, 'must be 43 characters of Base64Url');
/** Microseconds since the epoch; they fit into a double until the year 2255. */
const micros = z.number().int().nonnegative();
const height = z.number().int().nonnegative();
/** A 64-bit integer, however large. */
const integer = z.union([z.number().int(), z.bigint()]).transform(BigInt);
const chainId = z.number().int().nonnegative();
/** Real nodes write some chain ids as text. */
const chainIdAnyhow = z.union([chainId, z.string().regex(/^\d+$/).transform(Number)]);

/** A block header as JSON object. `weight` and `target` write 256-bit little-endian integers. */
export const headerModel = z
  .looseObject({
    creationTime: micros,
    parent: hashModel,
    height,
    hash: hashModel,
    chainId,
    weight: hashModel,
    /** 0 by the specification; fork number and votes on real nodes. */
    featureFlags: integer.default(0n),
    epochStart: micros.optional(),
    /** Adjacent chain id -> block hash. */
    adjacents: z.record(z.string(), hashModel),
    payloadHash: hashModel,
    ledgerVersion: z.string().optional(),
    chainwebVersion: z.string().optional(),
    target: hashModel,
    /** Decimal digits: it has 64 bits. */
    nonce: z.union([z.string().regex(/^\d+$/), integer.transform(String)]),
  })
  .transform((header) => ({ ...header, ledgerVersion: header.ledgerVersion ?? header.chainwebVersion }));

const payloadFields = {
  minerData: z.string(),
  transactionsHash: hashModel,
  outputsHash: hashModel,
  payloadHash: hashModel,
};

/** Transactions and miner data are Base64Url of JSON text. */
export const payloadModel = z.looseObject({ transactions: z.array(z.string()), ...payloadFields });

/** Each transaction with its output, and the coinbase output. */
export const payloadWithOutputsModel = z.looseObject({
  transactions: z.array(z.tuple([z.string(), z.string()])),
  ...payloadFields,
  coinbase: z.string(),
});

/** The public examples of the batch wrap each payload as `{value: payload}`; no node was seen to. */
const unwrapped = (value: unknown): unknown => {
  const { value: inner } = Object(value) as { value?: unknown };
  return typeof inner === 'object' && inner !== null ? inner : value;
};

export const payloadsModel = z.array(z.preprocess(unwrapped, payloadModel));
export const payloadsWithOutputsModel = z.array(z.preprocess(unwrapped, payloadWithOutputsModel));

/** The payload is null where a node does not have it, as for the first blocks of public networks. */
export const blockModel = z
  .looseObject({
    header: headerModel.optional(),
    blockHeader: headerModel.optional(),
    payloadWithOutputs: payloadWithOutputsModel.nullish(),
    payload: payloadModel.nullish(),
  })
  .transform((block, context) => {
    const header = block.header ?? block.blockHeader;
    if (header) return { ...block, header, payloadWithOutputs: block.payloadWithOutputs ?? null };
    context.addIssue({ code: 'custom', message: 'a block needs a header', path: ['header'] });
    return z.NEVER;
  });

export const CURSOR = /^(inclusive|exclusive):.+$/;

/** A page of a listing or a branch, whatever its items are. */
export const pageModel = z
  .looseObject({
    items: z.array(z.unknown()),
    limit: z.number().int().nonnegative().optional(),
    next: z.string().regex(CURSOR, 'must be inclusive:<key> or exclusive:<key>').nullish(),
  })
  .transform(({ items, limit = items.length, next = null }) => ({ items, limit, next }));

export const notFoundModel = z.looseObject({ key: z.string(), reason: z.string() });

export const peerModel = z.looseObject({
  /** Fingerprint of the certificate; null where an official authority signed it. */
  id: z.string().nullish(),
  address: z.looseObject({ hostname: z.string().min(1), port: z.number().int().min(1).max(65535) }),
});

export const cutModel = z.looseObject({
  origin: peerModel.nullish(),
  /** Sum over all chains. */
  height,
  weight: hashModel,
  /** Chain id -> head of the chain. */
  hashes: z.record(z.string(), z.looseObject({ height, hash: hashModel })),
  instance: z.string().nullish(),
  id: z.string().nullish(),
});

const adjacencyList = z.array(z.tuple([chainIdAnyhow, z.array(chainIdAnyhow)])).max(1_000);

/** Part of a path, and of logs, metrics and screens. */
const pathPart = z.string().regex(/^[\w.~-]{1,64}$/, 'must be 1 to 64 letters, digits, or any of . ~ _ -');
/** Far more than the interface can name. */
const MOST_CHAINS = 1_000;

/** Neither the order of chains, nor of neighbours, nor of graphs means anything. */
export const infoModel = z.looseObject({
  nodeVersion: pathPart,
  nodeApiVersion: pathPart,
  nodeNumberOfChains: z.number().int().positive().max(MOST_CHAINS).optional(),
  nodeChains: z
    .array(z.union([z.string().regex(/^\d{1,9}$/), chainId.transform(String)]))
    .max(MOST_CHAINS)
    .optional(),
  /** Height of the first block on a graph, and the graph as chain ids with their neighbours. */
  nodeGraphHistory: z
    .array(z.tuple([height, adjacencyList]))
    .max(MOST_CHAINS)
    .optional(),
});

/** Its fields depend on the software of the node. */
export const configModel = z.looseObject({});

export const lookupModel = z.array(
  z.discriminatedUnion('tag', [
    /** The signed transaction as JSON text. */
    z.looseObject({ tag: z.literal('Pending'), contents: z.string() }),
    z.looseObject({ tag: z.literal('Missing') }),
  ]),
);
export const memberModel = z.array(z.boolean());
export const pendingModel = z.looseObject({
  /** Request keys. */
  hashes: z.array(hashModel),
  /** Nonce of the pool and number of the last transaction that left it: signed 64-bit integers. */
  highwaterMark: z.tuple([integer, integer]),
});

const powHex = z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits');
const eventFields = {
  txCount: z.number().int().nonnegative().optional(),
  /** 64 hex digits, big-endian, as is the target here. */
  powHash: powHex.optional(),
  target: powHex.optional(),
  header: headerModel,
};
export const headerEventModel = z.looseObject(eventFields);
export const blockEventModel = z.looseObject({
  ...eventFields,
  payloadWithOutputs: payloadWithOutputsModel.nullish(),
});

export type HeaderObject = z.output<typeof headerModel>;
export type Payload = z.output<typeof payloadModel>;
export type PayloadWithOutputs = z.output<typeof payloadWithOutputsModel>;
export type Block = z.output<typeof blockModel>;
export type PeerInfo = z.output<typeof peerModel>;
export type CutObject = z.output<typeof cutModel>;
export type NodeInfo = z.output<typeof infoModel>;
export type NodeConfig = z.output<typeof configModel>;
export type MempoolLookup = z.output<typeof lookupModel>[number];
export type PendingKeys = z.output<typeof pendingModel>;
export type HeaderEvent = z.output<typeof headerEventModel>;
export type BlockEvent = z.output<typeof blockEventModel>;

/** One page of a listing or branch. */
export interface Page<T> {
  readonly items: readonly T[];
  /** How many items the page has. */
  readonly limit: number;
  /** Goes into the next request as it is; null at the end. Real nodes end listings with a cursor to an empty page. */
  readonly next: string | null;
}
