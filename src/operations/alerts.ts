/** Alerts, and what became of the notices of them. */
import { z } from 'zod';
import type { Columns } from './entry/columns.js';
import { SLICE, TIME, wholeNumber } from './entry/fields.js';
import type { Operation } from './entry/operation.js';
import { SEVERITIES } from './enums.js';

const COUNT = z.int().nonnegative();

export const ALERT = z
  .object({
    id: COUNT.describe('names it for ever; 0 for one that is not in the ledger yet, while that is away'),
    condition: z.string().describe('which condition; there may come more'),
    about: z
      .string()
      .describe(
        'what of it is meant: pool, a node, account.rig, a bridge, a block; many: too many to be named',
      ),
    severity: z.enum(SEVERITIES),
    says: z.string().describe('a sentence for people'),
    from: TIME.describe('when it was opened'),
    until: TIME.nullable().describe(
      'when it was resolved; null while it is open; the same as from for what only happens',
    ),
    resolvedSays: z.string().describe('how it ended; empty while it is open'),
  })
  .meta({ id: 'Alert' });
export type Alert = z.output<typeof ALERT>;

const ALERT_TARGET = z
  .object({
    name: z.string(),
    type: z.string().describe('webhook, discord, slack, telegram or ntfy'),
    waiting: COUNT.describe('notices under way, or tried again later'),
    delivered: COUNT,
    failed: COUNT.describe('notices given up'),
    lastDeliveredAt: TIME.nullable(),
    lastFailure: z
      .object({ at: TIME, says: z.string() })
      .nullable()
      .describe('of a try, also where a later one went well'),
  })
  .meta({ id: 'AlertTarget', description: 'Counted over all bridges on the ledger' });
export type TargetReport = Omit<z.output<typeof ALERT_TARGET>, 'type'>;

const LIST = {
  alerts: z.array(ALERT).describe('open ones first; of each the latest first'),
  open: COUNT.describe('how many are open'),
  next: z.int().nullable().describe('`before` of the next page; null when there is none'),
};
export type AlertList = z.output<z.ZodObject<typeof LIST>>;

const STATES = ['all', 'open', 'resolved'] as const;

const input = z.strictObject({
  state: z.enum(STATES, `one of ${STATES.join(', ')}`).default('all'),
  since: z.iso
    .datetime({ offset: true, error: 'a time such as 2026-11-22T15:26:37Z' })
    .optional()
    .describe('only alerts that were open then or later: the bands of a chart'),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('the next of a page before: what follows it; open ones are on the first page alone'),
  limit: SLICE.limit,
});
export type AlertsQuestion = z.output<typeof input> & { readonly condition?: readonly string[] | undefined };

export const alerts = {
  tag: 'state',
  access: 'read',
  path: '/api/v1/alerts',
  summary: 'Alerts, the open ones first, and what became of notices to each target',
  description:
    'Of all bridges on a ledger. Each was true from `from` until `until`. Also while the ledger is away there is an answer: `isComplete` says so',
  input,
  output: z
    .object({
      ...LIST,
      targets: z.array(ALERT_TARGET).describe('as this bridge has them in its settings'),
      isComplete: z
        .boolean()
        .describe(
          'false while ledger or queue do not answer: then only what this bridge knows to be open, or nothing of what became of notices, is given',
        ),
    })
    .meta({ id: 'Alerts' }),
  columns: {
    id: { kind: 'count', importance: 4 },
    condition: { kind: 'text', importance: 1 },
    from: { kind: 'time', importance: 1, heading: 'from (UTC)' },
    says: { kind: 'text', importance: 1 },
    severity: { kind: 'text', importance: 3 },
    until: { kind: 'time', importance: 4, heading: 'until (UTC)' },
    about: { kind: 'name', importance: 5 },
  },
} satisfies Operation & { readonly columns: Columns<Alert> };

/** The body of a webhook. Within `v` 1 there may come more fields; none goes, and none changes its meaning. */
export const ALERT_NOTICE = z.object({
  v: z.literal(1),
  id: z.uuid().describe('the same in every try: what comes twice is known by it'),
  time: TIME.describe('when it was made'),
  what: z
    .enum(['opened', 'repeated', 'resolved', 'happened'])
    .describe('repeated: it is still open; happened: it was over as it came'),
  alert: ALERT,
});
export type Notice = z.output<typeof ALERT_NOTICE>;
