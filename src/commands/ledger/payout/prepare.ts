/** `ledger payout prepare`. */

import type { Asked, CommandIo } from '../../../cli/line/command.js';
import { print } from '../../../cli/screen/print.js';
import { formatAmount, parseAmount } from '../../../core/money/amount.js';
import type { BookedPayout } from '../../../ledger/payments/payouts.js';
import { preparePayout } from '../../../ledger/payments/prepare.js';
import { rulesNow } from '../../../ledger/rules/rules.js';
import { shownPayout } from '../../../ledger/watch/orders.js';
import { type Payout, payouts } from '../../../operations/books/payouts.js';
import type { Columns } from '../../../operations/entry/columns.js';
import { onBooks } from '../access.js';
import { whoRuns } from '../who.js';
import { writePayoutFiles } from './files.js';
import type { PrepareSettings } from './settings.js';

const PREPARED: Columns<Payout & { readonly files: readonly string[] }> = {
  ...payouts.columns,
  files: { kind: 'text', importance: 1 },
};

export async function prepare(asked: Asked<PrepareSettings>): Promise<number> {
  const { sources } = await asked.load();
  return onBooks(asked, async ({ ledger, ...to }) => {
    const { config, io } = to;
    const isGiven = sources['payouts.minimum'].startsWith('flag ');
    const minimum = isGiven ? config['payouts.minimum'] : (await rulesNow(ledger.pool)).minimum;
    const chainId = config.chain === 'none' ? null : config.chain;
    const order = { minimum, chainId, by: whoRuns() };
    const payout = await preparePayout(ledger.pool, order);
    if (!payout) return print([], PREPARED, to);
    tellOfMinimum(payout, minimum, io);
    const files = await writePayoutFiles(config.out, payout);
    io.stderr.write(`stratum-bridge: ${nextStep(payout.name, files)}\n`);
    return print([{ ...(await shownPayout(ledger.pool, payout.id)), files }], PREPARED, to);
  });
}

function nextStep(name: string, files: readonly string[]): string {
  return (
    `pay what ${files[0]} lists from your wallet, then say so: stratum-bridge ledger payout mark ${name} sent; ` +
    'until then prepare gives this payout again'
  );
}

function tellOfMinimum({ name, minimum }: BookedPayout, asked: bigint, { stderr }: CommandIo): void {
  if (parseAmount(minimum) === asked) return;
  const asks = formatAmount(asked);
  const words = `payout ${name} was prepared with a minimum of ${minimum}, not ${asks}: mark it, and the next one has ${asks}`;
  stderr.write(`stratum-bridge: ${words}\n`);
}
