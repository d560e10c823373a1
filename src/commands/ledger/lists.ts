/** What `ledger` shows, and what it proves. */

import type pg from 'pg';
import { readCommand } from '../../assembly/books/command-reader.js';
import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { listPayouts } from '../../ledger/payments/payouts.js';
import { pauseForFailed } from '../../ledger/proof/pause.js';
import type { Proof } from '../../ledger/proof/proof.js';
import { verifyBooks } from '../../ledger/proof/verify.js';
import { listAccounts, listBlocks, operatorReport } from '../../ledger/reports.js';
import { type OnBooks, onBooks } from './access.js';
import { ACCOUNTS, BLOCKS, OPERATOR, PAYOUTS, PROOFS } from './columns.js';
import { lookAtEvery } from './look.js';
import { payoutRow } from './payout/manual.js';
import type { BlocksSettings, LedgerSettings, ListSettings, VerifySettings } from './settings.js';
import { proveShareLog } from './share-log.js';
import { whoRuns } from './who.js';

export async function accounts(asked: Asked<ListSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) =>
    print(await listAccounts(ledger.pool, to.config.limit), ACCOUNTS, to),
  );
}

export async function blocks(asked: Asked<BlocksSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    if (to.config.lookAgain) await lookAtEvery(to.config, ledger.pool, to.io);
    const found = await listBlocks(ledger.pool, to.config.limit);
    return print(
      found.map(({ block, ...rest }) => ({ ...rest, ...block })),
      BLOCKS,
      to,
    );
  });
}

export async function operator(asked: Asked<LedgerSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) =>
    print([await operatorReport(ledger.pool)], OPERATOR, to),
  );
}

export async function batches(asked: Asked<ListSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const found = await listPayouts(ledger.pool, to.config.limit);
    return print(found.map(payoutRow), PAYOUTS, to);
  });
}

export async function verify(asked: Asked<VerifySettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const shareLog = await proveShareLog(to.config.dataDir, ledger);
    const books = await verifyBooks(ledger.pool, readCommand);
    const proofs = [...books, ...(shareLog ? [shareLog] : [])];
    print(
      proofs.map(({ name, says, broken, noted }) => ({
        name,
        holds: broken.length === 0,
        says,
        broken: broken.join('; '),
        noted: noted.join('; '),
      })),
      PROOFS,
      to,
    );
    await pauseWhereWrong(books, ledger.pool, to);
    return proofs.every(({ broken }) => broken.length === 0) ? OK : FAILED;
  });
}

/** What a share log of this machine lacks says nothing against the books. */
async function pauseWhereWrong(
  proofs: readonly Proof[],
  pool: pg.Pool,
  { config, io }: Pick<OnBooks<VerifySettings>, 'config' | 'io'>,
): Promise<void> {
  const failed = proofs.filter(({ broken }) => broken.length > 0);
  if (failed.length === 0) return;
  const isManual = config['payouts.mode'] === 'manual';
  const said = await pauseForFailed(pool, failed, { isManual, by: whoRuns() });
  io.stderr.write(`stratum-bridge: ${said}\n`);
}
