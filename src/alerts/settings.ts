/** Settings of alerts: what is told of, from what bound on, and to whom. All may change while the bridge runs. */
import { z } from 'zod';
import { listOf, mapOf } from '../values/lists-and-maps.js';
import { numberOf } from '../values/numbers.js';
import { quantity, setting } from '../values/setting.js';
import { CONDITION_NAMES } from './conditions.js';
import { alertTargets } from './targets.js';

export const ALERT_SETTINGS = {
  // URLs and tokens in it are secrets, and in a process list everybody of the machine could read them.
  'alerts.targets': setting(alertTargets, {
    noFlag: true,
    default: [],
    shape: 'LIST',
    live: true,
    secret: 'whole',
    help: 'Who is told: a list of maps with name, type (webhook, discord, slack, telegram, ntfy), what the type takes (url; secret of a webhook; token and chat; topic), and perhaps conditions (a list) and leastSeverity (info, warning, critical). In a variable, or the file that it names, as JSON. The same on all bridges of a ledger.',
  }),
  'alerts.off': setting(listOf(z.enum(CONDITION_NAMES, `is none of ${CONDITION_NAMES.join(', ')}`)), {
    default: [],
    shape: 'CONDITION',
    repeatable: true,
    live: true,
    help: 'What is not told of: blockFound, rigOffline and so on, as `stratum-bridge alerts list` and alerts.targets name them.',
  }),
  // At least far longer than it takes until a rig that is heard here is known to be so at another bridge.
  'alerts.rigOffline': quantity('time', ['15s', '31d'], {
    default: '10m',
    live: true,
    help: 'A rig is missed when it was not heard for so long, and for three times as long as is usual for it.',
  }),
  'alerts.poolHashRate': quantity('hashes', [0, 1e30], {
    default: 0,
    live: true,
    help: 'Least hashes a second of all rigs together, over a quarter of an hour, beside half of the rate of the last day.',
  }),
  'alerts.accountHashRates': setting(mapOf(numberOf('hashes', 0, 1e30)), {
    default: {},
    shape: 'ACCOUNT=HASHES',
    repeatable: true,
    live: true,
    help: 'Least hashes a second of single accounts.',
  }),
  'alerts.rigHashRates': setting(mapOf(numberOf('hashes', 0, 1e30)), {
    default: {},
    shape: 'ACCOUNT.RIG=HASHES',
    repeatable: true,
    live: true,
    help: 'Least hashes a second of single rigs.',
  }),
  'alerts.disk': quantity('size', [0, '1024TiB'], {
    default: '1GiB',
    live: true,
    help: 'Least room on the disk that has the data directory.',
  }),
};
