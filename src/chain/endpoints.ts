/**
 * The interface, written once: each endpoint with what it takes and gives. The client asks by this table, the development
 * node serves by it, and the OpenAPI document is made of it.
 *
 *     ENDPOINTS.header   GET /chain/{chain}/header/{blockHash}   path: chain, hash   answer: one header in three encodings
 */
import { z } from 'zod';
import {
  commandModel,
  commandsModel,
  listenedModel,
  listenModel,
  localModel,
  polledModel,
  pollModel,
  sentModel,
  spvModel,
} from './command-models.js';
import {
  batchModel,
  blockEventModel,
  blockModel,
  boundsModel,
  configModel,
  cutModel,
  hashModel,
  headerEventModel,
  headerModel,
  infoModel,
  keysModel,
  lookupModel,
  memberModel,
  minerModel,
  offeredCutModel,
  pageModel,
  payloadModel,
  payloadsModel,
  payloadsWithOutputsModel,
  payloadWithOutputsModel,
  peerModel,
  pendingModel,
  transactionsModel,
  wholeBatchModel,
} from './models.js';
import { checkParameter, type ParameterKind } from './parameters.js';

export const JSON_TYPE = 'application/json';
/** As what comes of commands is written. */
const UTF8_JSON_TYPE = 'application/json;charset=utf-8';
export const OBJECT_TYPE = 'application/json;blockheader-encoding=object';
export const BYTES_TYPE = 'application/octet-stream';
export const TEXT_TYPE = 'text/plain';
export const EVENTS_TYPE = 'text/event-stream';

export type Encoding =
  | typeof JSON_TYPE
  | typeof UTF8_JSON_TYPE
  | typeof OBJECT_TYPE
  | typeof BYTES_TYPE
  | typeof TEXT_TYPE
  | typeof EVENTS_TYPE;

export interface Endpoint<M extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Of `node-interface.md`; what it does not show is a statement of `protocol.md`, D, or of `transfers.md`, 2 (T). */
  readonly section: string;
  readonly summary: string;
  /** Real nodes have two ports; the specification knows of one. */
  readonly port: 'service' | 'peer' | 'both';
  /** Below the base address, at the host root, or at both: by the specification below the base, on real nodes at the root. */
  readonly at: 'base' | 'root' | 'both';
  /** Absent where it is switched off in the configuration. */
  readonly needs?: 'mining' | 'headerStream' | 'backup';
  readonly query: Readonly<Record<string, ParameterKind>>;
  readonly body?: Body;
  /** Of a success by the specification. */
  readonly status: 200 | 204;
  /** What a client may choose by `accept`, the first by default; none: no body. */
  readonly encodings: readonly Encoding[];
  /** Of what comes as JSON. */
  readonly model: M;
  /** Of the items of a page, where it is one. */
  readonly item?: z.ZodType;
  /** Names of events of a stream. */
  readonly events?: readonly string[];
  /** Status -> when. */
  readonly refusals: Readonly<Record<number, string>>;
  /** It changes something: never repeated. */
  readonly changes: boolean;
  /** A chain that is not there is 404 without a word, not a fault of the parameter. */
  readonly isSilent?: boolean;
  /** Largest answer that a client reads. */
  readonly maxBytes?: number;
}

type Body =
  /** `entry`: what an entry of a bare list is called. */
  | { readonly type: typeof JSON_TYPE; readonly model: z.ZodType; readonly entry?: string }
  | { readonly type: typeof BYTES_TYPE; readonly says: string };

/** Kinds of what stands in braces in paths. */
const PATH_KINDS: Readonly<Record<string, ParameterKind>> = {
  chain: 'chain',
  blockHash: 'hash',
  payloadHash: 'hash',
  backupId: 'backupId',
};

type Rest<M extends z.ZodType> = Partial<
  Omit<Endpoint<M>, 'method' | 'path' | 'section' | 'summary' | 'model'>
>;

const nothing = z.undefined();

function of<M extends z.ZodType>(
  key: `${Endpoint['method']} ${string}`,
  section: string,
  summary: string,
  model: M,
  rest: Rest<M> = {},
): Endpoint<M> {
  const [method = '', path = ''] = key.split(' ');
  return {
    ...{ method: method as Endpoint['method'], path, section, summary, model },
    ...{
      port: 'both',
      at: 'base',
      query: {},
      status: 200,
      encodings: [JSON_TYPE],
      refusals: {},
      changes: false,
    },
    ...rest,
  };
}

const json = (model: z.ZodType, entry?: string): Body => ({
  type: JSON_TYPE,
  model,
  ...(entry ? { entry } : {}),
});
const bytes = (says: string): Body => ({ type: BYTES_TYPE, says });

/** Full blocks may be large: 360 of them are a page. */
const LARGE = 64 * 1024 * 1024;
const WINDOW = { limit: 'whole', next: 'cursor', minheight: 'whole', maxheight: 'whole' } as const;
const PLACES = { limit: 'whole', next: 'cursor' } as const;
const NONE_MATCHES = { 404: 'nothing matches, or next or maxheight is not there' };
const NO_KEY = { 404: 'key not found' };
const BRANCH = {
  query: WINDOW,
  body: json(boundsModel),
  refusals: { 400: 'branch bounds exceeded', 404: 'a bound or next is not on the chain' },
} as const;
const NOT_ACCEPTED = { 406: 'an encoding that is not offered' };
const ENCODINGS = [JSON_TYPE, OBJECT_TYPE] as const;
const MINING = { port: 'service', needs: 'mining' } as const;
const STREAM = { port: 'service', encodings: [EVENTS_TYPE], refusals: { 503: 'too many streams' } } as const;
/** What comes of commands. Its words of refusal are for clients, as they are. */
const COMMANDS = { port: 'service', encodings: [UTF8_JSON_TYPE], isSilent: true } as const;
const REFUSED = { 400: 'refused, in the words of the node' };
const POOL = { port: 'peer' } as const;
const NEW_PEER: Rest<typeof nothing> = {
  ...{ port: 'peer', status: 204, encodings: [], body: json(peerModel), changes: true },
  refusals: { 400: 'Invalid hostaddress' },
};

export const ENDPOINTS = {
  payload: of('GET /chain/{chain}/payload/{payloadHash}', '4.1', 'one payload', payloadModel, {
    query: { height: 'whole' },
    refusals: NO_KEY,
  }),
  payloads: of('POST /chain/{chain}/payload/batch', '4.1', 'payloads', payloadsModel, {
    ...{ body: json(batchModel), refusals: { 404: 'no payloads match' }, maxBytes: LARGE },
  }),
  payloadWithOutputs: of(
    ...(['GET /chain/{chain}/payload/{payloadHash}/outputs', '4.1', 'one payload with outputs'] as const),
    payloadWithOutputsModel,
    { query: { height: 'whole' }, refusals: NO_KEY },
  ),
  payloadsWithOutputs: of(
    ...(['POST /chain/{chain}/payload/outputs/batch', '4.1', 'payloads with outputs'] as const),
    payloadsWithOutputsModel,
    { body: json(wholeBatchModel), refusals: { 404: 'no payloads match' }, maxBytes: LARGE },
  ),

  hashes: of('GET /chain/{chain}/hash', '4.2', 'block hashes, ascending, orphans included', pageModel, {
    ...{ port: 'service', query: WINDOW, item: hashModel, refusals: NONE_MATCHES },
  }),
  hashBranch: of(
    'POST /chain/{chain}/hash/branch',
    '4.2',
    'block hashes of a branch, descending',
    pageModel,
    {
      ...{ ...BRANCH, port: 'service', item: hashModel },
    },
  ),

  headers: of('GET /chain/{chain}/header', '4.3', 'headers, ascending, orphans included', pageModel, {
    ...{
      query: WINDOW,
      encodings: ENCODINGS,
      item: headerModel,
      refusals: { ...NONE_MATCHES, ...NOT_ACCEPTED },
    },
  }),
  header: of('GET /chain/{chain}/header/{blockHash}', '4.3', 'one header', headerModel, {
    ...{ encodings: [...ENCODINGS, BYTES_TYPE], refusals: { ...NO_KEY, ...NOT_ACCEPTED } },
  }),
  headerBranch: of('POST /chain/{chain}/header/branch', '4.3', 'headers of a branch, descending', pageModel, {
    ...{
      ...BRANCH,
      encodings: ENCODINGS,
      item: headerModel,
      refusals: { ...BRANCH.refusals, ...NOT_ACCEPTED },
    },
  }),

  blocks: of('GET /chain/{chain}/block', '4.4', 'whole blocks, ascending, orphans included', pageModel, {
    ...{ port: 'service', query: WINDOW, encodings: ENCODINGS, item: blockModel },
    ...{ refusals: { ...NONE_MATCHES, ...NOT_ACCEPTED }, maxBytes: LARGE },
  }),
  blockBranch: of(
    'POST /chain/{chain}/block/branch',
    '4.4',
    'whole blocks of a branch, descending',
    pageModel,
    {
      ...{ ...BRANCH, port: 'service', encodings: ENCODINGS, item: blockModel },
      ...{ refusals: { ...BRANCH.refusals, ...NOT_ACCEPTED }, maxBytes: LARGE },
    },
  ),

  pending: of('POST /chain/{chain}/mempool/getPending', '4.5', 'request keys of what waits', pendingModel, {
    ...{ ...POOL, query: { nonce: 'integer64', since: 'integer64' } },
  }),
  member: of('POST /chain/{chain}/mempool/member', '4.5', 'whether each of these waits', memberModel, {
    ...{ ...POOL, body: json(keysModel, 'request key') },
  }),
  lookup: of('POST /chain/{chain}/mempool/lookup', '4.5', 'each of these that waits', lookupModel, {
    ...{ ...POOL, body: json(keysModel, 'request key') },
  }),
  insert: of('PUT /chain/{chain}/mempool/insert', '4.5', 'takes transactions, all or none', nothing, {
    ...{ ...POOL, body: json(transactionsModel, 'transaction'), encodings: [], changes: true },
    refusals: { 400: 'a transaction is refused' },
  }),
  poolPeers: of('GET /chain/{chain}/mempool/peer', 'D', 'peers of the exchange of transactions', pageModel, {
    ...{ ...POOL, query: PLACES, item: peerModel },
  }),
  addPoolPeer: of('PUT /chain/{chain}/mempool/peer', 'D', 'tells of such a peer', nothing, NEW_PEER),

  // Its answer may be lost: who repeats it may hear that the transaction is on the chain already.
  send: of('POST /chain/{chain}/pact/api/v1/send', 'T', 'takes commands, all or none', sentModel, {
    ...{ ...COMMANDS, body: json(commandsModel), refusals: REFUSED, changes: true },
  }),
  poll: of('POST /chain/{chain}/pact/api/v1/poll', 'T', 'what came of commands', polledModel, {
    ...{ ...COMMANDS, query: { confirmationDepth: 'whole' }, body: json(pollModel), refusals: REFUSED },
    maxBytes: LARGE,
  }),
  listen: of('POST /chain/{chain}/pact/api/v1/listen', 'T', 'waits for what comes of one', listenedModel, {
    ...{ ...COMMANDS, body: json(listenModel) },
    refusals: { ...REFUSED, 503: 'too many listen', 504: 'it is in no block after three minutes' },
  }),
  local: of('POST /chain/{chain}/pact/api/v1/local', 'T', 'what would come of a command', localModel, {
    ...{ ...COMMANDS, body: json(commandModel), refusals: REFUSED },
    query: { preflight: 'boolean', signatureVerification: 'boolean', rewindDepth: 'whole' },
  }),
  spv: of('POST /chain/{chain}/pact/spv', 'T', 'proof of a transaction for another chain', z.string(), {
    ...{ ...COMMANDS, body: json(spvModel), refusals: REFUSED },
  }),

  work: of('GET /mining/work', '4.6', 'work for a miner', nothing, {
    ...{
      ...MINING,
      query: { chain: 'whole' },
      body: json(minerModel),
      encodings: [BYTES_TYPE],
      maxBytes: 32_768,
    },
    refusals: { 403: 'this miner may not mine here', 503: 'too many works are under way' },
  }),
  solved: of('POST /mining/solved', '4.6', 'a solution', nothing, {
    ...{
      ...MINING,
      body: bytes('the header bytes of a work, solved'),
      status: 204,
      encodings: [],
      changes: true,
    },
    refusals: { 400: 'it is no solution', 404: 'no such work' },
  }),
  miningUpdates: of('GET /mining/updates', '4.6', 'tells when there is new work', nothing, {
    ...{ ...STREAM, ...MINING, body: bytes('the first four bytes of a work; none for all chains') },
    events: ['New Cut', 'Refreshed Block'],
  }),

  startBackup: of('POST /make-backup', '4.7', 'starts a backup, or names the one that runs', nothing, {
    ...{
      port: 'service',
      needs: 'backup',
      query: { backupPact: 'flag' },
      encodings: [TEXT_TYPE],
      changes: true,
    },
    refusals: { 403: 'a web page asks, that is with an `Origin`', 507: 'there is no room' },
  }),
  backupState: of('GET /check-backup/{backupId}', '4.7', 'how a backup stands', nothing, {
    ...{
      port: 'service',
      needs: 'backup',
      encodings: [TEXT_TYPE],
      refusals: { 404: 'no job has this identifier' },
    },
  }),
  healthCheck: of('GET /health-check', '4.7', 'whether the node answers', nothing, {
    ...{ port: 'service', at: 'both', encodings: [TEXT_TYPE] },
  }),
  info: of('GET /info', '4.7', 'what the node is', infoModel, { port: 'service', at: 'both' }),
  config: of('GET /config', '4.7', 'its configuration without secrets', configModel, {
    port: 'peer',
    at: 'root',
  }),

  headerUpdates: of('GET /header/updates', '4.8', 'headers of new blocks', headerEventModel, {
    ...{ ...STREAM, needs: 'headerStream', events: ['BlockHeader'] },
  }),
  blockUpdates: of('GET /block/updates', '4.8', 'new blocks', blockEventModel, {
    // Real nodes have one name for both.
    ...{ ...STREAM, needs: 'headerStream', events: ['Block', 'BlockHeader'] },
  }),

  cut: of('GET /cut', '2', 'the head of every chain', cutModel, { query: { maxheight: 'whole' } }),
  putCut: of('PUT /cut', '2', 'offers a cut', nothing, {
    ...{ port: 'peer', body: json(offeredCutModel), status: 204, encodings: [], changes: true },
    refusals: { 400: 'Cut is missing an origin entry', 401: 'Unknown peer' },
  }),
  cutPeers: of('GET /cut/peer', 'D', 'peers of the exchange of cuts', pageModel, {
    ...{ port: 'peer', query: PLACES, item: peerModel },
  }),
  addCutPeer: of('PUT /cut/peer', 'D', 'tells of such a peer', nothing, NEW_PEER),
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointKey = keyof typeof ENDPOINTS;
export const ENDPOINT_KEYS = Object.keys(ENDPOINTS) as EndpointKey[];

/** Bounds of what is asked at once, by port. What is named beyond them, real nodes leave out; of bounds they refuse more. */
export const LIMITS = {
  service: { hash: 4096, header: 360, block: 360, bounds: 32, batch: 1000 },
  peer: { hash: 4096, header: 20, block: 360, bounds: 4, batch: 0 },
} as const;

export type Values = Readonly<Record<string, string | number | bigint | undefined>>;

/** Names and kinds of what stands in a path. */
export function pathParameters(path: string): readonly (readonly [name: string, kind: ParameterKind])[] {
  return Array.from(
    path.matchAll(/\{(\w+)\}/g),
    ([, name = '']) => [name, PATH_KINDS[name] ?? 'flag'] as const,
  );
}

/** The path with its values. Throws RangeError for one that is missing or cannot be. */
export function pathOf({ path }: Pick<Endpoint, 'path'>, values: Values): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(checkParameter(PATH_KINDS[name] ?? 'flag', name, String(values[name] ?? ''))),
  );
}

/** `?name=value&…` of what is given, or nothing. Throws RangeError. */
export function queryOf({ query }: Pick<Endpoint, 'query'>, values: Values): string {
  const given = Object.entries(query).flatMap(([name, kind]) => {
    const value = values[name];
    return value === undefined
      ? []
      : [`${name}=${encodeURIComponent(checkParameter(kind, name, String(value)))}`];
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** What is wrong with the bounds of a branch, if they are too many. */
export function tooManyBounds(bounds: z.output<typeof boundsModel>, most: number): string | undefined {
  for (const name of ['lower', 'upper'] as const) {
    const count = bounds[name]?.length ?? 0;
    if (count > most) return `branch bounds exceeded: ${count} ${name} bounds, at most ${most}`;
  }
  return undefined;
}
