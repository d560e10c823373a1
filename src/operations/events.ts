/** The timeline. */
import { z } from 'zod';
import { KINDS, type Kind } from '../bridge/timeline/events.js';
import { NAME_BYTES, type Name, nameFault } from '../core/names/names.js';
import { SLICE, TIME, wholeNumber } from './entry/fields.js';
import type { Operation } from './entry/operation.js';

const HAPPENING = z
  .object({
    id: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'its place in the timeline: later ones are higher; absent on the stream while the ledger does not have it',
      ),
    key: z.string().describe('names it for ever, also on the stream and in `events.file`'),
    time: TIME.describe('by the clock of who tells it'),
    kind: z.string().describe('what kind of thing it is; there may come more'),
    says: z.string().describe('a sentence for people'),
    facts: z
      .record(z.string(), z.unknown())
      .describe('for programs: which ones there are for a kind is in config/events.schema.json'),
    instance: z
      .int()
      .nullable()
      .describe('number of the bridge that tells it; null for what the ledger itself tells'),
    by: z.string().nullable().describe('who ordered it; null for what nobody ordered'),
  })
  .meta({ id: 'Event', description: 'A line of the one timeline of all bridges on a ledger' });
export type EventView = z.output<typeof HAPPENING>;

const KINDS_SAY = `one or more of ${KINDS.join(', ')}`;
const MAX_LOGIN = NAME_BYTES.account + 1 + NAME_BYTES.rig;
const TIME_SAYS = 'a time such as 2026-11-22T15:26:37Z';

export const events = {
  tag: 'state',
  access: 'read',
  summary: 'What happened, the latest first',
  description:
    'One timeline of all bridges on a ledger, kept there. A page goes on with `before` where the last one ended, whatever happens meanwhile. 503 while the ledger does not answer',
  path: '/api/v1/events',
  input: z.strictObject({
    before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().describe('an id: only lines before that one'),
    limit: SLICE.limit,
    kind: z
      .preprocess(separated, z.array(z.enum(KINDS, KINDS_SAY), KINDS_SAY))
      .optional()
      .describe('several with commas'),
    since: z.iso
      .datetime({ offset: true, error: TIME_SAYS })
      .optional()
      .describe('only what happened then or later'),
    login: z
      .string('one login')
      .max(MAX_LOGIN, `at most ${MAX_LOGIN} characters`)
      .refine((text) => nameFault(loginFrom(text)) === undefined, 'a login that somebody can have')
      .optional()
      .describe(
        'ACCOUNT.RIG, or the account alone for its rig without a name: only what is told of that rig',
      ),
  }),
  output: z.object({
    events: z.array(HAPPENING),
    next: z.int().nullable().describe('`before` of the next page; null when there is none'),
  }),
  faults: [503],
} satisfies Operation;

/** It is parted at its first dot. */
export function loginFrom(text: string): Name {
  const [account = '', ...rest] = text.split('.');
  return { account, rig: rest.join('.') };
}

/** With commas between them; what holds no such word is left as it is, to be told. */
function separated(given: unknown): unknown {
  const words = typeof given === 'string' ? given.split(',') : [];
  return words.length > 0 && words.every((word) => KINDS.includes(word as Kind)) ? words : given;
}
