/**
 * `stratum-bridge/dev-node`: the development node from code, for tests and scripts.
 *
 *     await using node = await startDevNode({ proofOfWork: false });
 *     await node.mine({ count: 3 });
 */
import type { FundedAccount } from './accounts.js';
import type { Made, MineOrder } from './mining/block-maker.js';
import type { ClockInfo } from './orders.js';
import { type CutSummary, type DevNodeOptions, startDevNode as start } from './server.js';
import type { SnapshotInfo } from './storage/snapshots.js';

export type { AccountOrder, FundedAccount } from './accounts.js';
export type { Made, MineOrder } from './mining/block-maker.js';
export { MineError } from './mining/block-maker.js';
export { type ClockInfo, OrderError } from './orders.js';
export type { CutSummary, DevNodeOptions } from './server.js';
export { SnapshotError, type SnapshotInfo } from './storage/snapshots.js';

export interface DevNode extends AsyncDisposable {
  /** Base address of the interface: `http://host:port/chainweb/0.0/<network>`. */
  readonly url: string;
  /** `http://host:port` */
  readonly rootUrl: string;
  /** Address of the control port; `undefined` when none was asked for. */
  readonly controlUrl: string | undefined;
  /** The accounts of the option `accounts`, with the keys that were made. */
  readonly accounts: readonly FundedAccount[];
  /** The cut as it is now. */
  cut(): CutSummary;
  /** Mines; without an order a block on each chain. Rejects with {@link MineError} for an order that cannot be. */
  mine(order?: MineOrder): Promise<Made>;
  /** The clock of the node, which stamps blocks and answers. */
  clock(): ClockInfo;
  /** Puts the clock ahead. */
  advance(ms: number): ClockInfo;
  /** Stops the clock; each block moves it by `stepMs`, a microsecond by default. */
  freeze(stepMs?: number): ClockInfo;
  /** Lets the clock go on from where it stood. */
  run(): ClockInfo;
  /** The time of the next block that is made here: a Date, or milliseconds since the epoch. */
  nextBlockAt(time: Date | number): ClockInfo;
  /** Notes cut, blocks, mempool and clock. Without an id it gives one of its own. */
  snapshot(id?: string): SnapshotInfo;
  /** Goes back there; later snapshots are gone. Throws {@link SnapshotError} for one that is not there. */
  revert(id: string): SnapshotInfo;
  close(): Promise<void>;
}

/**
 * Starts a node on a free port of 127.0.0.1 unless `listen` says otherwise; it serves when the promise resolves.
 * Rejects with a RangeError that names a bad setting.
 */
export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const node = await start({ listen: { host: '127.0.0.1', port: 0 }, ...options });
  const { url, rootUrl, controlUrl, orders, accounts } = node;
  let unnamed = 0;
  return {
    url,
    rootUrl,
    controlUrl,
    accounts,
    cut: () => node.cut(),
    mine: (order) => orders.mine(order),
    clock: () => orders.clock,
    advance: (ms) => orders.advance(ms),
    freeze: (stepMs) => orders.freeze(stepMs),
    run: () => orders.run(),
    nextBlockAt: (time) => orders.nextBlockAt(time),
    snapshot: (id = `snapshot-${++unnamed}`) => orders.snapshots.take(id),
    revert: (id) => orders.snapshots.revert(id),
    close: () => node.close(),
    [Symbol.asyncDispose]: () => node.close(),
  };
}
