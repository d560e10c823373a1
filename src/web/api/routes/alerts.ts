/** Alerts, the open ones first, and whether those who should be told are. */
import { z } from 'zod';
import { CONDITION_NAMES, type Condition } from '../../../alerts/conditions.js';
import type { AlertsView } from '../../../bridge/alerts.js';
import type { Log } from '../../../core/names/log.js';
import { type AlertsQuestion, alerts } from '../../../operations/alerts.js';
import { FAULT } from '../../../operations/fields.js';
import { InTime } from '../../state/in-time.js';
import type { Api } from '../typed.js';

const CONDITIONS_SAY = `one or more of ${CONDITION_NAMES.join(', ')}`;
const condition = z
  .preprocess(separated, z.array(z.enum(CONDITION_NAMES, CONDITIONS_SAY), CONDITIONS_SAY))
  .optional()
  .describe('several with commas');

export function addAlertRoutes(api: Api, view: AlertsView, log: Log): void {
  const [ledger, queue] = [new InTime(log), new InTime(log)];
  const { tag, path, summary, description, input, output } = alerts;
  const schema = {
    ...{ tags: [tag], summary, description, querystring: input.extend({ condition }) },
    response: { 200: output, 400: FAULT },
  };
  api.get(path, { schema }, async ({ query }) => {
    const [list, reports] = await Promise.all([
      ledger.ask(() => view.readAlerts(query)),
      queue.ask(() => view.readTargets()),
    ]);
    return {
      ...(list ?? known(view, query)),
      targets: view.targets().map(({ name, type }) => ({
        ...NOTHING_TOLD,
        ...reports?.find((report) => report.name === name),
        ...{ name, type },
      })),
      isComplete: list !== undefined && reports !== undefined,
    };
  });
}

const NOTHING_TOLD = { waiting: 0, delivered: 0, failed: 0, lastDeliveredAt: null, lastFailure: null };

/** With commas between them; what holds no such word is left as it is, to be told. */
function separated(given: unknown): unknown {
  const words = typeof given === 'string' ? given.split(',') : [];
  return words.length > 0 && words.every((word) => CONDITION_NAMES.includes(word as Condition))
    ? words
    : given;
}

/** Without the ledger. */
function known(view: AlertsView, { state, before, limit, condition: wanted }: AlertsQuestion) {
  const open = view.open();
  const isAsked = state !== 'resolved' && before === undefined;
  const those = open.filter(({ condition }) => isAsked && (wanted?.includes(condition) ?? true));
  return { alerts: those.slice(0, limit), open: open.length, next: null };
}
