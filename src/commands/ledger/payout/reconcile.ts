/** `ledger payout reconcile`: the bridge that pays compares books and chain, and this shows what came of it. */

import { setTimeout as pause } from 'node:timers/promises';
import type { ForeignDebit } from '../../../bridge/payouts/payer-books.js';
import type {
  ReconciledLine,
  ReconciledOutcome,
  SignedElsewhere,
} from '../../../bridge/payouts/reconciled.js';
import { type Asked, CommandError, OK } from '../../../cli/line/command.js';
import { print } from '../../../cli/screen/print.js';
import { askOf } from '../../../ledger/database/statements.js';
import { orderReconcile, reconciledSince } from '../../../ledger/transactions/orders.js';
import { payerReport } from '../../../ledger/transactions/view.js';
import type { Columns } from '../../../operations/entry/columns.js';
import { onBooks } from '../access.js';
import { whoRuns } from '../who.js';
import type { ReconcileSettings } from './settings.js';
import { refuseWithoutPayer, UNDER_WAY } from './words.js';

const LOOK_MS = 500;
/** A year of blocks of twenty chains takes long to read. */
const PATIENCE_MS = 3_600_000;
/** What a person has to look at. */
const DIFFERS = 1;

interface ReconciledRow {
  /** `missing`: not in the books; `taken over`: entered now; `foreign`: none of these books; `signed`: it may come still. */
  readonly what: string;
  readonly chainId: number;
  readonly height: number | null;
  readonly account: string;
  readonly amount: string;
  readonly requestKey: string;
}

const RECONCILED: Columns<ReconciledRow> = {
  what: { kind: 'text', importance: 1 },
  chainId: { kind: 'count', importance: 1, heading: 'chain' },
  height: { kind: 'count', importance: 2 },
  account: { kind: 'name', importance: 1 },
  amount: { kind: 'amount', importance: 1 },
  requestKey: { kind: 'name', importance: 3, heading: 'request key' },
};

export async function reconcile(asked: Asked<ReconcileSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { since, apply, 'payouts.mode': mode } = to.config;
    refuseWithoutPayer(await payerReport(askOf(pool)), mode);
    const askedAtMs = await orderReconcile(pool, since === 'compared' ? undefined : since, apply, whoRuns());
    const endsAtMs = performance.now() + PATIENCE_MS;
    let outcome = await reconciledSince(pool, askedAtMs);
    while (outcome === undefined) {
      const report = await payerReport(askOf(pool));
      refuseWithoutPayer(report, mode);
      if (performance.now() >= endsAtMs)
        throw new CommandError(`the bridge at ${report.place} has not compared in an hour: read its log`);
      await pause(LOOK_MS);
      outcome = await reconciledSince(pool, askedAtMs);
    }
    print(rowsOf(outcome), RECONCILED, to);
    for (const sentence of sentencesOf(outcome)) to.io.stderr.write(`stratum-bridge: ${sentence}\n`);
    if (outcome.foreign.length > 0 || (!apply && outcome.missingCount > 0)) return DIFFERS;
    return outcome.isDone ? OK : UNDER_WAY;
  });
}

function rowsOf({ missing, foreign, signed, dead, applied }: ReconciledOutcome): ReconciledRow[] {
  const rowOf =
    (what: string) =>
    ({ chainId, height, account, amount, requestKey = '' }: ReconciledLine | ForeignDebit) => ({
      ...{ what, chainId, height, account, amount, requestKey },
    });
  return [
    ...missing.map(rowOf(applied ? 'taken over' : 'missing')),
    ...foreign.map(rowOf('foreign')),
    ...signed.map(signedRow('signed')),
    ...dead.map(signedRow(applied ? 'marked dead' : 'dead')),
  ];
}

/** It has no block and no account: the signer log has neither. */
function signedRow(what: string) {
  return ({ chainId, requestKey, payment, attempt, amount, untilS }: SignedElsewhere): ReconciledRow => {
    const account = `payment ${payment}, attempt ${attempt}, until ${timeOf(untilS)}`;
    return { what, chainId, height: null, account, amount, requestKey };
  };
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

export function sentencesOf(outcome: ReconciledOutcome): string[] {
  const { applied, missingCount, missingTotal, foreign, shallow, waits, chains, signedCount, unread } =
    outcome;
  const { deadCount, unprovenCount } = outcome;
  const last = waits.reduce((latest, { untilS }) => Math.max(latest, untilS), 0);
  return [
    `read: ${many(chains.length, 'chain')}; not in the books${applied ? ' until now' : ''}: ${many(missingCount, 'payment')} (${missingTotal})`,
    ...(!applied && missingCount > 0 ? ['`ledger payout reconcile --apply` enters what is missing'] : []),
    ...(foreign.length > 0
      ? [
          `none of these books, gas not counted: ${many(foreign.length, 'debit')} of the paying account. Who else has its key? \`ledger payout resume\` accepts what is listed here, and lists it again`,
        ]
      : []),
    ...(shallow > 0
      ? [
          `not to be entered yet, as it is not deep enough or an earlier attempt may still come: ${many(shallow, 'payment')}. Compare again later`,
        ]
      : []),
    ...(signedCount > 0
      ? [
          `signed, by the log beside the key, and neither in the books nor on the chain: ${many(signedCount, 'payment')}. It may come still`,
        ]
      : []),
    ...(deadCount > 0
      ? [
          `${deadCount} more were signed and are in no block that could have them: ${applied ? 'the signer knows now that they are dead, and they are tried again' : '`ledger payout reconcile --apply` tells the signer that they are dead, or it refuses to sign them again'}`,
        ]
      : []),
    ...(unprovenCount > 0
      ? [
          `${unprovenCount} more were signed so long ago that their blocks are read no more: where the signer refuses such a payment, \`ledger payout reject\` its batch`,
        ]
      : []),
    ...unread.map(
      ({ chainId, from, to, why }) =>
        `blocks ${from} to ${to ?? 'its head'} of chain ${chainId} were not read (${why}): what was paid there is not known; --since names a height below which nothing was paid`,
    ),
    ...(waits.length > 0
      ? [
          `on ${many(waits.length, 'chain')} something that was signed before could still come, until a deep block is later than ${timeOf(last)}: compare again then`,
        ]
      : []),
  ];
}
