/**
 * What a node answers, checked (`node-interface.md`, section 2).
 *
 * Unknown fields are let through. What real nodes leave out or call otherwise is accepted: `chainwebVersion` for
 * `ledgerVersion`, `blockHeader` for `header`. Integers of 64 bits are texts of decimal digits, as nonces are in the interface:
 * so everything here can be written with `JSON.stringify`, and `BigInt` reads it.
 */
import { z } from 'zod';

/** What a message begins with that is a refusal as it is; others begin with "must", and what they are of is named before. */
export const SENTENCE = 'sentence: ';
/** 32 bytes as 43 characters of Base64Url. */
export const HASH = /^[a-zA-Z0-9_-]{43}$/;
const HASH_SAYS = 'must be 43 characters of Base64Url';
export const hashModel = z.string(HASH_SAYS).regex(HASH, HASH_SAYS);
/** Microseconds since the epoch; they fit into a double until the year 2255. */
const micros = z.number().int().nonnegative();
const height = z.number().int().nonnegative();
/** A 64-bit integer, however large, as decimal digits. */
export const integerModel = z.union([z.number().int(), z.string().regex(/^-?\d{1,20}$/)]).transform(String);
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
    featureFlags: integerModel.default('0'),
    epochStart: micros,
    /** Adjacent chain id -> block hash. */
    adjacents: z.record(z.string(), hashModel),
    payloadHash: hashModel,
    ledgerVersion: z.string().optional(),
    chainwebVersion: z.string().optional(),
    target: hashModel,
    /** Decimal digits: it has 64 bits. */
    nonce: z.union([z.string().regex(/^\d+$/), z.number().int().nonnegative().transform(String)]),
  })
  .transform(({ ledgerVersion, ...header }, context) => {
    const name = ledgerVersion ?? header.chainwebVersion;
    if (name !== undefined) return { ...header, ledgerVersion: name };
    context.addIssue('ledgerVersion must be the name of the network');
    return z.NEVER;
  });

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
    const { header = block.blockHeader, payload, payloadWithOutputs = null } = block;
    // Nothing else, which nobody could prove.
    if (header) return { header, payload, payloadWithOutputs };
    context.addIssue({ code: 'custom', message: 'a block needs a header', path: ['header'] });
    return z.NEVER;
  });

export const CURSOR = /^(inclusive|exclusive):.{1,1000}$/;

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

/** Chain id -> head of the chain. */
const headsModel = z.record(z.string(), z.looseObject({ height, hash: hashModel }));

export const cutModel = z.looseObject({
  origin: peerModel.nullish(),
  /** Sum over all chains. */
  height,
  weight: hashModel,
  hashes: headsModel,
  instance: z.string().nullish(),
  id: z.string().nullish(),
});

const adjacencyList = z.array(z.tuple([chainIdAnyhow, z.array(chainIdAnyhow)])).max(1_000);

/** Part of a path, and of logs, metrics and screens. */
const pathPart = z.string().regex(/^[\w.~-]{1,64}$/, 'must be 1 to 64 letters, digits, or any of . ~ _ -');
/** Far more than the interface can name. */
const MOST_LISTED = 1_000;

/** Neither the order of chains, nor of neighbours, nor of graphs means anything. */
export const infoModel = z.looseObject({
  nodeVersion: pathPart,
  nodeApiVersion: pathPart,
  nodeNumberOfChains: z.number().int().positive().max(MOST_LISTED).optional(),
  nodeChains: z
    .array(z.union([z.string().regex(/^\d{1,9}$/), chainId.transform(String)]))
    .max(MOST_LISTED)
    .optional(),
  /** Height of the first block on a graph, and the graph as chain ids with their neighbours. */
  nodeGraphHistory: z
    .array(z.tuple([height, adjacencyList]))
    .max(MOST_LISTED)
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
  /** Server nonce, and transaction id of the last transaction mined out of the pool, after which the next question starts. */
  highwaterMark: z.tuple([integerModel, integerModel]),
});

const powHex = z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits');
const eventFields = {
  txCount: z.number().int().nonnegative().optional(),
  /** 64 hex digits, big-endian, as is the target here. */
  powHash: powHex.optional(),
  target: powHex.optional(),
  header: headerModel,
};
/** Nothing in a header proves how many transactions its block has. */
export const headerEventModel = z
  .looseObject(eventFields)
  .transform(({ header, powHash, target }) => ({ header, powHash, target }));
export const blockEventModel = z
  .looseObject({ ...eventFields, payloadWithOutputs: payloadWithOutputsModel.nullish() })
  .transform(({ header, powHash, target, payloadWithOutputs }) => ({
    txCount: payloadWithOutputs?.transactions.length,
    header,
    powHash,
    target,
    payloadWithOutputs,
  }));

const PREDICATES = ['keys-all', 'keys-any', 'keys-2'] as const;
const MOST_PUBLIC_KEYS = 64;
const shortText = z.string().min(1).max(256);

/** Who is paid for a block: the body of `GET /mining/work`. */
export interface Miner {
  /** Usually `k:` and the public key. */
  readonly account: string;
  readonly predicate: (typeof PREDICATES)[number];
  readonly publicKeys: readonly string[];
}

const minerFields = {
  account: z.string('must be a text of 1 to 256 characters').min(1).max(256),
  predicate: z.enum(PREDICATES, `must be one of ${PREDICATES.join(', ')}`),
  'public-keys': z
    .array(shortText, `must be a list of 1 to ${MOST_PUBLIC_KEYS} texts`)
    .min(1, `must be a list of 1 to ${MOST_PUBLIC_KEYS} texts`)
    .max(MOST_PUBLIC_KEYS),
};
/** As it is sent. */
export const minerModel = z.looseObject(minerFields);
/** Real nodes take names of contracts as predicates, and no keys at all. */
export const anyMinerModel = z.looseObject({
  account: minerFields.account,
  predicate: shortText,
  'public-keys': z.array(shortText).max(MOST_PUBLIC_KEYS),
});

export function encodeMiner({ account, predicate, publicKeys }: Miner): z.input<typeof minerModel> {
  return { account, predicate, 'public-keys': [...publicKeys] };
}

const someHashes = z.array(hashModel, 'must be a list of hashes');
const heights = z.array(
  z.number().int().nonnegative('must be a whole number from 0 on'),
  'must be a list of whole numbers',
);

/** Ends of a branch: ancestors of `upper` (inclusive) that are no ancestors of `lower`. */
export const boundsModel = z.looseObject({ upper: someHashes.nullish(), lower: someHashes.nullish() });
/** Hashes of payloads with the heights of their blocks; a bare list of hashes is understood too. */
export const batchModel = z.union([
  someHashes,
  z.looseObject({ hashes: someHashes.optional(), heights: heights.optional() }),
]);
export const wholeBatchModel = z.union([someHashes, z.looseObject({ hashes: someHashes, heights })]);

/** Request keys or transactions of one request to a mempool. */
const MOST_OF_A_LIST = 10_000;
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item, `must be a JSON list of at most ${MOST_OF_A_LIST} entries`)
    .max(MOST_OF_A_LIST, `must be a JSON list of at most ${MOST_OF_A_LIST} entries`);
export const keysModel = listOf(hashModel);
/** JSON text of each signed transaction. */
export const transactionsModel = listOf(z.string('must be a JSON text in a string'));
/** A header with its hash, and many more adjacents than any graph has. */
const MOST_HEADER_TEXT = 2000;
/** A cut that is offered names who offers it: real nodes refuse it so. */
export const offeredCutModel = z.looseObject({
  origin: z.looseObject(peerModel.shape, `${SENTENCE}Cut is missing an origin entry`),
  hashes: headsModel,
  /** It may bring blocks along: headers by hash, Base64Url, and payloads by hash. */
  headers: z.record(z.string(), z.string('must be Base64Url').max(MOST_HEADER_TEXT)).optional(),
  payloads: z.record(z.string(), payloadModel).optional(),
});

/** Without the fields that are let through unread: a name that is misspelt does not compile. */
export type Known<T> = T extends readonly unknown[]
  ? { [K in keyof T]: Known<T[K]> }
  : T extends object
    ? { [K in keyof T as string extends K ? (unknown extends T[K] ? never : K) : K]: Known<T[K]> }
    : T;

export type HeaderObject = Known<z.output<typeof headerModel>>;
export type Payload = Known<z.output<typeof payloadModel>>;
export type PayloadWithOutputs = Known<z.output<typeof payloadWithOutputsModel>>;
export type Block = Known<z.output<typeof blockModel>>;
export type PeerInfo = Known<z.output<typeof peerModel>>;
export type CutObject = Known<z.output<typeof cutModel>>;
export type OfferedCut = Known<z.input<typeof offeredCutModel>>;
export type NodeInfo = Known<z.output<typeof infoModel>>;
export type NodeConfig = z.output<typeof configModel>;
export type MempoolLookup = Known<z.output<typeof lookupModel>[number]>;
export type PendingKeys = Known<z.output<typeof pendingModel>>;
export type HeaderEvent = Known<z.output<typeof headerEventModel>>;
export type BlockEvent = Known<z.output<typeof blockEventModel>>;

/** One page of a listing or branch. */
export interface Page<T> {
  readonly items: readonly T[];
  /** How many items the page has. */
  readonly limit: number;
  /** Goes into the next request as it is; null at the end. Real nodes end listings with a cursor to an empty page. */
  readonly next: string | null;
}
