/** What holds by order of an operator until it is taken back: share difficulties, labels, addresses. */
import { z } from 'zod';
import { loginText } from '../core/names/names.js';
import { ADDRESS_LISTS } from './enums.js';
import { HASHES, TIME } from './fields.js';
import { listOf } from './operation.js';

const TAG = 'rigs';
const LOGIN = { kind: 'name', importance: 1, of: loginText } as const;
const SINCE = { kind: 'time', importance: 2, heading: 'since (UTC)' } as const;
const BY = { kind: 'name', importance: 3 } as const;

const ORDERED_DIFFICULTY = z
  .object({ account: z.string(), rig: z.string(), difficulty: HASHES, since: TIME, by: z.string() })
  .meta({ id: 'OrderedDifficulty', description: 'A share difficulty that a rig is held at' });

export const difficulties = listOf({
  name: 'difficulties',
  tag: TAG,
  summary: 'Rigs that an operator holds at a share difficulty, in the order in which that was ordered',
  item: ORDERED_DIFFICULTY,
  columns: { login: LOGIN, difficulty: { kind: 'hashes', importance: 1 }, since: SINCE, by: BY },
});

const RIG_LABEL = z
  .object({ account: z.string(), rig: z.string(), label: z.string(), since: TIME, by: z.string() })
  .meta({ id: 'RigLabel', description: 'What the operator calls a rig' });

export const labels = listOf({
  name: 'labels',
  tag: TAG,
  summary:
    'Rigs that an operator has given a label, in the order in which that was done, also those that are not here',
  item: RIG_LABEL,
  columns: { login: LOGIN, label: { kind: 'name', importance: 1 }, since: SINCE, by: BY },
});

export const LISTED_ADDRESSES = z
  .object({ list: z.enum(ADDRESS_LISTS), addresses: z.string(), since: TIME, by: z.string() })
  .meta({ id: 'ListedAddresses', description: 'An address or prefix that is allowed or denied by order' });

export const addresses = listOf({
  name: 'addresses',
  tag: TAG,
  summary: 'Addresses that are allowed or denied by order; those of the settings are among the settings',
  item: LISTED_ADDRESSES,
  columns: {
    list: { kind: 'text', importance: 1 },
    addresses: { kind: 'name', importance: 1 },
    since: SINCE,
    by: BY,
  },
});
