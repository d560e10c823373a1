/** What the commands of payouts on chain read from their words, and when they refuse. */

import type { PayerReport } from '../../../bridge/watch/payer-watch.js';
import { CommandError } from '../../../cli/line/command.js';
import { ConfigError } from '../../../config/layers/config-error.js';
import { namesPayout } from '../../../ledger/payments/payouts.js';

/** Besides 0, 1 and 2. */
export const UNDER_WAY = 3;
export const PAUSED = 4;

export function payoutNamed(which = ''): string {
  if (namesPayout(which)) return which;
  const words = `a payout has a name such as 3f9ea-7, not ${JSON.stringify(which)}: \`ledger payouts\` lists them`;
  throw new ConfigError([words]);
}

/** What waits for a bridge waits for ever where none pays. */
export function refuseWithoutPayer({ isSeated }: PayerReport, mode: string): void {
  if (isSeated) return;
  const why =
    mode === 'manual'
      ? 'payouts.mode is manual: payouts are files that you pay yourself (`ledger payout prepare`, then `mark`), or set it to approve or auto'
      : `payouts.mode is ${mode}, and no bridge on these books pays at this moment: start one (\`stratum-bridge serve\`), and read its log`;
  throw new CommandError(`no bridge pays: ${why}`);
}
