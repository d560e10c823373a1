/** Payments on chain as views have them. */
import { adviceFor } from '../../core/names/pause-advice.js';
import { timeOf, timeOrNull } from '../../operations/entry/values.js';
import type { Hold, Payer } from '../../operations/payouts.js';
import { nextSteps } from './next-steps.js';
import { type AccountHold, awaitedWords, type PayerReport } from './payer-watch.js';

/** Accounts that are held, of one view. */
export const MOST_HOLDS = 1_000;

export function showHold({ account, chainId, untilMs, note, by, atMs }: AccountHold): Hold {
  return { account, chainId, until: timeOrNull(untilMs), note, by, at: timeOf(atMs) };
}

export function showPayer(report: PayerReport, holds: readonly AccountHold[]): Payer {
  const { pause, isSeated, place, account, network, whyNot, unapproved, lines, chains } = report;
  return {
    ...{ isPaying: isSeated, place, account: account ?? null, network: network ?? null },
    paused: pause
      ? {
          ...{ kind: pause.kind, says: pause.says, advice: adviceFor(pause.kind), by: pause.by },
          ...{ since: timeOf(pause.sinceMs), evidence: { ...pause.evidence } },
        }
      : null,
    ...{
      lastRun: timeOrNull(report.ranAtMs),
      nextRun: timeOrNull(report.nextAtMs),
      askedAt: timeOrNull(report.askedAtMs),
    },
    next: nextSteps(report),
    ...{ whyNot, unapproved, lines: { ...lines }, holds: holds.map(showHold) },
    awaited: {
      total: report.awaited.total,
      says: report.awaited.total > 0 ? awaitedWords(report.awaited) : '',
      lines: report.awaited.lines.map(({ untilMs, ...line }) => ({ ...line, until: timeOf(untilMs) })),
    },
    chains: chains.map(({ balance, height, head, ...chain }) => ({
      ...chain,
      ...{ coins: balance ?? null, height: height ?? null },
      head: head ? { height: head.height, at: timeOf(head.atMs) } : null,
    })),
  };
}
