/** Rows of the table of endpoints: what a node is asked about all chains, or itself. */
import {
  BYTES_TYPE,
  bytes,
  type Endpoint,
  EVENTS_TYPE,
  json,
  NEW_PEER,
  nothing,
  of,
  PLACES,
  TEXT_TYPE,
} from '../endpoint.js';
import {
  blockEventModel,
  configModel,
  cutModel,
  headerEventModel,
  infoModel,
  minerModel,
  offeredCutModel,
  pageModel,
  peerModel,
} from '../models.js';

/** A work has 322 bytes; whatever stands there instead is shown in part. */
const SMALL = 32 * 1024;

const MINING = {
  section: '4.6',
  model: nothing,
  port: 'service',
  needs: 'mining',
  advice: {
    403: 'add the account with these keys and this predicate to mining.coordination.miners in the configuration of the node',
    404: 'enable mining coordination (mining.coordination) in the configuration of the node',
    503: 'too many works or streams are under way: use fewer chains (work.chains), or raise limit or updateStreamLimit in mining.coordination',
  },
} as const;
/** A GET that has one. */
const NO_BODY = 'a proxy in between may strip the body or type of GET requests: reach the node without it';
const UPDATES = {
  section: '4.8',
  port: 'service',
  needs: 'headerStream',
  encodings: [EVENTS_TYPE],
  refusals: { 503: 'too many streams' },
  advice: { 404: 'set headerStream: true in the configuration of the node' },
} as const;

const NO_BACKUPS = 'backup.api.enabled and a backup directory in the configuration of the node';
const BACKUP = { section: '4.7', port: 'service', needs: 'backup', encodings: [TEXT_TYPE] } as const;

export const NODE_ENDPOINTS = {
  work: of('GET /mining/work', {
    ...MINING,
    summary: 'work for a miner',
    query: { chain: 'whole' },
    body: json(minerModel),
    encodings: [BYTES_TYPE],
    refusals: { 403: 'this miner may not mine here', 503: 'too many works are under way' },
    advice: { ...MINING.advice, 400: NO_BODY, 415: NO_BODY },
    maxBytes: SMALL,
  }),
  solved: of('POST /mining/solved', {
    ...MINING,
    summary: 'a solution',
    body: bytes('the header bytes of a work, solved'),
    status: 204,
    encodings: [],
    changes: true,
    refusals: { 400: 'it is no solution', 404: 'no such work' },
    advice: {
      ...MINING.advice,
      400: 'the solution is malformed or misses its target: check hash and target before posting',
      404: 'the node no longer has this work: it was solved before, or is older than five minutes. If it speaks of no payload at all, mining is disabled',
    },
  }),
  miningUpdates: of('GET /mining/updates', {
    ...MINING,
    summary: 'tells when there is new work',
    body: bytes('the first four bytes of a work; none for all chains'),
    encodings: [EVENTS_TYPE],
    events: ['New Cut', 'Refreshed Block'],
    refusals: { 503: 'too many streams' },
  }),

  startBackup: of('POST /make-backup', {
    ...BACKUP,
    summary: 'starts a backup, or names the one that runs',
    model: nothing,
    query: { backupPact: 'flag' },
    changes: true,
    refusals: { 403: 'a web page asks, that is with an `Origin`', 507: 'there is no room' },
    advice: { 404: `set ${NO_BACKUPS}` },
  }),
  backupState: of('GET /check-backup/{backupId}', {
    ...BACKUP,
    summary: 'how a backup stands',
    model: nothing,
    refusals: { 404: 'no job has this identifier' },
    advice: {
      404: `no backup has this id, or there is no ${NO_BACKUPS}`,
      500: 'real nodes fail so for an id they do not know: check the id',
    },
  }),
  healthCheck: of('GET /health-check', {
    section: '4.7',
    summary: 'whether the node answers',
    model: nothing,
    port: 'service',
    at: 'both',
    encodings: [TEXT_TYPE],
  }),
  info: of('GET /info', {
    section: '4.7',
    summary: 'what the node is',
    model: infoModel,
    port: 'service',
    at: 'both',
  }),
  config: of('GET /config', {
    section: '4.7',
    summary: 'its configuration without secrets',
    model: configModel,
    port: 'peer',
    at: 'root',
    advice: { 404: 'real nodes serve the configuration on their peer port only (1789 by default, TLS)' },
  }),

  headerUpdates: of('GET /header/updates', {
    ...UPDATES,
    summary: 'headers of new blocks',
    model: headerEventModel,
    events: ['BlockHeader'],
  }),
  blockUpdates: of('GET /block/updates', {
    ...UPDATES,
    summary: 'new blocks',
    model: blockEventModel,
    // Real nodes have one name for both.
    events: ['Block', 'BlockHeader'],
  }),

  cut: of('GET /cut', {
    section: '2',
    summary: 'the head of every chain',
    model: cutModel,
    query: { maxheight: 'whole' },
  }),
  putCut: of('PUT /cut', {
    section: '2',
    summary: 'offers a cut',
    model: nothing,
    port: 'peer',
    body: json(offeredCutModel),
    status: 204,
    encodings: [],
    changes: true,
    refusals: { 400: 'Cut is missing an origin entry', 401: 'Unknown peer' },
  }),
  cutPeers: of('GET /cut/peer', {
    section: 'D',
    summary: 'peers of the exchange of cuts',
    model: pageModel,
    port: 'peer',
    query: PLACES,
    item: peerModel,
  }),
  addCutPeer: of('PUT /cut/peer', { ...NEW_PEER, summary: 'tells of such a peer' }),
} as const satisfies Readonly<Record<string, Endpoint>>;
