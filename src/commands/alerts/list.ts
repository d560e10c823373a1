import type { Asked } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { readAlerts } from '../../ledger/alerts/alerts.js';
import { alerts } from '../../operations/alerts.js';
import { onBooks } from '../ledger/access.js';
import type { ListSettings } from '../ledger/settings.js';

export async function run(asked: Asked<ListSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) => {
    const found = await readAlerts(ledger.pool, { state: 'all', limit: to.config.limit });
    return print(found.alerts, alerts.columns, to);
  });
}
