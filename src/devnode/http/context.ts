/** What the routes work on. */
import type { Log } from '../../core/log.js';
import type { Backups } from '../backups.js';
import type { Chains } from '../chains.js';
import type { NodeClock } from '../clock.js';
import type { Faults } from '../faults.js';
import type { KnownPeers } from '../known-peers.js';
import type { Mempool } from '../mempool.js';
import type { Mining } from '../mining.js';
import type { PeerLinks } from '../peers.js';
import type { DevNodeSettings } from '../settings.js';
import type { HeaderNames } from './encode.js';
import type { StreamSet } from './streams.js';

/** What one of the node's ports serves. Real nodes have two; the specification knows of one. */
export interface PortRules {
  readonly role: 'both' | 'service' | 'peer';
  /** Most headers of a page, most bounds of a branch each way, most payloads of a batch that are looked at. */
  readonly mostHeaders: number;
  readonly mostBounds: number;
  readonly mostOfBatch: number;
}

export const PORT_RULES: Readonly<Record<PortRules['role'], PortRules>> = {
  both: { role: 'both', mostHeaders: 360, mostBounds: 32, mostOfBatch: 1000 },
  service: { role: 'service', mostHeaders: 360, mostBounds: 32, mostOfBatch: 1000 },
  peer: { role: 'peer', mostHeaders: 20, mostBounds: 4, mostOfBatch: 0 },
};

export interface NodeContext {
  readonly settings: DevNodeSettings;
  readonly port: PortRules;
  readonly chains: Chains;
  readonly mining: Mining;
  readonly mempool: Mempool;
  readonly peers: PeerLinks;
  readonly knownPeers: KnownPeers;
  /** Absent where backups are not enabled. */
  readonly backups: Backups | undefined;
  readonly faults: Faults;
  readonly clock: NodeClock;
  readonly log: Log;
  readonly names: HeaderNames;
  /** Streams of mining/updates, and of header and block updates. */
  readonly miningStreams: StreamSet;
  readonly blockStreams: StreamSet;
  /** Aborts when the node closes. */
  readonly closing: AbortSignal;
}
