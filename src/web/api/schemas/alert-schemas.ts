/** What the API gives of alerts. */
import { z } from 'zod';
import { SEVERITIES } from '../../../bridge/alerts/alerts.js';
import { TIME } from '../../../operations/fields.js';

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

export const ALERT_TARGET = z
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

export const ALERTS = z
  .object({
    alerts: z.array(ALERT).describe('open ones first; of each the latest first'),
    open: COUNT.describe('how many are open'),
    targets: z.array(ALERT_TARGET).describe('as this bridge has them in its settings'),
    isComplete: z
      .boolean()
      .describe(
        'false while the ledger does not answer: then only what this bridge knows to be open is given',
      ),
    next: z.int().nullable().describe('`before` of the next page; null when there is none'),
  })
  .meta({ id: 'Alerts' });

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
