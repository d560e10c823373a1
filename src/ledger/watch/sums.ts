/** Sums of shares over steps of time: of the pool and of large accounts as they are rolled up, of a few rigs from their buckets. */
import type { HistoryOf } from '../../bridge/watch/books-watch.js';
import type { Ask } from './questions.js';
import {
  OF_ACCOUNT_NOW,
  OF_POOL_NOW,
  OF_RIGS,
  OF_ROLLED,
  RIG_IDS,
  ROLLED_ACCOUNT,
  type SumsSql,
  TIMES,
} from './sql.js';

/** Steps of one length, side by side. */
export interface Steps {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly steps: number;
}

/** Where the sums of somebody are read. */
export interface Source {
  /** How far it reaches at the most, by the books' clock. */
  readonly nowMs: number;
  readonly parts: readonly Part[];
}

interface Part {
  readonly sql: SumsSql;
  /** For the placeholders from $5 on. */
  readonly of: readonly unknown[];
  /** It is read from here to there. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface StepSum {
  /** Shares or other submits; of `online` seconds that rigs were so. */
  readonly amount: number;
  readonly work: number;
  readonly squares: number;
}

/** Kind -> step -> sum. */
export type Sums = ReadonlyMap<string, ReadonlyMap<number, StepSum>>;

const SLOT_MS = 10_000;
/** Shares of the last seconds are on their way yet. */
const LAG_MS = 5_000;
/** What is not rolled up yet is read from the buckets, which may be many: not for longer than this. */
const MOST_UNROLLED_MS = 300_000;
/** Who asks for such steps sees the last minute too. */
const FINE_STEP_MS = 600_000;
const POOL = 0;

/** `undefined` for an account or rig that is not in the books. */
export async function sourceOf(ask: Ask, of: HistoryOf, stepMs: number): Promise<Source | undefined> {
  const [times] = await ask<{ nowMs: number; seenMs: number }>(TIMES);
  const { nowMs = 0, seenMs = 0 } = times ?? {};
  const bookedMs = downTo(nowMs - LAG_MS, SLOT_MS);
  if (of.kind !== 'rig') {
    const [row] =
      of.kind === 'pool' ? [{ id: POOL }] : await ask<{ id: number }>(ROLLED_ACCOUNT, [of.account]);
    if (row) return { nowMs, parts: rolledParts(of, row.id, stepMs, Math.min(seenMs, nowMs), bookedMs) };
  }
  const rigs = await ask<{ id: number }>(
    RIG_IDS,
    of.kind === 'rig' ? [of.account, of.rig] : [accountOf(of), null],
  );
  if (rigs.length === 0) return undefined;
  return { nowMs, parts: [{ sql: OF_RIGS, of: [rigs.map(({ id }) => id)], fromMs: 0, untilMs: bookedMs }] };
}

function accountOf(of: HistoryOf): string {
  return of.kind === 'pool' ? '' : of.account;
}

function rolledParts(of: HistoryOf, id: number, stepMs: number, seenMs: number, bookedMs: number): Part[] {
  const rolled: Part = { sql: OF_ROLLED, of: [id], fromMs: 0, untilMs: seenMs };
  if (stepMs >= FINE_STEP_MS || bookedMs <= seenMs) return [rolled];
  // A step is read as a whole or not at all, or its rate would be one of a part of it.
  const fromMs = Math.max(seenMs, downTo(bookedMs - MOST_UNROLLED_MS, stepMs));
  const now =
    of.kind === 'pool' ? { sql: OF_POOL_NOW, of: [] } : { sql: OF_ACCOUNT_NOW, of: [accountOf(of)] };
  return [rolled, { ...now, fromMs, untilMs: bookedMs }];
}

/** What is counted reaches to here. */
export function untilOf({ parts }: Source): number {
  return Math.max(...parts.map(({ untilMs }) => untilMs));
}

export async function readSums(ask: Ask, source: Source, what: keyof SumsSql, steps: Steps): Promise<Sums> {
  const sums = new Map<string, Map<number, StepSum>>();
  for (const part of source.parts) {
    const from = Math.max(part.fromMs, steps.fromMs);
    if (part.untilMs <= from) continue;
    const values = [steps.fromMs, steps.stepMs, from, part.untilMs, ...part.of];
    for (const { step, kind, ...sum } of await ask<StepRow>(part.sql[what], values)) {
      const ofKind = sums.get(kind) ?? new Map<number, StepSum>();
      sums.set(kind, ofKind.set(step, added(ofKind.get(step), sum)));
    }
  }
  return sums;
}

interface StepRow extends StepSum {
  readonly step: number;
  readonly kind: string;
}

function added(one: StepSum | undefined, other: StepSum): StepSum {
  if (!one) return other;
  return {
    amount: one.amount + other.amount,
    work: one.work + other.work,
    squares: one.squares + other.squares,
  };
}

export function downTo(timeMs: number, stepMs: number): number {
  return Math.floor(timeMs / stepMs) * stepMs;
}
