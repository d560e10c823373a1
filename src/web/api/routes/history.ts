/** What was done over time, in columns. */
import { z } from 'zod';
import { BOOKED_METRICS, type BookedMetric, type HistoryOf } from '../../../bridge/watch/books-watch.js';
import { type Range, SPANS } from '../../../bridge/watch/spans.js';
import { NAME_BYTES, nameFault } from '../../../core/names/names.js';
import { FAULT } from '../../../operations/fields.js';
import { isOperator } from '../../access/standing.js';
import { HISTORY } from '../schemas/book-schemas.js';
import type { Api } from '../typed.js';
import type { BooksFor } from './books.js';

const RANGES = Object.keys(SPANS) as [Range, ...Range[]];
/** A rig is online by what came in ten minutes, and as often it is seen what is unpaid. */
const LEAST_STEP_MS: Partial<Record<BookedMetric, number>> = { rigs: 600_000, unpaid: 600_000 };
const OF_POOL = ['effort', 'freshness', 'unpaid'];
const MAX_OF = 'account:.'.length + NAME_BYTES.account + NAME_BYTES.rig;
const OF_SAYS = 'pool, account:NAME or rig:ACCOUNT.RIG';

const QUERY = z.strictObject({
  metric: z.enum(BOOKED_METRICS, `one of ${BOOKED_METRICS.join(', ')}`).default('hashRate'),
  of: z
    .string(OF_SAYS)
    .max(MAX_OF, OF_SAYS)
    .refine((text) => ofFrom(text) !== undefined, OF_SAYS)
    .default('pool')
    .describe(`${OF_SAYS}; effort, freshness and unpaid are the pool's alone`),
  range: z.enum(RANGES, `one of ${RANGES.join(', ')}`).default('24h'),
});

const DESCRIPTION = [
  'One value a step, and null where there was no data. What the values are, and which columns go with them:',
  'hashRate: hashes a second by the work of accepted shares, with standardError (two of three times the rate is within it);',
  'shares: accepted ones, with each reason of a rejection;',
  'rigs: how many had a share in ten minutes, on average over the step;',
  'blocks: solutions that a node may have taken, with orphaned (of them);',
  'effort: work of the pool since its block before, in parts of the expected, as the mean of the blocks found (1.43 is 143 %);',
  'freshness: milliseconds from what led to a job being heard to the job at the last session, the median, with p99;',
  'unpaid: the balances of all accounts together, as last seen in the step, with held and paying; for operators, and about: /api/v1/money has them to the last unit.',
  'Of an hour steps are a minute (of rigs and unpaid ten), of a day ten minutes, of 7 days an hour, of 30 days three hours, of a year a day in UTC.',
].join(' ');

export function addHistory(api: Api, booksFor: BooksFor): void {
  const schema = {
    tags: ['books'],
    summary: 'What was done over time, in columns',
    description: DESCRIPTION,
    querystring: QUERY,
    response: { 200: HISTORY, 400: FAULT, 403: FAULT, 404: FAULT, 503: FAULT },
  };
  api.get('/api/v1/history', { config: { access: 'miner' }, schema }, async (request, reply) => {
    const { metric, of, range } = request.query;
    if (metric === 'unpaid' && !isOperator(request))
      return reply.code(403).send({ error: 'what is unpaid is for operators alone' });
    if (of !== 'pool' && OF_POOL.includes(metric))
      return reply.code(400).send({ error: `${metric} is known of the pool alone: leave of out` });
    const { stepMs, steps } = spanOf(metric, range);
    const found = await booksFor(request).history({
      metric,
      of: ofFrom(of) ?? { kind: 'pool' },
      stepMs,
      steps,
    });
    if (!found) return reply.code(404).send({ error: `there is no ${nameIn(of)} in the books` });
    const [values = [], others] = firstOf(found.columns);
    const { fromMs, untilMs } = found;
    return {
      metric,
      of,
      range,
      ...timesOf(fromMs, untilMs),
      stepMs,
      values,
      others,
    };
  });
}

/** The same time in steps that the metric has. */
function spanOf(metric: BookedMetric, range: Range): { stepMs: number; steps: number } {
  const { stepMs, steps } = SPANS[range];
  const step = Math.max(stepMs, LEAST_STEP_MS[metric] ?? 0);
  return { stepMs: step, steps: (steps * stepMs) / step };
}

function timesOf(fromMs: number, untilMs: number): { from: string; until: string } {
  return { from: new Date(fromMs).toISOString(), until: new Date(untilMs).toISOString() };
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

/** A login is parted at its first dot, and the rig may be empty. `undefined` for what is nobody. */
function ofFrom(text: string): HistoryOf | undefined {
  if (text === 'pool') return { kind: 'pool' };
  const [, kind, account = '', rig = ''] = /^(account|rig):([^.]+)(?:\.(.*))?$/s.exec(text) ?? [];
  if (nameFault({ account, rig }) !== undefined) return undefined;
  if (kind === 'rig') return { kind, account, rig };
  return kind === 'account' && text === `account:${account}` ? { kind, account } : undefined;
}

function nameIn(of: string): string {
  const at = of.indexOf(':');
  return `${of.slice(0, at)} ${JSON.stringify(of.slice(at + 1))}`;
}
