/** What was done over time, a value a step. */
import type { History, HistoryQuestion } from '../../bridge/watch/books-watch.js';
import { delayQuantile } from '../../bridge/watch/job-delays.js';
import { REJECTIONS } from '../../core/shares/rejections.js';
import { rounded } from '../../operations/entry/values.js';
import type { Metric } from '../../operations/enums.js';
import type { HistoryOf } from '../../operations/history.js';
import { type Ask, statementsOf } from '../database/statements.js';
import {
  downTo,
  readSums,
  type Source,
  type StepSum,
  type Steps,
  type Sums,
  sourceOf,
  untilOf,
} from './sums.js';

const SQL = statementsOf('watch/history.sql');

/** What a column is made of. */
interface Asked extends Steps {
  readonly ask: Ask;
  readonly source: Source;
  readonly of: HistoryOf;
  readonly untilMs: number;
}

type Column = (number | null)[];
type Columns = Record<string, Column>;

/** A rate over less than this says nothing. */
const SHORTEST_MS = 30_000;
const ONLINE_MS = 600_000;
/** These reach to now. */
const AS_IT_COMES: readonly Metric[] = ['blocks', 'effort', 'freshness', 'unpaid'];

export async function historyOf(ask: Ask, question: HistoryQuestion): Promise<History | undefined> {
  const { metric, of, stepMs, steps } = question;
  const source = await sourceOf(ask, of, stepMs);
  if (!source) return undefined;
  const fromMs = downTo(source.nowMs, stepMs) - (steps - 1) * stepMs;
  const untilMs = AS_IT_COMES.includes(metric) ? source.nowMs : Math.max(fromMs, untilOf(source));
  const columns = await COLUMNS[metric]({ ask, source, of, fromMs, stepMs, steps, untilMs });
  return { fromMs, untilMs, columns };
}

const COLUMNS: Readonly<Record<Metric, (asked: Asked) => Promise<Columns>>> = {
  hashRate: hashRates,
  shares: outcomes,
  rigs: rigsOnline,
  blocks: blocksFound,
  effort: efforts,
  freshness,
  unpaid,
};

async function hashRates(asked: Asked): Promise<Columns> {
  const accepted = (await readSums(asked.ask, asked.source, 'shares', asked)).get('accepted');
  const perSecond = (value: (sum: StepSum) => number): Column =>
    column(asked, (step) => {
      const [sum, lastedMs] = [accepted?.get(step), lastedOf(asked, step)];
      return sum && lastedMs >= SHORTEST_MS ? rounded((value(sum) * 1000) / lastedMs) : null;
    });
  return {
    hashesPerSecond: perSecond(({ work }) => work),
    standardError: perSecond(({ squares }) => Math.sqrt(squares)),
  };
}

async function outcomes(asked: Asked): Promise<Columns> {
  const sums = await readSums(asked.ask, asked.source, 'outcomes', asked);
  const columns: Columns = {};
  for (const outcome of ['accepted', ...REJECTIONS])
    columns[outcome] = column(asked, (step) =>
      isBooked(sums, step) ? (sums.get(outcome)?.get(step)?.amount ?? 0) : null,
    );
  return columns;
}

async function rigsOnline(asked: Asked): Promise<Columns> {
  const online = (await readSums(asked.ask, asked.source, 'online', asked)).get('online');
  return {
    online: column(asked, (step) => {
      const sum = online?.get(step);
      // Of a step that is not over, as many parts as have begun.
      const parts = Math.max(1, Math.ceil(lastedOf(asked, step) / ONLINE_MS));
      return sum ? rounded((sum.amount * 1000) / (parts * ONLINE_MS)) : null;
    }),
  };
}

async function blocksFound(asked: Asked): Promise<Columns> {
  const { ask, of, source, fromMs, stepMs } = asked;
  const sums = await readSums(ask, source, 'shares', asked);
  const account = of.kind === 'pool' ? null : of.account;
  const rig = of.kind === 'rig' ? of.rig : null;
  const rows = await ask(SQL.blocks, [fromMs, stepMs, fromMs, asked.untilMs, account, rig]);
  const found = new Map(rows.map((row) => [row.step, row]));
  const counts = (name: 'found' | 'orphaned'): Column =>
    column(asked, (step) => found.get(step)?.[name] ?? (isBooked(sums, step) ? 0 : null));
  return { found: counts('found'), orphaned: counts('orphaned') };
}

async function efforts(asked: Asked): Promise<Columns> {
  const { ask, fromMs, stepMs, untilMs } = asked;
  const rows = await ask(SQL.effort, [fromMs, stepMs, fromMs, untilMs]);
  const means = new Map(rows.map(({ step, effort }) => [step, rounded(effort)]));
  return { effort: column(asked, (step) => means.get(step) ?? null) };
}

async function freshness(asked: Asked): Promise<Columns> {
  const { ask, fromMs, stepMs } = asked;
  const rows = await ask(SQL.freshness, [fromMs, stepMs]);
  const counts = new Map(rows.map((row) => [row.step, row.counts.map(Number)]));
  const quantiles = (part: number): Column =>
    column(asked, (step) => delayQuantile(counts.get(step) ?? [], part));
  return { p50: quantiles(0.5), p99: quantiles(0.99) };
}

const OWED = ['due', 'expected', 'paying'] as const;

async function unpaid(asked: Asked): Promise<Columns> {
  const { ask, fromMs, stepMs, untilMs } = asked;
  const rows = await ask(SQL.unpaid, [fromMs, stepMs, fromMs, untilMs]);
  const seen = new Map(rows.map((row) => [row.step, row]));
  return Object.fromEntries(
    OWED.map((book) => [book, column(asked, (step) => seen.get(step)?.[book] ?? null)]),
  );
}

function column({ steps }: Steps, value: (step: number) => number | null): Column {
  return Array.from({ length: steps }, (_, step) => value(step));
}

/** How much of the step is counted: the last one is not over. */
function lastedOf({ fromMs, stepMs, untilMs }: Asked, step: number): number {
  const startMs = fromMs + step * stepMs;
  return Math.min(stepMs, untilMs - startMs);
}

function isBooked(sums: Sums, step: number): boolean {
  return Array.from(sums.values()).some((ofKind) => ofKind.has(step));
}
