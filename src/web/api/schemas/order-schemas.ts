/** What orders take and give. */

import { z } from 'zod';
import { DRAIN_STATES } from '../../../bridge/orders/steering.js';
import { BAN } from '../../../operations/bans.js';
import { ADDRESS_LISTS, BAN_KINDS } from '../../../operations/enums.js';
import { HASHES, TIME } from '../../../operations/fields.js';

const COUNT = z.int().nonnegative();

/** Of a body; how long it may be, and what may stand in it, is said by who takes the order. */
const text = (says: string) => z.string(says);
const ACCOUNT = text('the name of an account');
const RIG = text('the name of a rig, or empty').describe('empty for the login that names none');
const TIME_SAYS = 'a time such as 2026-11-22T15:26:37.123Z';
const GIVEN_TIME = z.iso.datetime({ offset: true, error: TIME_SAYS });
const BODY = 'a JSON object';

const MAX_MS = 100 * 366 * 86_400_000;
function milliseconds(min: number, max: number) {
  const says = `a number of milliseconds from ${min} to ${max}`;
  return z.int(says).min(min, says).max(max, says);
}

const KEPT = {
  isKept: z
    .boolean()
    .describe(
      'it outlives a restart; false where it could not be written down, which the log tells: it is in force all the same',
    ),
};

export const CLOSE = z.strictObject(
  {
    openedAt: GIVEN_TIME.describe(
      'of the session, as the list of them says: after a restart its number is given out again',
    ),
    reason: text('a text').default('no reason was given').describe('told to the rig; at most 200 characters'),
  },
  BODY,
);

export const CLOSED = z.object({ closed: z.object({ id: z.int(), openedAt: TIME }) }).meta({ id: 'Closed' });

const TERMS = {
  reason: text('a text').describe('told to the rig; at most 200 characters'),
  until: GIVEN_TIME.optional().describe('when it ends; without an end it holds until it is taken back'),
  forMs: milliseconds(1, MAX_MS).optional().describe('the same as a time from now on'),
};
const ADDRESS = text('an address').describe('an IPv4 or IPv6 address; of IPv6 its /64 is meant');

export const BAN_ORDER = z.discriminatedUnion(
  'kind',
  [
    z
      .strictObject({ kind: z.literal('rig'), account: ACCOUNT, rig: RIG, address: ADDRESS, ...TERMS })
      .meta({ id: 'RigBan', description: 'One login at one address' }),
    z
      .strictObject({ kind: z.literal('login'), account: ACCOUNT, rig: RIG, ...TERMS })
      .meta({ id: 'LoginBan', description: 'One login, wherever it comes from' }),
    z
      .strictObject({ kind: z.literal('account'), account: ACCOUNT, ...TERMS })
      .meta({ id: 'AccountBan', description: 'All rigs of an account, wherever they come from' }),
    z
      .strictObject({ kind: z.literal('address'), address: ADDRESS, ...TERMS })
      .meta({ id: 'AddressBan', description: 'Whoever comes from an address' }),
  ],
  { error: oneOf(BAN_KINDS) },
);

export const BANNED = z
  .object({ ban: BAN, closed: COUNT.describe('sessions that it has ended'), ...KEPT })
  .meta({ id: 'Banned' });
export const UNBANNED = z.object({ ban: BAN, ...KEPT }).meta({ id: 'Unbanned' });

export const DIFFICULTY_ORDER = z.strictObject(
  {
    difficulty: z
      .string('expected hashes, as a decimal')
      .regex(/^\d{1,61}$/, 'expected hashes, as a decimal')
      .describe('expected hashes of a share, as a decimal from 1 to 2^200'),
  },
  BODY,
);

export const HELD = z
  .object({
    account: z.string(),
    rig: z.string(),
    difficulty: HASHES.nullable().describe('null: it is held at none any more'),
    sessions: COUNT.describe('that it meets now, from their next job on'),
    ...KEPT,
  })
  .meta({ id: 'Held' });

export const LABEL_ORDER = z.strictObject(
  { label: text('a text').describe('at most 64 bytes in UTF-8; whoever sees the rig sees it') },
  BODY,
);

export const LABELLED = z
  .object({
    account: z.string(),
    rig: z.string(),
    label: z.string().nullable().describe('null: it has none any more'),
    ...KEPT,
  })
  .meta({ id: 'Labelled' });

export const ADDRESSES_ORDERED = z
  .object({
    list: z.enum(ADDRESS_LISTS),
    addresses: z.string(),
    isOn: z.boolean().describe('on the list now; otherwise taken from it'),
    closed: COUNT.describe('sessions that it has ended'),
    ...KEPT,
  })
  .meta({ id: 'AddressesOrdered' });

export const DRAIN_ORDER = z.strictObject(
  {
    overMs: milliseconds(0, 86_400_000)
      .default(600_000)
      .describe('rigs are asked to go one after another in this time'),
    stop: z
      .boolean('true or false')
      .default(false)
      .describe('the bridge stops once all have gone, or the time is over'),
  },
  BODY,
);

export const REPLACEMENT = z
  .object({ pid: z.int().describe('the process that takes the place of this one') })
  .meta({ id: 'Replacement' });

export const REFUSED_REPLACEMENT = z
  .object({ error: z.string().describe('why the other start cannot begin; this one goes on') })
  .meta({ id: 'RefusedReplacement' });

export const DRAIN = z
  .object({
    state: z
      .enum(DRAIN_STATES)
      .describe(
        'draining: nobody is let in, and rigs are asked to go; drained: all have gone; timeUp: the time is over and some are here. In all three nobody is let in until the drain is cancelled',
      ),
    by: z.string().nullable().describe('who gave the order; null where it is off, as are the times'),
    startedAt: TIME.nullable(),
    endsAt: TIME.nullable(),
    stops: z.boolean().describe('the bridge stops when it has come to its end'),
    sessions: COUNT.describe('that were open at its start'),
    asked: COUNT.describe('of these, those that were asked to go so far'),
    deaf: COUNT.describe('of these, those that cannot be asked'),
    left: COUNT.describe('sessions that are still open'),
  })
  .meta({ id: 'Drain' });

const TEXT = { text: text('a text').describe('one line, at most 500 characters') };

export const MESSAGE = z.discriminatedUnion(
  'to',
  [
    z
      .strictObject({
        to: z.literal('session'),
        id: z.int('the number of a session'),
        openedAt: GIVEN_TIME,
        ...TEXT,
      })
      .meta({ id: 'SessionMessage', description: 'To one session' }),
    z
      .strictObject({ to: z.literal('login'), account: ACCOUNT, rig: RIG, ...TEXT })
      .meta({ id: 'LoginMessage', description: 'To all sessions of a login' }),
    z
      .strictObject({ to: z.literal('account'), account: ACCOUNT, ...TEXT })
      .meta({ id: 'AccountMessage', description: 'To all sessions of all rigs of an account' }),
    z
      .strictObject({ to: z.literal('all'), ...TEXT })
      .meta({ id: 'MessageToAll', description: 'To all sessions' }),
  ],
  { error: oneOf(['session', 'login', 'account', 'all']) },
);

export const TOLD = z
  .object({
    told: COUNT.describe('sessions of rigs that take messages'),
    sessions: COUNT.describe('that were meant'),
  })
  .meta({ id: 'Told' });

export const NOTE = z.strictObject(
  {
    note: text('a text')
      .max(500, 'a text of at most 500 characters')
      .default('')
      .describe('kept with it, such as a transaction; whom the payout pays may read it'),
  },
  BODY,
);

/** The discriminator is none of these, or there is no object at all. */
function oneOf(words: readonly string[]) {
  return ({ code }: { readonly code?: string }) =>
    code === 'invalid_type' ? BODY : `one of ${words.join(', ')}`;
}
