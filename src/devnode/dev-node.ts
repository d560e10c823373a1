/**
 * `stratum-bridge/dev-node`: the development node from code, for tests and scripts.
 *
 *     await using node = await startDevNode({ proofOfWork: false });
 *     await node.orders.mine({ count: 3 });
 */
import { type DevNode, type DevNodeOptions, startDevNode as start } from './server.js';

export type { AccountOrder, FundedAccount } from './coin/funded-accounts.js';
export type { Made, MineOrder } from './orders/block-maker.js';
export { OrderError } from './orders/order-error.js';
export type { ClockInfo, Orders } from './orders/orders.js';
export type { SnapshotInfo } from './orders/snapshots.js';
export type { CutSummary, DevNode, DevNodeOptions } from './server.js';

/**
 * Starts a node on a free port of 127.0.0.1 unless `listen` says otherwise; it serves when the promise resolves.
 * Rejects with a RangeError that names a bad setting.
 */
export function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  return start({ listen: { host: '127.0.0.1', port: 0 }, ...options });
}
