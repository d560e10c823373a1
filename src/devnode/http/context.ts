/** What the routes work on. */
import type { Log } from '../../core/log.js';
import type { Backups } from '../backups.js';
import type { Chains } from '../chains.js';
import type { NodeClock } from '../clock.js';
import type { Faults } from '../faults.js';
import type { Mempool } from '../mempool.js';
import type { Mining } from '../mining.js';
import type { PeerLinks } from '../peers.js';
import type { DevNodeSettings } from '../settings.js';
import type { HeaderNames } from './encode.js';
import type { StreamSet } from './streams.js';

export interface NodeContext {
  readonly settings: DevNodeSettings;
  readonly chains: Chains;
  readonly mining: Mining;
  readonly mempool: Mempool;
  readonly peers: PeerLinks;
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
