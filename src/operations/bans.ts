/** Bans in force, and the orders to ban and to take a ban back. */
import { z } from 'zod';
import { addressKeyOf } from '../core/names/peer.js';
import {
  COUNT,
  duration,
  GIVEN_TIME,
  KEPT,
  kindFault,
  line,
  OF_ACCOUNT,
  OF_RIG,
  TIME,
} from './entry/fields.js';
import { listOf, type OrderCommand, orderOf } from './entry/operation.js';
import { counted, keptWords, loginIn } from './entry/words.js';
import { BAN_KINDS } from './enums.js';

export const BAN = z
  .object({
    id: z.string().describe('by which it is taken back'),
    kind: z
      .enum(BAN_KINDS)
      .describe(
        'rig: one login at one address; login: one login wherever it comes from; account: all of its rigs; address: whoever comes from it',
      ),
    login: z
      .string()
      .optional()
      .describe('account.rig, or the account alone; not where an address is banned'),
    address: z
      .string()
      .optional()
      .describe(
        'as limits count: an IPv4 address, or the /64 of an IPv6 address; not where it holds everywhere',
      ),
    reason: z.string(),
    since: TIME,
    until: TIME.nullable().describe('null: until it is taken back'),
    by: z.string().nullable().describe('who gave the order; null: the bridge itself'),
    bridge: COUNT.optional().describe(
      'number of another bridge, at which alone it holds; absent where it holds here',
    ),
  })
  .meta({ id: 'Ban' });
export type Ban = z.output<typeof BAN>;

export const bans = listOf({
  name: 'bans',
  tag: 'rigs',
  access: 'read',
  summary: 'Bans in force',
  item: BAN,
  columns: {
    // Taken over as it is, so never cut.
    id: { kind: 'count', importance: 1 },
    kind: { kind: 'text', importance: 2 },
    login: { kind: 'name', importance: 1 },
    address: { kind: 'name', importance: 1 },
    reason: { kind: 'text', importance: 3 },
    until: { kind: 'time', importance: 4, heading: 'until (UTC)' },
    since: { kind: 'time', importance: 6, heading: 'since (UTC)' },
    by: { kind: 'name', importance: 5 },
    bridge: { kind: 'count', importance: 7 },
  },
  command: { summary: 'bans in force, each with its id' },
});

const ADDRESS_SAYS = 'an IPv4 or IPv6 address, or a /64';
const ADDRESS = {
  address: z
    .string(ADDRESS_SAYS)
    .transform((text, context) => {
      const key = addressKeyOf(text);
      if (key !== undefined) return key;
      context.addIssue(ADDRESS_SAYS);
      return z.NEVER;
    })
    .describe('an IPv4 or IPv6 address; of IPv6 its /64 is meant'),
};

const MAX_MS = 100 * 366 * 86_400_000;
const TERMS = {
  reason: line(200).default('no reason was given').describe('told to the rig'),
  for: duration(1, MAX_MS)
    .optional()
    .describe('how long it holds, such as 1d; without an end, until it is taken back'),
  until: GIVEN_TIME.optional().describe('when it ends, in place of for'),
};

const BAN_ORDER = z
  .discriminatedUnion(
    'kind',
    [
      z
        .strictObject({ kind: z.literal('rig'), ...OF_RIG, ...ADDRESS, ...TERMS })
        .meta({ id: 'RigBan', description: 'One login at one address' }),
      z
        .strictObject({ kind: z.literal('login'), ...OF_RIG, ...TERMS })
        .meta({ id: 'LoginBan', description: 'One login, wherever it comes from' }),
      z
        .strictObject({ kind: z.literal('account'), ...OF_ACCOUNT, ...TERMS })
        .meta({ id: 'AccountBan', description: 'All rigs of an account, wherever they come from' }),
      z
        .strictObject({ kind: z.literal('address'), ...ADDRESS, ...TERMS })
        .meta({ id: 'AddressBan', description: 'Whoever comes from an address' }),
    ],
    { error: kindFault(BAN_KINDS) },
  )
  .refine((order) => order.for === undefined || order.until === undefined, {
    message: 'left out where for is given',
    path: ['until'],
  });
export type BanOrder = z.output<typeof BAN_ORDER>;

const BANNED = z
  .object({ ban: BAN, closed: COUNT.describe('sessions that it has ended'), ...KEPT })
  .meta({ id: 'Banned' });

/** `login k:….attic at 192.0.2.7`. */
function whoIs({ kind, login, address }: Ban): string {
  if (kind === 'address') return `address ${address}`;
  return address === undefined ? `${kind} ${login}` : `${kind} ${login} at ${address}`;
}

function banCommand(
  words: string,
  summary: string,
  example: string,
  given: (...words: string[]) => object,
): OrderCommand<z.output<typeof BANNED>> {
  return {
    words,
    summary,
    given,
    flags: ['reason', 'for', 'until'],
    examples: [`ctl ban ${example}`],
    said: ({ ban, closed, isKept }) => [
      `Banned ${whoIs(ban)} ${ban.until === null ? 'until that is taken back' : `until ${ban.until}`}; ${counted(closed, 'session')} closed`,
      `\`ctl unban ${ban.id}\` takes it back`,
      ...keptWords(isKept),
    ],
  };
}

export const ban = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Bans a rig, a login, an account or an address, and closes the sessions that it meets',
  description: 'The same again changes reason and end, and keeps its id',
  method: 'POST',
  path: '/api/v1/bans',
  body: BAN_ORDER,
  output: BANNED,
  commands: {
    'ban login': banCommand(
      '<login>',
      'one login, wherever it comes from',
      'login k:….attic --for 1d --reason "only stale shares"',
      (login = '') => ({ kind: 'login', ...loginIn(login) }),
    ),
    'ban account': banCommand(
      '<account>',
      'all rigs of an account',
      'account k:… --reason "owes us a rig"',
      (account = '') => ({ kind: 'account', account }),
    ),
    'ban address': banCommand(
      '<address>',
      'whoever comes from an address, of IPv6 from its /64',
      'address 192.0.2.7 --until 2026-12-01T00:00:00Z',
      (address = '') => ({ kind: 'address', address }),
    ),
    'ban rig': banCommand(
      '<login> <address>',
      'one login at one address',
      'rig k:….attic 192.0.2.7',
      (login = '', address = '') => ({ kind: 'rig', ...loginIn(login), address }),
    ),
  },
});

export const unban = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Takes a ban back, those of a bridge itself too',
  method: 'DELETE',
  path: '/api/v1/bans/:id',
  params: z.object({ id: z.string().max(40, 'the id of a ban') }),
  output: z.object({ ban: BAN, ...KEPT }).meta({ id: 'Unbanned' }),
  commands: {
    unban: {
      summary: 'take a ban back',
      words: '<id>',
      examples: ['ctl bans', 'ctl unban a70578503729'],
      given: (id = '') => ({ id }),
      said: ({ ban, isKept }) => [`Took back the ban of ${whoIs(ban)}`, ...keptWords(isKept)],
    },
  },
});
