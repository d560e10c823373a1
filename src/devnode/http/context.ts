/** What the routes work on. */
import type { Dialect } from '../../chain/dialects.js';
import type { HeaderNames } from '../../chain/encode.js';
import type { ByPort } from '../../chain/endpoint.js';
import type { Log } from '../../core/names/log.js';
import type { CertificatePair } from '../../tls/self-signed.js';
import type { NodeClock } from '../clock.js';
import type { Chains } from '../consensus/chains.js';
import type { Mempool } from '../mining/mempool.js';
import type { Mining } from '../mining/mining.js';
import type { Faults } from '../orders/faults.js';
import type { KnownPeers } from '../peers/known-peers.js';
import type { PeerLinks } from '../peers/peers.js';
import type { NodeSettings } from '../settings.js';
import type { Backups } from '../storage/backups.js';
import type { BlockNews } from './block-news.js';
import type { Listeners } from './listeners.js';
import type { StreamSet } from './streams.js';

/** As it stands in every path. */
export const API_VERSION = '0.0';
/** What the node calls its software in each answer. */
export const NODE_VERSION = '0.2.0';

/** Which of the interface a port serves. Real nodes have two; the specification knows of one. */
type PortRole = 'both' | 'service' | 'peer';

export interface NodeContext {
  readonly settings: Omit<NodeSettings, 'headerStream'> & { readonly headerStream: boolean };
  /** Whose way is followed where the interface and real nodes differ. */
  readonly dialect: Dialect;
  readonly port: PortRole;
  readonly chains: Chains;
  readonly mining: Mining;
  readonly mempool: Mempool;
  readonly peers: PeerLinks;
  readonly knownPeers: KnownPeers;
  /** Of the peer port. */
  readonly certificate: CertificatePair | undefined;
  /** Absent where backups are not enabled. */
  readonly backups: Backups | undefined;
  readonly faults: Faults;
  readonly clock: NodeClock;
  readonly log: Log;
  readonly names: HeaderNames;
  /** Streams of mining/updates, and of header and block updates. */
  readonly miningStreams: StreamSet;
  readonly blockStreams: StreamSet;
  readonly listeners: Listeners;
  readonly blockNews: BlockNews;
  /** Aborts when the node closes. */
  readonly closing: AbortSignal;
}

/** What this port has of it. */
export function mostAt(port: PortRole, most: ByPort | undefined): number {
  return most?.[port === 'peer' ? 'peer' : 'service'] ?? Number.POSITIVE_INFINITY;
}
