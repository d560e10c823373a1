/** `ledger payout prepare`, `show` and `mark`. */
import { ConfigError } from '../config/load.js';
import { formatAmount, parseAmount } from '../core/amount.js';
import { type Batch, type BatchOutcome, markBatch, readBatch } from '../ledger/payouts.js';
import { OK } from './command.js';
import type { Action, Asked } from './ledger-asked.js';
import { prepareFresh } from './ledger-look.js';
import { print } from './ledger-print.js';
import { writeBatchFiles } from './payout-files.js';

const OUTCOMES: readonly BatchOutcome[] = ['sent', 'failed', 'unknown'];

export async function preparedPayout({ ledger, ...asked }: Asked): Promise<number> {
  const { config, io } = asked;
  const batch = await prepareFresh(config, ledger.pool);
  if (!batch) {
    io.stdout.write(io.stdout.isTTY ? 'Nothing is due.\n' : '[]\n');
    return OK;
  }
  const { id, minimum } = batch;
  if (parseAmount(minimum) !== config['payouts.minimum']) {
    const asks = formatAmount(config['payouts.minimum']);
    const words = `batch ${id} was prepared with a minimum of ${minimum}, not ${asks}: mark it, and the next one has ${asks}`;
    io.stderr.write(`stratum-bridge: ${words}\n`);
  }
  return printBatch({ ...batch, files: await writeBatchFiles(config.out, batch) }, asked);
}

export function showPayout(id: string | undefined): Action {
  const number = batchNumber(id);
  return async ({ ledger, ...asked }) => print((await readBatch(ledger.pool, number)).lines, asked);
}

export function markPayout(id: string | undefined, outcome: string | undefined): Action {
  const number = batchNumber(id);
  const known = OUTCOMES.find((name) => name === outcome);
  if (!known) {
    throw new ConfigError([`a batch is marked ${OUTCOMES.join(', ')}, not ${JSON.stringify(outcome ?? '')}`]);
  }
  return async ({ ledger, ...asked }) =>
    printBatch(await markBatch(ledger.pool, number, known, asked.config.note), asked);
}

function batchNumber(id = ''): string {
  if (/^\d{1,18}$/.test(id)) return id;
  throw new ConfigError([`a batch has a number, not ${JSON.stringify(id)}: \`ledger batches\` lists them`]);
}

function printBatch(
  { lines, ...batch }: Batch & { files?: readonly string[] },
  asked: Pick<Asked, 'config' | 'io'>,
): number {
  return print([{ ...batch, accounts: lines.length }], asked);
}
