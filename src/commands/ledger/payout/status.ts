/** `ledger payout status` and `evidence`. */

import { nextSteps } from '../../../bridge/watch/next-steps.js';
import { awaitedWords, type PayerReport } from '../../../bridge/watch/payer-watch.js';
import { type Asked, CommandError, type CommandIo, OK } from '../../../cli/line/command.js';
import type { Form } from '../../../cli/screen/form.js';
import { print } from '../../../cli/screen/print.js';
import { adviceFor } from '../../../core/names/pause-advice.js';
import { askOf } from '../../../ledger/database/statements.js';
import {
  type AccountHold,
  type ChainBatch,
  type ChainLine,
  listBatches,
  listHolds,
  listLines,
  readBatch,
} from '../../../ledger/transactions/orders.js';
import { payerReport, paymentProof } from '../../../ledger/transactions/view.js';
import type { Evidence } from '../../../operations/payouts.js';
import { onBooks } from '../access.js';
import type { LedgerSettings } from '../settings.js';
import { BATCHES, batchRow, CHAINS, chainRow, HOLDS, holdRow, LINES, lineRow, STEPS } from './columns.js';
import type { StatusSettings } from './settings.js';
import { PAUSED, payoutNamed, UNDER_WAY } from './words.js';

interface Printing {
  readonly config: Form;
  readonly io: CommandIo;
}

interface Seen {
  readonly report: PayerReport;
  readonly batches: readonly ChainBatch[];
  readonly lines: readonly ChainLine[] | undefined;
  readonly holds: readonly AccountHold[];
}

export async function status(asked: Asked<StatusSettings>): Promise<number> {
  const [word] = asked.words;
  const which = word === undefined ? undefined : payoutNamed(word);
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const { lines, limit } = to.config;
    const batches =
      which === undefined ? await listBatches(pool, limit, true) : [await readBatch(pool, which)];
    const seen: Seen = {
      report: await payerReport(askOf(pool)),
      ...{ batches, holds: await listHolds(pool, limit) },
      lines: lines ? await listLines(pool, which && batches[0]?.id, limit) : undefined,
    };
    show(seen, to);
    return exitCodeOf(seen);
  });
}

export function exitCodeOf({ report, batches }: Pick<Seen, 'report' | 'batches'>): number {
  if (report.pause) return PAUSED;
  return batches.some(({ isClosed }) => !isClosed) ? UNDER_WAY : OK;
}

function show(seen: Seen, to: Printing): void {
  const { stdout } = to.io;
  const rows = seen.batches.map(batchRow);
  if (to.config.csv || to.config.wide) {
    if (seen.lines) print(seen.lines.map(lineRow), LINES, to);
    else print(rows, BATCHES, to);
  } else if (to.config.json || !stdout.isTTY) stdout.write(`${JSON.stringify(asJson(seen), null, 2)}\n`);
  else showToPeople(seen, to);
}

const timeOf = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

function asJson({ report, batches, lines, holds }: Seen): object {
  const { pause, chains, isSeated, place, account, network, whyNot } = report;
  return {
    state: ['settled', '', '', 'under way', 'paused'][exitCodeOf({ report, batches })],
    paused: pause
      ? {
          ...{ kind: pause.kind, says: pause.says, advice: adviceFor(pause.kind), by: pause.by },
          ...{ since: timeOf(pause.sinceMs), evidence: pause.evidence },
        }
      : null,
    ...{ isPaying: isSeated, place, account: account ?? null, network: network ?? null },
    ...{ lastRun: timeOf(report.ranAtMs), nextRun: timeOf(report.nextAtMs), whyNot },
    next: nextSteps(report),
    chains: chains.map(chainRow),
    awaited: {
      total: report.awaited.total,
      says: report.awaited.total > 0 ? awaitedWords(report.awaited) : '',
      lines: report.awaited.lines.map(({ untilMs, ...line }) => ({ ...line, until: timeOf(untilMs) })),
    },
    batches: batches.map((batch) => ({ ...batchRow(batch), payments: batch.payments })),
    ...(lines ? { lines: lines.map(lineRow) } : {}),
    held: holds.map(holdRow),
  };
}

function showToPeople({ report, batches, lines, holds }: Seen, to: Printing): void {
  const { stdout } = to.io;
  for (const sentence of sentencesOf(report)) stdout.write(`${sentence}\n`);
  for (const sentence of nextSteps(report)) stdout.write(`${sentence}\n`);
  stdout.write('\n');
  print(report.chains.map(chainRow), CHAINS, to);
  stdout.write('\n');
  print(batches.map(batchRow), BATCHES, to);
  if (lines) {
    stdout.write('\n');
    print(lines.map(lineRow), LINES, to);
  }
  if (holds.length === 0) return;
  stdout.write('\nheld:\n');
  print(holds.map(holdRow), HOLDS, to);
}

/** What somebody who looks wants to know first. */
export function sentencesOf(report: PayerReport): string[] {
  const { pause, isSeated, place, account, network, whyNot } = report;
  const [last, next] = [timeOf(report.ranAtMs), timeOf(report.nextAtMs)];
  return [
    ...(pause
      ? [
          `paused since ${timeOf(pause.sinceMs)} by ${pause.by} (${pause.kind}): ${pause.says}`,
          `what to do: ${adviceFor(pause.kind)}; then \`ledger payout resume\``,
        ]
      : []),
    isSeated
      ? `${place} pays${account === undefined ? '' : ` from ${account} on ${network ?? ''}`}`
      : 'no bridge pays now',
    `last run ${last ?? 'never'}, next run ${next ?? 'not planned'}${whyNot === '' ? '' : `: ${whyNot}`}`,
  ];
}

export async function evidence(asked: Asked<LedgerSettings>): Promise<number> {
  const [which = ''] = asked.words;
  return onBooks(asked, async ({ ledger: { pool }, ...to }) => {
    const proof = await paymentProof(askOf(pool), which);
    if (!proof) {
      const words = `no payment on chain has the number or request key ${JSON.stringify(which)}: \`ledger payout status ID --lines\` lists those of a batch`;
      throw new CommandError(words);
    }
    showProof(proof, to);
    return OK;
  });
}

function showProof(proof: Evidence, to: Printing): void {
  const { stdout } = to.io;
  const { events: steps } = proof;
  if (to.config.csv || to.config.wide) return void print(steps, STEPS, to);
  if (to.config.json || !stdout.isTTY) {
    const { events: _, ...rest } = proof;
    return void stdout.write(`${JSON.stringify({ ...rest, events: steps }, null, 2)}\n`);
  }
  const { line, attempts } = proof;
  const where = line.chainId === null ? '' : ` on chain ${line.chainId}`;
  stdout.write(
    `payment ${line.id} of payout ${line.payout}: ${line.amount} to ${line.account}${where}, ${line.state}\n`,
  );
  for (const { attempt, state, requestKey, blockHeight, blockHash, why } of attempts) {
    const block = blockHeight === null ? '' : `, block ${blockHeight} ${blockHash ?? ''}`;
    stdout.write(
      `attempt ${attempt}: ${state}${block}${why === '' ? '' : `: ${why}`}\n  request key ${requestKey}\n`,
    );
  }
  stdout.write('\n');
  print(steps, STEPS, to);
}
