/** Alerts that all bridges on these books share, as the bridge asks for them. */
import type pg from 'pg';
import type { AlertBook } from '../../bridge/alerts.js';
import { lookAtAlerts } from './alert-look.js';
import { overdueRigs, sawRigs } from './alert-rigs.js';
import { payable, readAlerts, unclaimed, unweighed } from './alerts.js';

export function alertBook(pool: pg.Pool): AlertBook {
  return {
    readAlerts: (asked) => readAlerts(pool, asked),
    look: (look) => lookAtAlerts(pool, look),
    sawRigs: (rigs) => sawRigs(pool, rigs),
    overdueRigs: (floorMs, open) => overdueRigs(pool, floorMs, open),
    payable: () => payable(pool),
    unweighed: () => unweighed(pool),
    unclaimed: () => unclaimed(pool),
  };
}
