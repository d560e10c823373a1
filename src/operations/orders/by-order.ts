/** What holds by order of an operator until it is taken back: share difficulties, labels, addresses. */
import { z } from 'zod';
import { labelFault, loginText } from '../../core/names/names.js';
import { prefixOf } from '../../core/names/peer.js';
import { BODY, COUNT, GIVEN_HASHES, HASHES, KEPT, OF_RIG, TIME } from '../entry/fields.js';
import { listOf, type OrderCommand, orderOf } from '../entry/operation.js';
import { counted, keptWords, loginIn } from '../entry/words.js';
import { ADDRESS_LISTS, type AddressListName } from '../enums.js';

const TAG = 'rigs';
const LOGIN = { kind: 'name', importance: 1, of: loginText } as const;
const SINCE = { kind: 'time', importance: 2, heading: 'since (UTC)' } as const;
const BY = { kind: 'name', importance: 3 } as const;

export const ORDERED_DIFFICULTY = z
  .object({ account: z.string(), rig: z.string(), difficulty: HASHES, since: TIME, by: z.string() })
  .meta({ id: 'OrderedDifficulty', description: 'A share difficulty that a rig is held at' });

export const difficulties = listOf({
  name: 'difficulties',
  tag: TAG,
  access: 'read',
  summary: 'Rigs that an operator holds at a share difficulty, in the order in which that was ordered',
  item: ORDERED_DIFFICULTY,
  columns: { login: LOGIN, difficulty: { kind: 'hashes', importance: 1 }, since: SINCE, by: BY },
});

export type OrderedDifficulty = z.output<typeof ORDERED_DIFFICULTY>;

export const difficulty = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Holds all sessions of a rig at a share difficulty, from their next job on, or lets it go',
  description: 'Also those that come later. It wins over what the rig asks for',
  method: 'PUT',
  path: '/api/v1/difficulties',
  body: z.strictObject(
    { ...OF_RIG, difficulty: GIVEN_HASHES.nullable().describe('null: it is let go') },
    BODY,
  ),
  output: z
    .object({
      account: z.string(),
      rig: z.string(),
      difficulty: HASHES.nullable().describe('null: it is held at none any more'),
      sessions: COUNT.describe('that it meets now, from their next job on'),
      ...KEPT,
    })
    .meta({ id: 'Held' }),
  commands: {
    difficulty: {
      summary: 'hold a rig at a share difficulty, or let it go',
      about:
        'Holds all sessions of a login at a share difficulty, from their next job on and when they return; it wins over what ' +
        'the rig asks for. off lets it go. Without words: a list of those that are held.',
      words: '[login] [hashes|off]',
      examples: ['ctl difficulty k:….attic 4G', 'ctl difficulty k:….attic off', 'ctl difficulty'],
      given: (login = '', hashes) =>
        hashes === undefined
          ? 'behind the login stands a number of expected hashes such as 4G, or off'
          : { ...loginIn(login), difficulty: hashes === 'off' ? null : hashes },
      said: ({ difficulty, sessions, isKept, ...name }) => [
        difficulty === null
          ? `${loginText(name)} is held at no difficulty any more, from its next job on`
          : `${loginText(name)} is held at difficulty ${difficulty} from its next job on; ${counted(sessions, 'session')} now`,
        ...keptWords(isKept),
      ],
      list: difficulties,
    },
  },
});

export const RIG_LABEL = z
  .object({ account: z.string(), rig: z.string(), label: z.string(), since: TIME, by: z.string() })
  .meta({ id: 'RigLabel', description: 'What the operator calls a rig' });

export const labels = listOf({
  name: 'labels',
  tag: TAG,
  access: 'read',
  summary:
    'Rigs that an operator has given a label, in the order in which that was done, also those that are not here',
  item: RIG_LABEL,
  columns: { login: LOGIN, label: { kind: 'name', importance: 1 }, since: SINCE, by: BY },
});

export type RigLabel = z.output<typeof RIG_LABEL>;

const LABEL = z
  .string('a text')
  .refine(
    (label) => labelFault(label) === undefined,
    'a text of 1 to 64 bytes in UTF-8, without control characters',
  )
  .describe('at most 64 bytes in UTF-8; whoever sees the rig sees it');

export const label = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Gives a rig a label, in place of what it had, or takes it away',
  description: 'Whether or not it is here. The login stays as it is: nothing is paid by a label',
  method: 'PUT',
  path: '/api/v1/labels',
  body: z.strictObject({ ...OF_RIG, label: LABEL.nullable().describe('null: it is taken away') }, BODY),
  output: z
    .object({
      account: z.string(),
      rig: z.string(),
      label: z.string().nullable().describe('null: it has none any more'),
      ...KEPT,
    })
    .meta({ id: 'Labelled' }),
  commands: {
    label: {
      summary: 'give a rig a label, or take it away',
      about:
        'A label is what you call a rig: it is shown beside the login, and `ctl rigs --q` finds it. At most 64 bytes; an empty text takes it ' +
        'away. Without words: a list of all labels.',
      words: '[login] [text]',
      examples: ['ctl label k:….attic "the loud one, shelf 3"', 'ctl label k:….attic ""', 'ctl label'],
      given: (login = '', text) =>
        text === undefined
          ? 'behind the login stands a label, or an empty text that takes it away'
          : { ...loginIn(login), label: text === '' ? null : text },
      said: ({ label, isKept, ...name }) => [
        `${loginText(name)} ${label === null ? 'has no label any more' : `is labelled ${label}`}`,
        ...keptWords(isKept),
      ],
      list: labels,
    },
  },
});

const ADDRESSES_SAYS = 'an address or prefix such as 192.0.2.1 or 10.0.0.0/8';

export const LISTED_ADDRESSES = z
  .object({
    list: z.enum(ADDRESS_LISTS),
    addresses: z.string().refine((text) => prefixOf(text) === text, ADDRESSES_SAYS),
    since: TIME,
    by: z.string(),
  })
  .meta({ id: 'ListedAddresses', description: 'An address or prefix that is allowed or denied by order' });

export const addresses = listOf({
  name: 'addresses',
  tag: TAG,
  access: 'read',
  summary: 'Addresses that are allowed or denied by order; those of the settings are among the settings',
  item: LISTED_ADDRESSES,
  columns: {
    list: { kind: 'text', importance: 1 },
    addresses: { kind: 'name', importance: 1 },
    since: SINCE,
    by: BY,
  },
});
export type ListedAddresses = z.output<typeof LISTED_ADDRESSES>;

const ADDRESSES_ORDERED = z
  .object({
    list: z.enum(ADDRESS_LISTS),
    addresses: z.string(),
    isOn: z.boolean().describe('on the list now; otherwise taken from it'),
    closed: COUNT.describe('sessions that it has ended'),
    ...KEPT,
  })
  .meta({ id: 'AddressesOrdered' });

const LISTED_WORDS = { allow: 'allowed', deny: 'denied' } as const;

function addressCommand(
  list: AddressListName,
  summary: string,
  about: string,
): OrderCommand<z.output<typeof ADDRESSES_ORDERED>> {
  return {
    summary,
    about: `${about} off takes it back. Without words: what is allowed and denied by order.`,
    words: '[address] [off]',
    examples: [`ctl ${list} 203.0.113.0/24`, `ctl ${list} 203.0.113.0/24 off`, `ctl ${list}`],
    given: (addresses = '', off) =>
      off === undefined || off === 'off'
        ? { list, addresses, isOn: off === undefined }
        : `behind the address stands nothing, or off: not ${JSON.stringify(off)}`,
    said: ({ addresses, isOn, closed, isKept }) => [
      `${addresses} is ${LISTED_WORDS[list]}${isOn ? '' : ' by order no more'}; ${counted(closed, 'session')} closed`,
      ...keptWords(isKept),
    ],
    list: addresses,
  };
}

export const address = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Allows or denies an address or prefix, beside those of the settings, or takes that back',
  description:
    'Once any address is allowed, nobody may come from elsewhere; what is denied may not come in any case. Sessions that may not be here any more are closed',
  method: 'PUT',
  path: '/api/v1/addresses',
  body: z.strictObject(
    {
      list: z.enum(ADDRESS_LISTS, 'allow or deny'),
      addresses: z
        .string(ADDRESSES_SAYS)
        .transform((text, context) => {
          const prefix = prefixOf(text);
          if (prefix !== undefined) return prefix;
          context.addIssue(ADDRESSES_SAYS);
          return z.NEVER;
        })
        .describe('such as 192.0.2.7, or 10.0.0.0/8'),
      isOn: z.boolean('true or false').default(true).describe('false takes it from the list'),
    },
    BODY,
  ),
  output: ADDRESSES_ORDERED,
  commands: {
    allow: addressCommand(
      'allow',
      'let rigs come from an address or prefix, and from no others',
      'Beside stratum.allow of the settings. While anything is allowed, nobody may come from elsewhere, and who is here from there is closed.',
    ),
    deny: addressCommand(
      'deny',
      'keep out whoever comes from an address or prefix',
      'Beside stratum.deny of the settings. Who is here from there is closed. It wins over what is allowed.',
    ),
  },
});
