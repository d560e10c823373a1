/** Payments on chain, as the API writes them. */
import type { z } from 'zod';
import { nextSteps } from '../../../bridge/watch/next-steps.js';
import {
  type AccountHold,
  awaitedWords,
  type PaidLine,
  type PayerReport,
  type PaymentProof,
} from '../../../bridge/watch/payer-watch.js';
import { adviceFor } from '../../../core/names/pause-advice.js';
import type { EVIDENCE_OF_PAYMENT, HOLD, PAID_LINE, PAYER } from '../schemas/payer-schemas.js';

const iso = (ms: number): string => new Date(ms).toISOString();
const timeOf = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : iso(ms);

export function showLine({ changedAtMs, ...line }: PaidLine): z.output<typeof PAID_LINE> {
  return { ...line, changedAt: iso(changedAtMs) };
}

export function showHold({ account, chainId, untilMs, note, by, atMs }: AccountHold): z.output<typeof HOLD> {
  return { account, chainId, until: timeOf(untilMs), note, by, at: iso(atMs) };
}

export function showPayer(report: PayerReport, holds: readonly AccountHold[]): z.output<typeof PAYER> {
  const { pause, isSeated, place, account, network, whyNot, unapproved, lines, chains } = report;
  return {
    ...{ isPaying: isSeated, place, account: account ?? null, network: network ?? null },
    paused: pause
      ? {
          ...{ kind: pause.kind, says: pause.says, advice: adviceFor(pause.kind), by: pause.by },
          ...{ since: iso(pause.sinceMs), evidence: { ...pause.evidence } },
        }
      : null,
    ...{
      lastRun: timeOf(report.ranAtMs),
      nextRun: timeOf(report.nextAtMs),
      askedAt: timeOf(report.askedAtMs),
    },
    next: nextSteps(report),
    ...{ whyNot, unapproved, lines: { ...lines }, holds: holds.map(showHold) },
    awaited: {
      total: report.awaited.total,
      says: report.awaited.total > 0 ? awaitedWords(report.awaited) : '',
      lines: report.awaited.lines.map(({ untilMs, ...line }) => ({ ...line, until: iso(untilMs) })),
    },
    chains: chains.map(({ balance, height, head, ...chain }) => ({
      ...chain,
      ...{ coins: balance ?? null, height: height ?? null },
      head: head ? { height: head.height, at: iso(head.atMs) } : null,
    })),
  };
}

export function showProof({ line, attempts, events }: PaymentProof): z.output<typeof EVIDENCE_OF_PAYMENT> {
  return {
    line: showLine(line),
    attempts: attempts.map(({ sentAtMs, ...attempt }) => ({ ...attempt, sentAt: timeOf(sentAtMs) })),
    events: events.map(({ atMs, evidence, ...step }) => ({
      at: iso(atMs),
      ...step,
      evidence: { ...evidence },
    })),
  };
}
