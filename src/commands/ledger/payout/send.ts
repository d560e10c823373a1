/** `ledger payout send`, and what `prepare` does where a bridge pays: both follow what that bridge does. */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { nextSteps } from '../../../bridge/watch/next-steps.js';
import { showPayer } from '../../../bridge/watch/payer-view.js';
import type { PayerReport } from '../../../bridge/watch/payer-watch.js';
import { type Asked, CommandError, type CommandIo, OK } from '../../../cli/line/command.js';
import { print } from '../../../cli/screen/print.js';
import { askOf } from '../../../ledger/database/statements.js';
import { type ChainBatch, listBatches, readBatch } from '../../../ledger/transactions/orders.js';
import { askForBatch, payerReport, progressOf } from '../../../ledger/transactions/view.js';
import { shownPayout } from '../../../ledger/watch/orders.js';
import { payouts } from '../../../operations/payouts.js';
import { type OnBooks, onBooks } from '../access.js';
import { whoRuns } from '../who.js';
import type { SendSettings } from './settings.js';
import { sentencesOf } from './status.js';
import { PAUSED, payoutNamed, refuseWithoutPayer, UNDER_WAY } from './words.js';

/** As often as the payer goes round. */
const LOOK_MS = 1_000;

export async function send(asked: Asked<SendSettings>): Promise<number> {
  const [word] = asked.words;
  const which = word === undefined ? undefined : payoutNamed(word);
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const batch = which === undefined ? undefined : await readBatch(pool, which);
    const followed = batch ? [batch] : await listBatches(pool, SHOWN, true);
    const code = await follow({ pool, batch, to });
    // What came meanwhile was followed too; what was settled meanwhile is what is asked for.
    const known = new Set(followed.map(({ id }) => id));
    const later = batch ? [] : (await listBatches(pool, SHOWN, true)).filter(({ id }) => !known.has(id));
    const shown = await Promise.all([...later, ...followed].map(({ id }) => shownPayout(pool, id)));
    if (shown.length === 0)
      to.io.stderr.write('stratum-bridge: no batch is under way: `ledger payout prepare` asks for one\n');
    print(shown, payouts.columns, to);
    return code;
  });
}

const SHOWN = 100;

interface Following {
  readonly pool: pg.Pool;
  /** `undefined`: all that are not settled. */
  readonly batch: ChainBatch | undefined;
  readonly to: Pick<OnBooks<SendSettings>, 'config' | 'io'>;
}

/** Resolves with the exit code. Says each time something else is waited for. */
async function follow({ pool, batch, to }: Following): Promise<number> {
  const { wait, timeout, 'payouts.mode': mode } = to.config;
  const endsAtMs = performance.now() + timeout;
  let said = '';
  for (;;) {
    const report = await payerReport(askOf(pool));
    const { open, followed } = await progressOf(pool, batch?.id);
    const left = wait === 'final' ? Math.max(open, followed) : open;
    if (left === 0) return OK;
    if (report.pause) return tellPaused(report, to.io);
    refuseWithoutPayer(report, mode);
    const words = waitsFor(batch, report, left);
    if (words !== said) to.io.stderr.write(`stratum-bridge: ${words}\n`);
    said = words;
    if (performance.now() >= endsAtMs) {
      to.io.stderr.write('stratum-bridge: it is waited for no longer; the bridge goes on\n');
      return UNDER_WAY;
    }
    await pause(LOOK_MS);
  }
}

function tellPaused(report: PayerReport, { stderr }: CommandIo): number {
  for (const sentence of sentencesOf(showPayer(report, [])).slice(0, 2))
    stderr.write(`stratum-bridge: ${sentence}\n`);
  return PAUSED;
}

function waitsFor(batch: ChainBatch | undefined, report: PayerReport, left: number): string {
  const steps = nextSteps(report, batch?.name);
  // All are paid then, and followed until no usual reorganisation can take them back.
  return steps.length === 0 ? `payments that are not final yet: ${left}` : steps.join('; ');
}

/** For as long as a round with many lines may take, and as nothing new is said of what it waits for. */
const PLAN_PATIENCE_MS = 120_000;

/** Asks the bridge that pays for a batch of what is due. Resolves with it; `undefined` where it made none. */
export async function orderBatch(
  pool: pg.Pool,
  mode: string,
): Promise<{ readonly batch: ChainBatch | undefined; readonly whyNot: string }> {
  const before = await payerReport(askOf(pool));
  if (before.pause) throw new CommandError(`payouts are paused: ${before.pause.says}`);
  refuseWithoutPayer(before, mode);
  const [newest] = await listBatches(pool, 1);
  const askedAtMs = await askForBatch(pool, whoRuns());
  let [endsAtMs, said] = [performance.now() + PLAN_PATIENCE_MS, before.whyNot];
  for (;;) {
    const report = await payerReport(askOf(pool));
    if (report.whyNot !== said) [endsAtMs, said] = [performance.now() + PLAN_PATIENCE_MS, report.whyNot];
    const [batch] = await listBatches(pool, 1);
    if (batch && batch.id !== newest?.id) return { batch, whyNot: '' };
    if (report.ranAtMs !== undefined && report.ranAtMs >= askedAtMs) {
      const open = (await listBatches(pool, SHOWN, true)).find(
        ({ isRejected, approvals, approvalsNeeded }) => !isRejected && approvals < approvalsNeeded,
      );
      return { batch: open, whyNot: report.whyNot };
    }
    if (report.pause) throw new CommandError(`payouts are paused: ${report.pause.says}`);
    refuseWithoutPayer(report, mode);
    if (performance.now() >= endsAtMs)
      throw new CommandError(
        `the bridge at ${report.place} has not planned a batch in ${PLAN_PATIENCE_MS / 1000} s${said && ` (${said})`}: \`ledger payout status\` says what it waits for`,
      );
    await pause(LOOK_MS);
  }
}
