/**
 * Alerts that a bridge knows to be open, on its own disk: else a start while the ledger is away would tell them anew.
 *
 *     <dataDir>/alerts.json    [{"id":0,"condition":"ledgerAway","about":"bridge 0",…}]
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Alert, CONDITIONS, SEVERITIES } from '../../bridge/alerts/alerts.js';
import type { Log } from '../../core/names/log.js';
import type { KnownAlerts } from '../../web/alerts/keeper.js';
import { writeWhole } from '../books/whole-file.js';

const FILE = z.array(
  z.object({
    ...{ id: z.number(), condition: z.enum(CONDITIONS), about: z.string(), severity: z.enum(SEVERITIES) },
    ...{ account: z.string().optional(), says: z.string(), openedAtMs: z.number() },
  }),
);

export function knownAlerts(dataDir: string, log: Log): KnownAlerts {
  const path = join(dataDir, 'alerts.json');
  let written = '';
  const complain = (error: Error): void =>
    log.warn({ path, error: error.message }, 'what is told while the ledger is away may be told twice');
  return {
    read: async () => {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') complain(error);
        return '[]';
      });
      const alerts = alertsIn(text);
      written = namesOf(alerts);
      return alerts;
    },
    write: async (alerts) => {
      // What they say changes with each look, as the age of something: that alone is written by none.
      if (namesOf(alerts) === written) return;
      written = namesOf(alerts);
      await writeWhole(path, [`${JSON.stringify(alerts)}\n`]).catch(complain);
    },
  };
}

function namesOf(alerts: readonly Alert[]): string {
  return JSON.stringify(
    alerts.map(({ id, condition, about, openedAtMs }) => [id, condition, about, openedAtMs]),
  );
}

/** None of a file that is cut short, or of another version. */
function alertsIn(text: string): Alert[] {
  try {
    const alerts = FILE.parse(JSON.parse(text));
    return alerts.map((alert) => ({
      account: undefined,
      ...alert,
      resolvedAtMs: undefined,
      resolvedSays: '',
    }));
  } catch {
    return [];
  }
}
