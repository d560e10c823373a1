/**
 * `stratum-bridge/dev-node`: the development node from code, for tests and scripts.
 *
 *     await using node = await startDevNode({ proofOfWork: false });
 *     await node.orders.mine({ count: 3 });
 */
import { type DevNode, type DevNodeOptions, startDevNode as start } from './server.js';

export type { AccountOrder, FundedAccount } from './accounts.js';
export type { Made, MineOrder } from './mining/block-maker.js';
export { MineError } from './mining/block-maker.js';
export { type ClockInfo, OrderError, type Orders } from './orders.js';
export type { CutSummary, DevNode, DevNodeOptions } from './server.js';
export { SnapshotError, type SnapshotInfo } from './storage/snapshots.js';

/**
 * Starts a node on a free port of 127.0.0.1 unless `listen` says otherwise; it serves when the promise resolves.
 * Rejects with a RangeError that names a bad setting.
 */
export function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  return start({ listen: { host: '127.0.0.1', port: 0 }, ...options });
}
