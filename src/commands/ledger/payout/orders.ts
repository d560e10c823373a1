/** `ledger payout approve`, `reject`, `hold`, `allow`, `pause` and `resume`. */
import type pg from 'pg';
import { type Asked, CommandError, FAILED, OK } from '../../../cli/line/command.js';
import { print } from '../../../cli/screen/print.js';
import { ConfigError } from '../../../config/layers/config-error.js';
import { nameFault } from '../../../core/names/names.js';
import { askOf } from '../../../ledger/database/statements.js';
import { shownPayout } from '../../../ledger/payments/payout-desk.js';
import { debitWords } from '../../../ledger/transactions/accepted-debits.js';
import {
  allowByOrder,
  approveBatch,
  holdByOrder,
  isReconciled,
  listHolds,
  pauseByOrder,
  rejectBatch,
  resumePayer,
} from '../../../ledger/transactions/orders.js';
import { payerReport } from '../../../ledger/transactions/view.js';
import { HOLD_COLUMNS, payouts } from '../../../operations/payouts.js';
import { showHold } from '../../../web/api/show/show-payer.js';
import { type OnBooks, onBooks } from '../access.js';
import { PROOFS } from '../verify.js';
import { whoRuns } from '../who.js';
import { failedChecks } from './checks.js';
import type {
  AllowSettings,
  ApproveSettings,
  HoldSettings,
  NoteSettings,
  ResumeSettings,
} from './settings.js';
import { noteGiven, payoutNamed } from './words.js';

export async function approve(asked: Asked<ApproveSettings>): Promise<number> {
  const which = payoutNamed(asked.words[0]);
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { hash } = to.config;
    if (!/^[0-9a-f]+$/i.test(hash)) {
      const words = `ledger payout approve: say what you approve: --hash with the content hash that \`ledger payout status ${which} --lines\` shows`;
      throw new ConfigError([words]);
    }
    const missing = await approveBatch(pool, which, hash.toLowerCase(), whoRuns());
    const code = print([await shownPayout(pool, which)], payouts.columns, to);
    if (missing > 0) to.io.stderr.write(`stratum-bridge: ${missing} more have to approve it\n`);
    return code;
  });
}

export async function reject(asked: Asked<NoteSettings>): Promise<number> {
  const which = payoutNamed(asked.words[0]);
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { followed } = await rejectBatch(pool, which, noteGiven(to.config.note, 'reject'), whoRuns());
    if (followed > 0)
      to.io.stderr.write(
        `stratum-bridge: ${followed} payments may be on the chain: they are followed and not tried again, and come back where it is proven that they are not\n`,
      );
    return print([await shownPayout(pool, which)], payouts.columns, to);
  });
}

function accountNamed(account = ''): string {
  const fault = account === '' ? 'the operator is not paid' : nameFault({ account, rig: '' });
  if (fault) throw new ConfigError([`ledger payout: ${fault}`]);
  return account;
}

export async function hold(asked: Asked<HoldSettings>): Promise<number> {
  const account = accountNamed(asked.words[0]);
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { chain, until, note } = to.config;
    const order = { account, note: noteGiven(note, 'hold'), by: whoRuns() };
    const chainId = chain === 'all' ? undefined : chain;
    await holdByOrder(pool, { ...order, chainId }, until === 'allowed' ? undefined : until);
    return printHolds(account, pool, to);
  });
}

const MOST_HOLDS = 1_000_000;

async function printHolds(
  account: string,
  pool: pg.Pool,
  to: Pick<OnBooks, 'config' | 'io'>,
): Promise<number> {
  const held = (await listHolds(pool, MOST_HOLDS)).filter((hold) => hold.account === account);
  return print(held.map(showHold), HOLD_COLUMNS, to);
}

export async function allow(asked: Asked<AllowSettings>): Promise<number> {
  const account = accountNamed(asked.words[0]);
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { chain, note } = to.config;
    const order = { account, note: noteGiven(note, 'allow'), by: whoRuns() };
    const chainId = chain === 'all' ? undefined : chain;
    const where = chainId === undefined ? '' : ` on chain ${chainId}`;
    if (!(await allowByOrder(pool, { ...order, chainId })))
      throw new CommandError(`account ${account} is not held${where}: \`ledger payout status\` lists who is`);
    return printHolds(account, pool, to);
  });
}

export async function pause(asked: Asked<NoteSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const note = noteGiven(to.config.note, 'pause');
    const { pause: former } = await payerReport(askOf(pool));
    await pauseByOrder(pool, note, whoRuns());
    const words = former
      ? `payouts were paused before, and stay so: ${former.says}`
      : 'payouts are paused; what is on its way is followed. `ledger payout resume` goes on';
    to.io.stderr.write(`stratum-bridge: ${words}\n`);
    return OK;
  });
}

export async function resume(asked: Asked<ResumeSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { note, anyway } = to.config;
    noteGiven(note, 'resume');
    const { pause } = await payerReport(askOf(pool));
    if (!pause) {
      to.io.stderr.write('stratum-bridge: payouts are not paused\n');
      return OK;
    }
    if (pause.kind === 'restored' && !anyway && !(await isReconciled(pool))) {
      const words =
        'these books were restored, and may not know of payments that were made since: `ledger payout reconcile` reads them from the chain; --anyway goes on without';
      throw new CommandError(words);
    }
    const failed = await failedChecks(pool, pause.kind);
    if (failed.length > 0) {
      print(failed, PROOFS, to);
      const words = anyway
        ? 'payouts go on although these checks fail'
        : 'payouts stay paused: these checks fail. Mend them, or say --anyway';
      to.io.stderr.write(`stratum-bridge: ${words}\n`);
      if (!anyway) return FAILED;
    }
    const resumed = await resumePayer(pool, note, whoRuns(), pause);
    to.io.stderr.write(`stratum-bridge: payouts go on; they were paused: ${pause.says}\n`);
    for (const debit of resumed?.accepted ?? [])
      to.io.stderr.write(`stratum-bridge: accepted, and not asked about again: ${debitWords(debit)}\n`);
    return OK;
  });
}
