/** Alerts that all bridges on these books share, as the bridge asks for them. */
import type pg from 'pg';
import type { AlertBook } from '../../bridge/alerts.js';
import { claimDeliveries, settleDelivery } from './alert-deliveries.js';
import { lookAtAlerts } from './alert-look.js';
import { overdueRigs, sawRigs } from './alert-rigs.js';
import { payable, readAlerts, readTargets, unweighed } from './alerts.js';

export function alertBook(pool: pg.Pool): AlertBook {
  return {
    readAlerts: (asked) => readAlerts(pool, asked),
    readTargets: (names) => readTargets(pool, names),
    look: (look) => lookAtAlerts(pool, look),
    sawRigs: (rigs) => sawRigs(pool, rigs),
    overdueRigs: (floorMs, open) => overdueRigs(pool, floorMs, open),
    claim: (asked) => claimDeliveries(pool, asked),
    settle: (delivery, end) => settleDelivery(pool, delivery, end),
    payable: (minimum) => payable(pool, minimum),
    unweighed: () => unweighed(pool),
  };
}
