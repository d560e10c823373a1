/** What `ledger` shows, and what it proves. */

import { readCommand } from '../../assembly/books/command-reader.js';
import { type Asked, FAILED, OK } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import type { BlocksSettings, LedgerSettings, ListSettings } from '../../config/settings/ledger-settings.js';
import { listPayouts } from '../../ledger/payments/payouts.js';
import { verifyBooks } from '../../ledger/proof/verify.js';
import { listAccounts, listBlocks, operatorReport } from '../../ledger/reports.js';
import { onBooks } from './access.js';
import { ACCOUNTS, BLOCKS, OPERATOR, PAYOUTS, PROOFS } from './columns.js';
import { lookAtEvery } from './look.js';
import { payoutRow } from './payout/manual.js';
import { proveShareLog } from './share-log.js';

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

export async function verify(asked: Asked<LedgerSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const shareLog = await proveShareLog(to.config.dataDir, ledger);
    const proofs = [...(await verifyBooks(ledger.pool, readCommand)), ...(shareLog ? [shareLog] : [])];
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
    return proofs.every(({ broken }) => broken.length === 0) ? OK : FAILED;
  });
}
