/** What a stratum server is made from, and what it gives. */

import type { JobSink } from '../bridge/ports.js';
import type { SessionCounts } from '../bridge/session-counts.js';
import type { OtherBridges } from '../bridge/watch/other-bridges.js';
import type { RigWatch } from '../bridge/watch/rig-watch.js';
import type { RigOrderHandlers } from '../operations/orders/rig-orders.js';
import type { OrderHearer } from '../operations/orders/standing.js';
import type { Certificate } from '../tls/certificate.js';
import type { Listen, ListenAddress } from './admission/listener.js';
import type { OpenPort, PortOptions } from './admission/ports.js';
import type { KeptOrders, OrderKeeper, OrderSharing } from './operator/order-saver.js';
import type { KeptRigs } from './resume/former.js';
import type { RigSettings } from './rig-rules.js';
import type { SharedOptions } from './server-parts.js';

/** Its {@link RigSettings} may be changed while it runs. */
export interface StratumServerOptions extends RigSettings, SharedOptions {
  /** Where rigs come in; each has a name of its own. */
  readonly listeners: readonly PortOptions[];
  /** With it ports take TLS too; the owner closes it after the server. */
  readonly certificate?: Pick<Certificate, 'context'> | undefined;
  /** Web pages that may open a WebSocket here, by their Origin; `*` for all. */
  readonly origins?: readonly string[];
  /** How ports are opened that this process shares with others; its own by default. */
  readonly listen?: Listen | undefined;
  /** Whether a rig may begin on this chain; without it on any. */
  handsOut?(chainId: number): boolean;
  /** Why rigs are to mine elsewhere, as a sentence without its full stop; absent, or `undefined`, while there is live work. */
  whyReleased?(): string | undefined;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
  /** Where sessions are counted by chain, for who chooses the chains to work on. */
  readonly sessionCounts?: SessionCounts;
  /** An operator's orders are given to it. */
  readonly keeper?: OrderKeeper;
  /** Other bridges are told of them by it. */
  readonly sharing?: OrderSharing;
  /** What those have shown last of their rigs, for the lists. */
  others?(): OtherBridges;
  /** So many random bytes; a parameter so that tests can have the same twice. */
  readonly randomBytes?: (length: number) => Buffer;
}

export interface StratumServer {
  /** All sessions get the jobs that are given to it. */
  readonly jobs: JobSink;
  /** Of all ports as really bound, by name. */
  readonly addresses: Readonly<Record<string, ListenAddress>>;
  readonly ports: readonly OpenPort[];
  /** Also those that are closed while there is no work. */
  readonly allPorts: readonly OpenPort[];
  /** Open sessions, ready or not. */
  readonly sessions: number;
  /** What is kept for ended sessions that may come back. */
  readonly resumable: number;
  /** Connections that were not let in. */
  readonly refused: number;
  readonly watch: RigWatch;
  readonly operator: RigOrderHandlers & OrderHearer;
  /** All that an operator, or the bridge itself, has ordered and is in force. */
  readonly orders: KeptOrders;
  /** Rejects with `StratumListenError` when an address cannot be had; each that can is closed again. */
  check(): Promise<void>;
  /** Opens the ports, or has them rest while there is no work. Rejects with `StratumListenError` when an address cannot be had; nothing is left listening then. */
  listen(): Promise<void>;
  /** Takes all of them anew, from now on. */
  changeRules(settings: RigSettings): void;
  /** What rigs may come back to; all of it once the server is closed. */
  readonly kept: KeptRigs;
  /** No new connections; rigs are told; pending submits are answered; then every session is ended. */
  close(withinMs?: number): Promise<void>;
}
