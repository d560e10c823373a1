/** What was done over time, in columns. */
import { z } from 'zod';
import { NAME_BYTES, nameFault } from '../core/names/names.js';
import { TIME } from './entry/fields.js';
import type { Operation } from './entry/operation.js';
import { METRICS, type Metric, RANGES } from './enums.js';

const MAX_OF = 'account:.'.length + NAME_BYTES.account + NAME_BYTES.rig;
const OF_SAYS = 'pool, account:NAME or rig:ACCOUNT.RIG';
const COLUMN = z.array(z.number().nullable());

const DESCRIPTION = [
  'One value a step, and null where there was no data. What the values are, and which columns go with them:',
  'hashRate: hashes a second by the work of accepted shares, with standardError (two of three times the rate is within it);',
  'shares: accepted ones, with each reason of a rejection;',
  'rigs: how many had a share in ten minutes, on average over the step;',
  'blocks: solutions that a node may have taken, with orphaned (of them);',
  'effort: work of the pool since its block before, in parts of the expected, as the mean of the blocks found (1.43 is 143 %);',
  'freshness: milliseconds from what led to a job being heard to the job at the last session, the median, with p99;',
  'unpaid: what all accounts together are due, as last seen in the step, with expected and paying; for operators, and about: /api/v1/money has them to the last unit.',
  'Of an hour steps are a minute (of rigs and unpaid ten), of a day ten minutes, of 7 days an hour, of 30 days three hours, of a year a day in UTC.',
].join(' ');

export const history = {
  tag: 'books',
  summary: 'What was done over time, in columns',
  description: DESCRIPTION,
  path: '/api/v1/history',
  access: 'miner',
  input: z.strictObject({
    metric: z.enum(METRICS, `one of ${METRICS.join(', ')}`).default('hashRate'),
    of: z
      .string(OF_SAYS)
      .max(MAX_OF, OF_SAYS)
      .refine((text) => ofFrom(text) !== undefined, OF_SAYS)
      .default('pool')
      .describe(`${OF_SAYS}; effort, freshness and unpaid are the pool's alone`),
    range: z.enum(RANGES, `one of ${RANGES.join(', ')}`).default('24h'),
  }),
  output: z
    .object({
      metric: z.enum(METRICS),
      of: z.string(),
      range: z.string(),
      from: TIME.describe('when the first step begins'),
      until: TIME.describe('what is counted reaches to here, in the last step'),
      stepMs: z.int(),
      values: COLUMN.describe('one a step; null where there was no data'),
      others: z.record(z.string(), COLUMN).describe('columns that go with the values, by name'),
    })
    .meta({ id: 'History' }),
  faults: [403, 404, 503],
} satisfies Operation;
export type History = z.output<typeof history.output>;

/** Known of the pool alone. */
export function isOfPool(metric: Metric): boolean {
  return metric === 'effort' || metric === 'freshness' || metric === 'unpaid';
}

export type HistoryOf =
  | { readonly kind: 'pool' }
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'rig'; readonly account: string; readonly rig: string };

/** A login is parted at its first dot, and the rig may be empty. `undefined` for what is nobody. */
export function ofFrom(text: string): HistoryOf | undefined {
  if (text === 'pool') return { kind: 'pool' };
  const [, kind, account = '', rig = ''] = /^(account|rig):([^.]+)(?:\.(.*))?$/s.exec(text) ?? [];
  if (nameFault({ account, rig }) !== undefined) return undefined;
  if (kind === 'rig') return { kind, account, rig };
  return kind === 'account' && text === `account:${account}` ? { kind, account } : undefined;
}
