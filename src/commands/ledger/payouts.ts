/** `ledger payout prepare`, `show` and `mark`. */

import type { Asked, CommandIo } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import type { LedgerSettings, MarkSettings, PrepareSettings } from '../../config/settings/ledger-settings.js';
import { formatAmount, parseAmount } from '../../core/amount.js';
import { type Batch, type BatchOutcome, markBatch, readBatch } from '../../ledger/payments/payouts.js';
import { onBooks } from './access.js';
import { BATCHES, type BatchRow, PAYMENTS, PREPARED } from './columns.js';
import { prepare as prepareBatch } from './look.js';
import { writeBatchFiles } from './payout-files.js';
import { whoRuns } from './who.js';

const OUTCOMES: readonly BatchOutcome[] = ['sent', 'failed', 'unknown'];

export async function prepare(asked: Asked<PrepareSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const { config, io } = to;
    const batch = await prepareBatch(config, ledger.pool);
    if (!batch) return print([], PREPARED, to);
    tellOfMinimum(batch, config['payouts.minimum'], io);
    const files = await writeBatchFiles(config.out, batch);
    return print([{ ...rowOf(batch), files }], PREPARED, to);
  });
}

function tellOfMinimum({ id, minimum }: Batch, asked: bigint, { stderr }: CommandIo): void {
  if (parseAmount(minimum) === asked) return;
  const asks = formatAmount(asked);
  const words = `batch ${id} was prepared with a minimum of ${minimum}, not ${asks}: mark it, and the next one has ${asks}`;
  stderr.write(`stratum-bridge: ${words}\n`);
}

export async function show(asked: Asked<LedgerSettings>): Promise<number> {
  const number = batchNumber(asked.words[0]);
  return onBooks(asked, async ({ ledger, ...to }) =>
    print((await readBatch(ledger.pool, number)).lines, PAYMENTS, to),
  );
}

export async function mark(asked: Asked<MarkSettings>): Promise<number> {
  const [id, outcome] = asked.words;
  const number = batchNumber(id);
  const known = OUTCOMES.find((name) => name === outcome);
  if (!known) {
    throw new ConfigError([`a batch is marked ${OUTCOMES.join(', ')}, not ${JSON.stringify(outcome ?? '')}`]);
  }
  return onBooks(asked, async ({ ledger, ...to }) =>
    print([rowOf(await markBatch(ledger.pool, number, known, to.config.note, whoRuns()))], BATCHES, to),
  );
}

function batchNumber(id = ''): string {
  if (/^\d{1,18}$/.test(id)) return id;
  throw new ConfigError([`a batch has a number, not ${JSON.stringify(id)}: \`ledger batches\` lists them`]);
}

function rowOf({ lines, ...batch }: Batch): BatchRow {
  return { ...batch, accounts: lines.length };
}
