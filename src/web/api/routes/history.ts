/** What was done over time, in columns. */
import { SPANS } from '../../../bridge/watch/spans.js';
import { timeOf } from '../../../operations/entry/values.js';
import type { Metric, Range } from '../../../operations/enums.js';
import { history, isOfPool, ofFrom } from '../../../operations/history.js';
import { isOperator } from '../../access/standing.js';
import type { BooksFor } from '../../state/anonymous-books.js';
import { Nothing, refused, serve } from '../serve.js';
import type { Api } from '../typed.js';

/** A rig is online by what came in ten minutes, and as often it is seen what is unpaid. */
const LEAST_STEP_MS: Partial<Record<Metric, number>> = { rigs: 600_000, unpaid: 600_000 };

export function addHistory(api: Api, booksFor: BooksFor): void {
  serve(api, history, async ({ metric, of, range }, request) => {
    if (metric === 'unpaid' && !isOperator(request))
      throw refused(403, 'what is unpaid is for operators alone');
    if (of !== 'pool' && isOfPool(metric))
      throw refused(400, `${metric} is known of the pool alone: leave of out`);
    const { stepMs, steps } = spanOf(metric, range);
    const found = await booksFor(request).history({
      metric,
      of: ofFrom(of) ?? { kind: 'pool' },
      stepMs,
      steps,
    });
    if (!found) return new Nothing(`there is no ${nameIn(of)} in the books`);
    const [values = [], others] = firstOf(found.columns);
    const [from, until] = [timeOf(found.fromMs), timeOf(found.untilMs)];
    return { metric, of, range, from, until, stepMs, values, others };
  });
}

/** The same time in steps that the metric has. */
function spanOf(metric: Metric, range: Range): { stepMs: number; steps: number } {
  const { stepMs, steps } = SPANS[range];
  const step = Math.max(stepMs, LEAST_STEP_MS[metric] ?? 0);
  return { stepMs: step, steps: (steps * stepMs) / step };
}

type Column = (number | null)[];

/** The column that the metric is named after, and those that go with it. */
function firstOf(
  columns: Readonly<Record<string, readonly (number | null)[]>>,
): [Column, Record<string, Column>] {
  const [first, ...rest] = Object.entries(columns).map(([name, values]): [string, Column] => [
    name,
    [...values],
  ]);
  return [first?.[1] ?? [], Object.fromEntries(rest)];
}

function nameIn(of: string): string {
  const at = of.indexOf(':');
  return `${of.slice(0, at)} ${JSON.stringify(of.slice(at + 1))}`;
}
