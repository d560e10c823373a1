/** How payments on chain stand in the books: whether they are paused, who pays, and which chains have too little. */

import type pg from 'pg';
import type { Finding } from '../../assembly/finding.js';
import { payingAccount } from '../../assembly/payouts/payer-terms.js';
import type { PayerReport } from '../../bridge/watch/payer-watch.js';
import type { BridgeConfig } from '../../config/settings.js';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { GAS_LIMIT, GAS_PRICE } from '../../core/money/gas.js';
import { adviceFor } from '../../core/names/pause-advice.js';
import { askOf } from '../../ledger/database/statements.js';
import { payerReport } from '../../ledger/transactions/view.js';

const what = 'payouts';

/** Who is to pay and who signs, before anything was paid; nothing where the settings are at fault, which is told. */
export async function checkWhoPays(config: BridgeConfig, problems: readonly string[]): Promise<Finding[]> {
  const { 'payouts.mode': mode, 'payouts.key': key } = config;
  if (mode === 'manual' || problems.some((problem) => problem.startsWith('payouts.'))) return [];
  const { account, publicKeys } = await payingAccount(config);
  const signs = config['payouts.signer.command'].length > 0 ? 'payouts.signer.command signs' : '';
  const detail = `payouts.mode ${mode}, ${account} is to pay, and ${signs || (key === '' ? nobodyHere(publicKeys.length) : `${key} with its log signs`)}`;
  return [{ state: 'good', what: `${what}, settings`, detail }];
}

function nobodyHere(keys: number): string {
  return `${keys === 1 ? 'its key signs' : `its ${keys} keys sign`} elsewhere: \`ledger payout export\` and \`import\``;
}

/** Nothing where payouts are files and always were. */
export async function checkPayouts(pool: pg.Pool, config: BridgeConfig): Promise<Finding[]> {
  const report = await payerReport(askOf(pool));
  const { 'payouts.mode': mode } = config;
  if (mode === 'manual' && report.account === undefined) return [];
  return [stateOf(report, mode), ...chainsWithTooLittle(report, config)];
}

function stateOf({ pause, isSeated, place, account, network, lines }: PayerReport, mode: string): Finding {
  if (pause) {
    const since = new Date(pause.sinceMs).toISOString();
    const detail = `paused since ${since} (${pause.kind}): ${pause.says}`;
    const advice = `${adviceFor(pause.kind)}; then \`stratum-bridge ledger payout resume\``;
    return { state: 'warning', what, detail, advice };
  }
  if (account === undefined)
    return { state: 'good', what, detail: `payouts.mode ${mode}, nothing was paid yet` };
  const from = `from ${account} on ${network ?? ''}`;
  if (isSeated) return { state: 'good', what, detail: `${place} pays ${from}` };
  const open = lines.prepared + lines.sent + lines.unknown;
  if (open === 0)
    return { state: 'good', what, detail: `no bridge pays now ${from}, and nothing waits for it` };
  const advice =
    mode === 'manual'
      ? 'set payouts.mode to approve or auto again until they are settled'
      : 'start a bridge: what is on its way is followed by it alone';
  return { state: 'warning', what, detail: `no bridge pays now ${from}, and ${open} payments wait`, advice };
}

function chainsWithTooLittle({ chains }: PayerReport, config: BridgeConfig): Finding[] {
  return chains.flatMap(({ chainId, balance, waiting, lines, trouble }): Finding[] => {
    const about = `${what}, chain ${chainId}`;
    const wrong: Finding[] =
      trouble === ''
        ? []
        : [{ state: 'warning', what: about, detail: `nothing new is sent there: ${trouble}` }];
    const gas = BigInt(lines * GAS_LIMIT) * GAS_PRICE;
    const wanted = (parseAmount(waiting) ?? 0n) + gas + config['payouts.reserve'];
    const has = balance === undefined ? undefined : parseAmount(balance);
    if (lines === 0 || has === undefined || has >= wanted) return wrong;
    const detail = `it has ${formatAmount(has)}, and ${lines} payments of ${waiting} wait for it`;
    const advice = `send ${formatAmount(wanted - has)} to the paying account on chain ${chainId}; other chains go on`;
    return [...wrong, { state: 'warning', what: about, detail, advice }];
  });
}
