/** Sums of shares over steps of time: of the pool, of an account, or of a rig. */
import type { HistoryOf } from '../../operations/history.js';
import { type Ask, type RowOf, statementsOf } from '../database/statements.js';
import { KINDS, kindNumber, ONLINE } from '../recording/kinds.js';

export const SQL = statementsOf('watch/sums.sql');

/** Steps of one length, side by side. */
export interface Steps {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly steps: number;
}

/** What of it is asked for. */
type What = 'shares' | 'outcomes' | 'online';

/** Where the sums of somebody are read. */
export interface Source {
  /** How far it reaches at the most, by the books' clock. */
  readonly nowMs: number;
  readonly parts: readonly Part[];
}

interface Part {
  readonly of: 'account' | 'rig' | 'slots';
  /** Number of the account or rig; null: of all together, as far as slots tell. */
  readonly id: number | null;
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
const MINUTE_MS = 60_000;
/** Shares of the last seconds are on their way yet. */
const LAG_MS = 5_000;
/** Who asks for such steps sees also of the minute that is not over what has come. */
const FINE_STEP_MS = 600_000;
const POOL = 0;

/** `undefined` for an account or rig that is not in the books. */
export async function sourceOf(ask: Ask, of: HistoryOf, stepMs: number): Promise<Source | undefined> {
  const [{ nowMs } = { nowMs: 0 }] = await ask(SQL.times);
  const bookedMs = downTo(nowMs - LAG_MS, SLOT_MS);
  const id = await idOf(ask, of);
  if (id === undefined) return undefined;
  if (of.kind === 'rig') return { nowMs, parts: [{ of: 'rig', id, fromMs: 0, untilMs: bookedMs }] };
  const minuteMs = downTo(bookedMs, MINUTE_MS);
  const minutes: Part = { of: 'account', id, fromMs: 0, untilMs: minuteMs };
  if (stepMs >= FINE_STEP_MS || bookedMs === minuteMs) return { nowMs, parts: [minutes] };
  const slots: Part = { of: 'slots', id: id === POOL ? null : id, fromMs: minuteMs, untilMs: bookedMs };
  return { nowMs, parts: [minutes, slots] };
}

async function idOf(ask: Ask, of: HistoryOf): Promise<number | undefined> {
  if (of.kind === 'pool') return POOL;
  const [found] =
    of.kind === 'account'
      ? await ask(SQL.accountId, [of.account])
      : await ask(SQL.rigId, [of.account, of.rig]);
  return found?.id;
}

/** What is counted reaches to here. */
export function untilOf({ parts }: Source): number {
  return Math.max(...parts.map(({ untilMs }) => untilMs));
}

export async function readSums(ask: Ask, source: Source, what: What, steps: Steps): Promise<Sums> {
  const sums = new Map<string, Map<number, StepSum>>();
  for (const part of source.parts) {
    const from = Math.max(part.fromMs, steps.fromMs);
    if (part.untilMs <= from) continue;
    const values = [steps.fromMs, steps.stepMs, from, part.untilMs, part.id] as const;
    for (const { step, kind, ...sum } of await readPart(ask, part, what, values)) {
      const name = nameOf(kind);
      const ofKind = sums.get(name) ?? new Map<number, StepSum>();
      sums.set(name, ofKind.set(step, added(ofKind.get(step), sum)));
    }
  }
  return sums;
}

const KINDS_OF: Readonly<Record<What, readonly number[]>> = {
  shares: [0],
  outcomes: KINDS.map(kindNumber),
  online: [ONLINE],
};

async function readPart(
  ask: Ask,
  { of }: Part,
  what: What,
  values: readonly [firstMs: number, stepMs: number, fromMs: number, untilMs: number, id: number | null],
): Promise<RowOf<typeof SQL.ofRig>[]> {
  if (what === 'online' && of === 'slots') return [];
  if (what === 'online' && of === 'rig') return ask(SQL.rigOnline, [...values, ONLINE]);
  const statement = { account: SQL.ofAccount, rig: SQL.ofRig, slots: SQL.ofSlots }[of];
  return ask(statement, [...values, KINDS_OF[what]]);
}

function nameOf(kind: number): string {
  return kind === ONLINE ? 'online' : (KINDS[kind] ?? '');
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
