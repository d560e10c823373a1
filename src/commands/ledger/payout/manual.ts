/** `ledger payout prepare`, `show` and `mark`. */

import type { Asked, CommandIo } from '../../../cli/line/command.js';
import { print } from '../../../cli/screen/print.js';
import { ConfigError } from '../../../config/layers/config-error.js';
import { formatAmount, parseAmount } from '../../../core/money/amount.js';
import { type Mark, markPayout } from '../../../ledger/payments/mark.js';
import { shownPayout } from '../../../ledger/payments/payout-desk.js';
import {
  type BookedPayment,
  type BookedPayout,
  PAYMENT_OUTCOMES,
  readPayout,
} from '../../../ledger/payments/payouts.js';
import type { Columns } from '../../../operations/entry/columns.js';
import { type Payout, payouts } from '../../../operations/payouts.js';
import { onBooks } from '../access.js';
import { prepare as preparePayout } from '../look.js';
import type { LedgerSettings } from '../settings.js';
import { whoRuns } from '../who.js';
import { writePayoutFiles } from './files.js';
import { orderBatch } from './send.js';
import type { MarkSettings, PrepareSettings } from './settings.js';
import { payoutNamed } from './words.js';

const PAYMENTS: Columns<BookedPayment> = {
  account: { kind: 'name', importance: 1 },
  amount: { kind: 'amount', importance: 1 },
  state: { kind: 'text', importance: 1 },
  requestKey: { kind: 'name', importance: 2, heading: 'request key' },
  changedAt: { kind: 'time', importance: 3, heading: 'changed (UTC)' },
  note: { kind: 'text', importance: 4 },
};

const PREPARED: Columns<Payout & { readonly files: readonly string[] }> = {
  ...payouts.columns,
  files: { kind: 'text', importance: 1 },
};

export async function prepare(asked: Asked<PrepareSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const { config, io } = to;
    if (config['payouts.mode'] !== 'manual') {
      const { batch, whyNot } = await orderBatch(ledger.pool, config['payouts.mode']);
      if (whyNot !== '') io.stderr.write(`stratum-bridge: ${whyNot}\n`);
      return print(batch ? [await shownPayout(ledger.pool, batch.id)] : [], payouts.columns, to);
    }
    const chainId = config.chain === 'none' ? null : config.chain;
    const payout = await preparePayout(config, ledger.pool, chainId);
    if (!payout) return print([], PREPARED, to);
    tellOfMinimum(payout, config['payouts.minimum'], io);
    const files = await writePayoutFiles(config.out, payout);
    io.stderr.write(`stratum-bridge: ${nextStep(payout.name, files)}\n`);
    return print([{ ...(await shownPayout(ledger.pool, payout.id)), files }], PREPARED, to);
  });
}

function nextStep(name: string, files: readonly string[]): string {
  return (
    `pay what ${files.join(' or ')} lists by your wallet, then say so: stratum-bridge ledger payout mark ${name} sent; ` +
    'until then prepare gives this payout again'
  );
}

function tellOfMinimum({ name, minimum }: BookedPayout, asked: bigint, { stderr }: CommandIo): void {
  if (parseAmount(minimum) === asked) return;
  const asks = formatAmount(asked);
  const words = `payout ${name} was prepared with a minimum of ${minimum}, not ${asks}: mark it, and the next one has ${asks}`;
  stderr.write(`stratum-bridge: ${words}\n`);
}

export async function show(asked: Asked<LedgerSettings>): Promise<number> {
  const which = payoutNamed(asked.words[0]);
  return onBooks(asked, async ({ ledger, ...to }) =>
    print((await readPayout(ledger.pool, which)).lines, PAYMENTS, to),
  );
}

export async function mark(asked: Asked<MarkSettings>): Promise<number> {
  const [word, outcome] = asked.words;
  const which = payoutNamed(word);
  const known = PAYMENT_OUTCOMES.find((name) => name === outcome);
  if (!known) {
    const outcomes = PAYMENT_OUTCOMES.join(', ');
    throw new ConfigError([`a payout is marked ${outcomes}, not ${JSON.stringify(outcome ?? '')}`]);
  }
  return onBooks(asked, async ({ ledger, ...to }) => {
    const { line, requestKey, note } = to.config;
    const said: Mark = {
      outcome: known,
      note,
      by: whoRuns(),
      ...(line.length > 0 ? { accounts: line } : {}),
      ...(requestKey === '' ? {} : { requestKey }),
    };
    const { id } = await markPayout(ledger.pool, which, said);
    return print([await shownPayout(ledger.pool, id)], payouts.columns, to);
  });
}
