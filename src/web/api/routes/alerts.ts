/** Alerts, the open ones first, and whether those who should be told are. */
import { z } from 'zod';
import {
  type Alert,
  type AlertsAsked,
  type AlertsView,
  CONDITIONS,
  type Condition,
  type ShownTarget,
  type TargetReport,
} from '../../../bridge/alerts/alerts.js';
import type { Log } from '../../../core/names/log.js';
import { FAULT, SLICE, wholeNumber } from '../../../operations/fields.js';
import { InTime } from '../../state/in-time.js';
import { ALERTS } from '../schemas/alert-schemas.js';
import type { Api } from '../typed.js';

const CONDITIONS_SAY = `one or more of ${CONDITIONS.join(', ')}`;
const STATES = ['all', 'open', 'resolved'] as const;

const QUERY = z.strictObject({
  state: z.enum(STATES, `one of ${STATES.join(', ')}`).default('all'),
  condition: z
    .preprocess(separated, z.array(z.enum(CONDITIONS, CONDITIONS_SAY), CONDITIONS_SAY))
    .optional()
    .describe('several with commas'),
  since: z.iso
    .datetime({ offset: true, error: 'a time such as 2026-11-22T15:26:37Z' })
    .optional()
    .describe('only alerts that were open then or later: the bands of a chart'),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('the next of a page before: what follows it'),
  limit: SLICE.limit,
});

export function addAlertRoutes(api: Api, view: AlertsView, log: Log): void {
  const inTime = new InTime(log);
  const schema = {
    tags: ['state'],
    summary: 'Alerts, the open ones first, and what became of notices to each target',
    description:
      'Of all bridges on a ledger. Each was true from `from` until `until`. Also while the ledger is away there is an answer: `isComplete` says so',
    querystring: QUERY,
    response: { 200: ALERTS, 400: FAULT },
  };
  api.get('/api/v1/alerts', { schema }, async (request) => {
    const { since, condition: conditions, ...asked } = request.query;
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    const targets = view.targets();
    const names = targets.map(({ name }) => name);
    const found = await inTime.ask(async () => ({
      list: await view.readAlerts({ ...asked, sinceMs, conditions }),
      reports: await view.readTargets(names),
    }));
    const list = found?.list ?? known(view, { ...asked, conditions });
    return {
      alerts: list.alerts.map(showAlert),
      open: list.open,
      targets: targets.map((target) => showTarget(target, found?.reports)),
      isComplete: found !== undefined,
      next: list.next ?? null,
    };
  });
}

function separated(given: unknown): unknown {
  const words = typeof given === 'string' ? given.split(',') : [];
  return words.length > 0 && words.every((word) => CONDITIONS.includes(word as Condition)) ? words : given;
}

/** Without the ledger. */
function known(view: AlertsView, { state, before, limit, conditions }: AlertsAsked) {
  const open = view.open();
  const isAsked = state !== 'resolved' && before === undefined;
  const alerts = open.filter(({ condition }) => isAsked && (conditions?.includes(condition) ?? true));
  return { alerts: alerts.slice(0, limit), open: open.length, next: undefined };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
const timeOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : timeOf(ms));

function showAlert(alert: Alert): z.output<typeof ALERTS>['alerts'][number] {
  const { id, condition, about, severity, says, openedAtMs, resolvedAtMs, resolvedSays } = alert;
  const times = { from: timeOf(openedAtMs), until: timeOrNull(resolvedAtMs) };
  return { id, condition, about, severity, says, ...times, resolvedSays };
}

function showTarget(
  { name, type }: ShownTarget,
  reports: readonly TargetReport[] = [],
): z.output<typeof ALERTS>['targets'][number] {
  const report = reports.find((each) => each.name === name);
  const { waiting = 0, delivered = 0, failed = 0, deliveredAtMs, lastFailure } = report ?? {};
  const failure = lastFailure ? { at: timeOf(lastFailure.atMs), says: lastFailure.says } : null;
  return {
    ...{ name, type, waiting, delivered, failed },
    lastDeliveredAt: timeOrNull(deliveredAtMs),
    lastFailure: failure,
  };
}
