/** Who would pay on chain from here. */
import type { Finding } from '../../assembly/finding.js';
import { distinctNodes } from '../../assembly/payouts/distinct-nodes.js';
import { mayPay, payingAccount } from '../../assembly/payouts/payer-terms.js';
import { rootMessage } from '../../chain/errors.js';
import type { BridgeConfig } from '../../config/settings.js';

/** Nothing where nobody does. */
export async function checkPayer(config: BridgeConfig): Promise<Finding[]> {
  if (!mayPay(config)) return [];
  const what = 'payments on chain';
  try {
    const { account } = await payingAccount(config);
    const detail = `from ${account}, as the rules of the ledger say`;
    if ((await distinctNodes(config['node.urls'])) > 1) return [{ state: 'good', what, detail }];
    const advice =
      'on a public network name two nodes in node.urls: by the word of one, a bridge with payouts.mode auto pays nothing';
    return [{ state: 'good', what, detail, advice }];
  } catch (error) {
    const advice = 'what `stratum-bridge ledger payout key check` says of the key tells more';
    return [{ state: 'fault', what, detail: rootMessage(error), advice }];
  }
}
