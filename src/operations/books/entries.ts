/** Shares that were set aside because they could not be booked, and what becomes of them. */
import { z } from 'zod';
import { BODY, COUNT, HASHES, TIME } from '../entry/fields.js';
import { type Handlers, listOf, orderOf } from '../entry/operation.js';

const PATH = '/api/v1/ledger/entries';

export const setAside = listOf({
  name: 'entries',
  tag: 'books',
  access: 'read',
  path: PATH,
  summary: 'Shares that were set aside because they could not be booked',
  description:
    'Parts of entries that the ledger refused for their data, and entries in the queue that no recorder can read',
  faults: [503],
  beside: {
    isComplete: z.boolean().describe('false while the queue does not answer: then what it has is missing'),
  },
  item: z
    .object({
      id: z.string(),
      account: z.string().describe('empty where it cannot be read; so is the rig'),
      rig: z.string(),
      shares: COUNT.describe('as far as they can be counted'),
      work: HASHES,
      rejections: COUNT,
      since: TIME,
      error: z.string(),
    })
    .meta({ id: 'SetAside' }),
  columns: {
    id: { kind: 'name', importance: 1 },
    since: { kind: 'time', importance: 4, heading: 'since (UTC)' },
    account: { kind: 'name', importance: 3 },
    rig: { kind: 'name', importance: 5 },
    shares: { kind: 'count', importance: 2 },
    work: { kind: 'hashes', importance: 5 },
    rejections: { kind: 'count', importance: 6 },
    error: { kind: 'text', importance: 1 },
  },
  command: {
    summary: 'what is set aside',
    incomplete:
      'the queue cannot be asked what it could not read, so this is what the ledger has set aside; does its Redis or database run?',
  },
});

export type SetAsideEntry = z.output<typeof setAside.item>;

const SETTLED = z.object({
  entries: z.array(z.object({ id: z.string(), shares: COUNT, outcome: z.string() })),
});
const ID = z.string('the id of an entry').max(200, 'the id of an entry');

function said({ entries }: z.output<typeof SETTLED>): string[] {
  if (entries.length === 0) return ['nothing is set aside'];
  return entries.map(({ id, shares, outcome }) => `${id}: ${shares} shares, ${outcome}`);
}

const retryEntries = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Books what was set aside, or one of it, now that it can be done',
  description: 'Refused where one of them still cannot be booked, with what became of each',
  method: 'POST',
  path: `${PATH}/retry`,
  takesLong: true,
  body: z.strictObject({ id: ID.optional().describe('one of them; all where it is left out') }, BODY),
  output: SETTLED,
  refusal: SETTLED.partial().shape,
  commands: {
    retry: {
      summary: 'book them, or one of them, now that it can be done',
      words: '[id]',
      given: (id) => ({ id }),
      said,
    },
  },
});

const dropEntry = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Forgets an entry that was set aside: nobody is credited for it',
  method: 'POST',
  path: `${PATH}/drop`,
  body: z.strictObject({ id: ID }, BODY),
  output: SETTLED,
  refusal: SETTLED.partial().shape,
  commands: {
    drop: { summary: 'forget one of them', words: '<id>', given: (id) => ({ id }), said },
  },
});

export const ENTRY_ORDERS = { retryEntries, dropEntry };
export type EntryOrderHandlers = Handlers<typeof ENTRY_ORDERS>;
