/** What the hub tells a front of its life: settings and state at its start, changes, its end. */
import type { KeptOrders } from '../../bridge/orders/steering.js';
import type { BridgeConfig } from '../../config/settings/settings.js';
import type { Contract } from '../../fleet/channel/contract.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';

export interface FrontStart {
  /** From 1 on. */
  readonly index: number;
  /** Of how many. */
  readonly count: number;
  readonly config: BridgeConfig;
  /** Its own, below that of the hub. */
  readonly dataDir: string;
  readonly connection: QueueConnection;
  /** Name of a port -> the descriptor that was inherited for it. */
  readonly sockets: readonly (readonly [name: string, fd: number])[];
  readonly orders: KeptOrders;
  /** As `FrontWorks.number`; absent while there is none. */
  readonly instance: number | undefined;
  /** As `FrontWorks.booksClock`. */
  readonly aheadMs: number;
}

export interface FrontLife {
  /** Resolves once it serves rigs. */
  begin(start: FrontStart): Promise<void>;
  /** Resolves with the keys that are in force now. */
  applyLive(config: BridgeConfig): Promise<readonly string[]>;
  /** Others take its place. Resolves once it lets nobody in any more; who is there is asked to go, and may stay until it is stopped. */
  leave(overMs: number): Promise<void>;
  /** The hub goes, and this front on without it: the next one is found at this path. */
  awaitHub(path: string): Promise<void>;
  /** Resolves once all is written down and closed, or left behind; then it ends. */
  stop(withinMs: number): Promise<void>;
}

export const LIFE: Contract<FrontLife> = {
  name: 'life',
  methods: { begin: 'call', applyLive: 'call', leave: 'call', awaitHub: 'call', stop: 'call' },
};
