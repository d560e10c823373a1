/** Rows of the table of endpoints: what a node is asked about one chain. */
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
} from '../command-models.js';
import {
  BYTES_TYPE,
  type Endpoint,
  JSON_TYPE,
  json,
  NEW_PEER,
  nothing,
  OBJECT_TYPE,
  of,
  PLACES,
  UTF8_JSON_TYPE,
} from '../endpoint.js';
import {
  batchModel,
  blockModel,
  boundsModel,
  hashModel,
  headerModel,
  keysModel,
  lookupModel,
  memberModel,
  pageModel,
  payloadModel,
  payloadsModel,
  payloadsWithOutputsModel,
  payloadWithOutputsModel,
  peerModel,
  pendingModel,
  transactionsModel,
  wholeBatchModel,
} from '../models.js';

/** Full blocks may be large: 360 of them are a page. */
const LARGE = 64 * 1024 * 1024;
const NO_KEY = { 404: 'key not found' };
const NOT_ACCEPTED = { 406: 'an encoding that is not offered' };
const ENCODINGS = [JSON_TYPE, OBJECT_TYPE] as const;
const WINDOW = { ...PLACES, minheight: 'whole', maxheight: 'whole' } as const;

const PAYLOAD_ADVICE = {
  400: 'check hashes and heights; a batch on the peer port is not allowed',
  404: 'the node does not have this payload: is the chain right, and is the node synchronised?',
};
const PAYLOAD = { section: '4.1', advice: PAYLOAD_ADVICE } as const;

const MOST_HASHES = { service: 4096, peer: 4096 };
const MOST_HEADERS = { service: 360, peer: 20 };
const MOST_BLOCKS = { service: 360, peer: 360 };
/** Batches are of the service port. */
const MOST_PAYLOADS = { service: 1000, peer: 0 };

const CHAIN_ADVICE = {
  400: 'check the hashes, heights and the cursor; a branch takes at most 32 upper and 32 lower bounds (4 on the peer port)',
  404: 'nothing matches, or the node does not know the block or chain: is the chain right, and is the node synchronised?',
};
const LISTING = {
  model: pageModel,
  query: WINDOW,
  refusals: { 404: 'nothing matches, or next or maxheight is not there' },
  advice: CHAIN_ADVICE,
} as const;
const BRANCH = {
  model: pageModel,
  query: WINDOW,
  body: json(boundsModel),
  mostBounds: { service: 32, peer: 4 },
  refusals: { 400: 'branch bounds exceeded', 404: 'a bound or next is not on the chain' },
  advice: CHAIN_ADVICE,
} as const;

const POOL = {
  section: '4.5',
  port: 'peer',
  advice: {
    400: 'the node refused a transaction or could not read the request: see the text of the answer',
    404: 'real nodes serve the mempool on their peer port only (1789 by default, TLS)',
  },
} as const;
/** What comes of commands. Its words of refusal are for clients, as they are. */
const COMMANDS = {
  section: 'T',
  port: 'service',
  encodings: [UTF8_JSON_TYPE],
  isSilent: true,
  refusals: { 400: 'refused, in the words of the node' },
  advice: {
    400: 'the node refused a command: see the text of the answer',
    404: 'is the chain right? Real nodes serve commands on their service port only (1848 by default)',
    503: 'too many requests wait already: ask less often, or poll',
  },
} as const;

export const CHAIN_ENDPOINTS = {
  payload: of('GET /chain/{chain}/payload/{payloadHash}', {
    ...PAYLOAD,
    summary: 'one payload',
    model: payloadModel,
    query: { height: 'whole' },
    refusals: NO_KEY,
  }),
  payloads: of('POST /chain/{chain}/payload/batch', {
    ...PAYLOAD,
    summary: 'payloads',
    model: payloadsModel,
    body: json(batchModel),
    most: MOST_PAYLOADS,
    refusals: { 404: 'no payloads match' },
    maxBytes: LARGE,
  }),
  payloadWithOutputs: of('GET /chain/{chain}/payload/{payloadHash}/outputs', {
    ...PAYLOAD,
    summary: 'one payload with outputs',
    model: payloadWithOutputsModel,
    query: { height: 'whole' },
    refusals: NO_KEY,
  }),
  payloadsWithOutputs: of('POST /chain/{chain}/payload/outputs/batch', {
    ...PAYLOAD,
    summary: 'payloads with outputs',
    model: payloadsWithOutputsModel,
    body: json(wholeBatchModel),
    most: MOST_PAYLOADS,
    refusals: { 404: 'no payloads match' },
    maxBytes: LARGE,
  }),

  hashes: of('GET /chain/{chain}/hash', {
    ...LISTING,
    section: '4.2',
    summary: 'block hashes, ascending, orphans included',
    port: 'service',
    item: hashModel,
    most: MOST_HASHES,
  }),
  hashBranch: of('POST /chain/{chain}/hash/branch', {
    ...BRANCH,
    section: '4.2',
    summary: 'block hashes of a branch, descending',
    port: 'service',
    item: hashModel,
    most: MOST_HASHES,
  }),

  headers: of('GET /chain/{chain}/header', {
    ...LISTING,
    section: '4.3',
    summary: 'headers, ascending, orphans included',
    encodings: ENCODINGS,
    item: headerModel,
    most: MOST_HEADERS,
    refusals: { ...LISTING.refusals, ...NOT_ACCEPTED },
  }),
  header: of('GET /chain/{chain}/header/{blockHash}', {
    section: '4.3',
    summary: 'one header',
    model: headerModel,
    encodings: [...ENCODINGS, BYTES_TYPE],
    refusals: { ...NO_KEY, ...NOT_ACCEPTED },
    advice: CHAIN_ADVICE,
  }),
  headerBranch: of('POST /chain/{chain}/header/branch', {
    ...BRANCH,
    section: '4.3',
    summary: 'headers of a branch, descending',
    encodings: ENCODINGS,
    item: headerModel,
    most: MOST_HEADERS,
    refusals: { ...BRANCH.refusals, ...NOT_ACCEPTED },
  }),

  blocks: of('GET /chain/{chain}/block', {
    ...LISTING,
    section: '4.4',
    summary: 'whole blocks, ascending, orphans included',
    port: 'service',
    encodings: ENCODINGS,
    item: blockModel,
    most: MOST_BLOCKS,
    refusals: { ...LISTING.refusals, ...NOT_ACCEPTED },
    maxBytes: LARGE,
  }),
  blockBranch: of('POST /chain/{chain}/block/branch', {
    ...BRANCH,
    section: '4.4',
    summary: 'whole blocks of a branch, descending',
    port: 'service',
    encodings: ENCODINGS,
    item: blockModel,
    most: MOST_BLOCKS,
    refusals: { ...BRANCH.refusals, ...NOT_ACCEPTED },
    maxBytes: LARGE,
  }),

  pending: of('POST /chain/{chain}/mempool/getPending', {
    ...POOL,
    summary: 'request keys of what waits',
    model: pendingModel,
    query: { nonce: 'integer64', since: 'integer64' },
  }),
  member: of('POST /chain/{chain}/mempool/member', {
    ...POOL,
    summary: 'whether each of these waits',
    model: memberModel,
    body: json(keysModel, 'request key'),
  }),
  lookup: of('POST /chain/{chain}/mempool/lookup', {
    ...POOL,
    summary: 'each of these that waits',
    model: lookupModel,
    body: json(keysModel, 'request key'),
  }),
  insert: of('PUT /chain/{chain}/mempool/insert', {
    ...POOL,
    summary: 'takes transactions, all or none',
    model: nothing,
    body: json(transactionsModel, 'transaction'),
    encodings: [],
    changes: true,
    refusals: { 400: 'a transaction is refused' },
  }),
  poolPeers: of('GET /chain/{chain}/mempool/peer', {
    ...POOL,
    section: 'D',
    summary: 'peers of the exchange of transactions',
    model: pageModel,
    query: PLACES,
    item: peerModel,
  }),
  addPoolPeer: of('PUT /chain/{chain}/mempool/peer', {
    ...NEW_PEER,
    summary: 'tells of such a peer',
    advice: POOL.advice,
  }),

  // Its answer may be lost: who repeats it may hear that the transaction is on the chain already.
  send: of('POST /chain/{chain}/pact/api/v1/send', {
    ...COMMANDS,
    summary: 'takes commands, all or none',
    model: sentModel,
    body: json(commandsModel),
    changes: true,
  }),
  poll: of('POST /chain/{chain}/pact/api/v1/poll', {
    ...COMMANDS,
    summary: 'what came of commands',
    model: polledModel,
    query: { confirmationDepth: 'whole' },
    body: json(pollModel),
    maxBytes: LARGE,
  }),
  listen: of('POST /chain/{chain}/pact/api/v1/listen', {
    ...COMMANDS,
    summary: 'waits for what comes of one',
    model: listenedModel,
    body: json(listenModel),
    refusals: {
      ...COMMANDS.refusals,
      503: 'too many listen',
      504: 'it is in no block after three minutes',
    },
  }),
  local: of('POST /chain/{chain}/pact/api/v1/local', {
    ...COMMANDS,
    summary: 'what would come of a command',
    model: localModel,
    body: json(commandModel),
    query: { preflight: 'boolean', signatureVerification: 'boolean', rewindDepth: 'whole' },
  }),
  spv: of('POST /chain/{chain}/pact/spv', {
    ...COMMANDS,
    summary: 'proof of a transaction for another chain',
    model: z.string(),
    body: json(spvModel),
  }),
} as const satisfies Readonly<Record<string, Endpoint>>;
