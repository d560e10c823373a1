/** What the works of a node need from outside, and what they tell of it. */
import type { WorkSink } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import type { ConnectOptions, Miner } from './client.js';
import type { Explanation } from './explain.js';
import type { WorkTimings } from './work-timings.js';

export interface NodeStatus extends Explanation {
  readonly network: string;
}

export interface WorkSourceOptions {
  readonly url: string;
  readonly miner: Miner;
  /** TLS and headers. */
  readonly connect?: ConnectOptions | undefined;
  readonly sink: Pick<WorkSink, 'offerWork' | 'retireWork'>;
  readonly onStatus: (status: NodeStatus) => void;
  /** How many rigs work on a chain: the least crowded are given up first. */
  readonly crowdOn?: ((chainId: number) => number) | undefined;
  readonly log: Log;
  readonly random: () => number;
  /** Milliseconds, rising. */
  readonly now: () => number;
  readonly timings?: Partial<WorkTimings>;
}
