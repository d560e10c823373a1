/**
 * `stratum-bridge/dev-node`: the development node from code, for tests and scripts.
 *
 *     await using node = await startDevNode({ proofOfWork: false });
 *     await node.orders.mine({ count: 3 });
 */
import { type DevNode, type DevNodeOptions, startDevNode as start } from './server.js';
import { defaultSettings } from './settings.js';

export type { FundedAccount } from './coin/funded-accounts.js';
export type { Made, MineOrder } from './orders/block-maker.js';
export { OrderError } from './orders/order-error.js';
export type { ClockInfo, Orders } from './orders/orders.js';
export type { SnapshotInfo } from './orders/snapshots.js';
export type { CutSummary, DevNode, DevNodeOptions } from './server.js';

/**
 * Starts a node on a free port of 127.0.0.1 with mining on unless the options say otherwise; it serves when the promise
 * resolves. The other defaults are those of the command. Rejects as the node itself does.
 */
export function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  return start({ ...defaultSettings(), listen: { host: '127.0.0.1', port: 0 }, mining: true, ...options });
}
