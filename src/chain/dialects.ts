/** What differs between the interface as it is written and real nodes, as values: nothing else asks whose way is followed. */
import type { z } from 'zod';
import type { EndpointKey } from './endpoints.js';
import { anyMinerModel, wholeBatchModel } from './models.js';

export interface Dialect {
  readonly name: 'specification' | 'chainweb';
  /** One port for everything, or two: for miners and readers, and for other nodes. */
  readonly hasPeerPort: boolean;
  /** Information and health below the base address too. */
  readonly tellsAtBase: boolean;
  /** Header of every answer with the version of the software. */
  readonly softwareHeader: string;
  /** Key of the network's name in headers as objects. */
  readonly versionKey: 'ledgerVersion' | 'chainwebVersion';
  /** How keys of the configuration call contracts. */
  readonly contract: 'Contract' | 'Pact';
  readonly textType: string;
  readonly healthText: string;
  /** Of `POST /mining/solved` for what was received. */
  readonly solvedStatus: 200 | 204;
  /** Every rule is looked at before a solution is answered; real nodes look at some afterwards, and let the chain be when one is missed. */
  readonly judgesBeforeAnswer: boolean;
  /** At the limit of works that are remembered, those on old blocks make room. */
  readonly dropsStaleWork: boolean;
  /** Nonces of pools are any 64-bit integers, or from 0 on. */
  readonly signedPoolNonces: boolean;
  readonly backupStatus: 200 | 202;
  readonly blockEvent: 'Block' | 'BlockHeader';
  /** Streams of blocks tell of them as they join the cut, or as they come. */
  readonly tellsJoined: boolean;
  /** One stream less than the limit. */
  readonly refusesLastStream: boolean;
  /** An empty page, or 404, where nothing matches. */
  readonly emptyPages: boolean;
  /** Listings end with a cursor to an empty page, not with null. */
  readonly listingsEndOpen: boolean;
  /** Lower bounds of a branch that are not known are left out, or 404. */
  readonly ignoresUnknownLower: boolean;
  /** Of the heights and hashes of a batch the shorter list counts. */
  readonly pairsHeights: boolean;
  /** An empty list, or 404, where no payload of a batch is known. */
  readonly emptyBatches: boolean;
  /** Bodies that are taken in another form than the table says. */
  readonly bodies: Readonly<Partial<Record<EndpointKey, z.ZodType>>>;
  /** So many requests a second of an address on the peer port, and no more. */
  readonly throttles: boolean;
  /** Streams of updates need the bytes of a chain, answer nothing until it has work, and tell refreshed works apart. */
  readonly streamsByChain: boolean;
  /** Some refusals have no content type, or no text. */
  readonly bareRefusals: boolean;
  /** Unless the node is told otherwise: whether it tells of headers and blocks, and how often work changes for new transactions. */
  readonly headerStream: boolean;
  readonly payloadRefreshMs: number;
}

const SPECIFICATION: Dialect = {
  name: 'specification',
  hasPeerPort: false,
  tellsAtBase: true,
  softwareHeader: 'x-ledger-node-version',
  versionKey: 'ledgerVersion',
  contract: 'Contract',
  textType: 'text/plain',
  healthText: 'Health check OK.',
  solvedStatus: 204,
  judgesBeforeAnswer: true,
  dropsStaleWork: true,
  signedPoolNonces: false,
  backupStatus: 200,
  blockEvent: 'Block',
  tellsJoined: false,
  refusesLastStream: false,
  emptyPages: false,
  listingsEndOpen: false,
  ignoresUnknownLower: false,
  pairsHeights: false,
  emptyBatches: false,
  bodies: {},
  throttles: false,
  streamsByChain: false,
  bareRefusals: false,
  headerStream: true,
  payloadRefreshMs: 1000,
};

const CHAINWEB: Dialect = {
  name: 'chainweb',
  hasPeerPort: true,
  tellsAtBase: false,
  softwareHeader: 'x-chainweb-node-version',
  versionKey: 'chainwebVersion',
  contract: 'Pact',
  textType: 'text/plain;charset=utf-8',
  healthText: 'Health check OK.\n',
  solvedStatus: 200,
  judgesBeforeAnswer: false,
  dropsStaleWork: false,
  signedPoolNonces: true,
  backupStatus: 202,
  blockEvent: 'BlockHeader',
  tellsJoined: true,
  refusesLastStream: true,
  emptyPages: true,
  listingsEndOpen: true,
  ignoresUnknownLower: true,
  pairsHeights: true,
  emptyBatches: true,
  bodies: { payloads: wholeBatchModel, work: anyMinerModel },
  throttles: true,
  streamsByChain: true,
  bareRefusals: true,
  headerStream: false,
  payloadRefreshMs: 15_000,
};

export const DIALECTS: Readonly<Record<Dialect['name'], Dialect>> = {
  specification: SPECIFICATION,
  chainweb: CHAINWEB,
};
