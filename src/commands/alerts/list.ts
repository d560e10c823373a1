import type { Alert } from '../../bridge/alerts/alerts.js';
import type { Asked } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { readAlerts } from '../../ledger/alerts/alerts.js';
import type { Columns } from '../../operations/columns.js';
import { onBooks } from '../ledger/access.js';
import type { ListSettings } from '../ledger/settings.js';

interface AlertLine {
  readonly id: number;
  readonly condition: string;
  readonly about: string;
  readonly severity: string;
  readonly from: string;
  /** Empty while it is open. */
  readonly until: string;
  readonly says: string;
}

const COLUMNS: Columns<AlertLine> = {
  id: { kind: 'count', importance: 4 },
  condition: { kind: 'text', importance: 1 },
  about: { kind: 'name', importance: 1 },
  severity: { kind: 'text', importance: 3 },
  from: { kind: 'time', importance: 2, heading: 'from (UTC)' },
  until: { kind: 'time', importance: 1, heading: 'until (UTC)' },
  says: { kind: 'text', importance: 5 },
};

export async function run(asked: Asked<ListSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const { alerts } = await readAlerts(ledger.pool, { state: 'all', limit: to.config.limit });
    return print(alerts.map(lineOf), COLUMNS, to);
  });
}

function lineOf({ id, condition, about, severity, says, openedAtMs, resolvedAtMs }: Alert): AlertLine {
  const until = resolvedAtMs === undefined ? '' : new Date(resolvedAtMs).toISOString();
  return { id, condition, about, severity, from: new Date(openedAtMs).toISOString(), until, says };
}
