/** The timeline, the latest first. */
import { z } from 'zod';
import { KINDS, type Kind } from '../../../bridge/timeline/events.js';
import { type Happening, keyOf } from '../../../bridge/timeline/happenings.js';
import type { TimelineView } from '../../../bridge/timeline/timeline.js';
import type { Log } from '../../../core/names/log.js';
import { NAME_BYTES, type Name, nameFault } from '../../../core/names/names.js';
import { FAULT, SLICE, wholeNumber } from '../../../operations/fields.js';
import { InTime } from '../../state/in-time.js';
import { HAPPENING } from '../schemas/schemas.js';
import type { Api } from '../typed.js';
import { addressesFor } from './rigs.js';

const KINDS_SAY = `one or more of ${KINDS.join(', ')}`;
const MAX_LOGIN = NAME_BYTES.account + 1 + NAME_BYTES.rig;
const TIME_SAYS = 'a time such as 2026-11-22T15:26:37Z';

const QUERY = z.strictObject({
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
    .describe('ACCOUNT.RIG, or the account alone for its rig without a name: only what is told of that rig'),
});

/** It is parted at its first dot. */
function loginFrom(text: string): Name {
  const [account = '', ...rest] = text.split('.');
  return { account, rig: rest.join('.') };
}

export function addEventRoutes(api: Api, timeline: TimelineView, log: Log): void {
  const inTime = new InTime(log);
  const schema = {
    tags: ['state'],
    summary: 'What happened, the latest first',
    description:
      'One timeline of all bridges on a ledger, kept there. A page goes on with `before` where the last one ended, whatever happens meanwhile. 503 while the ledger does not answer',
    querystring: QUERY,
    response: {
      200: z.object({
        events: z.array(HAPPENING),
        next: z.int().nullable().describe('`before` of the next page; null when there is none'),
      }),
      400: FAULT,
      503: FAULT,
    },
  };
  api.get('/api/v1/events', { schema }, async (request, reply) => {
    const { before, limit, kind: kinds, since, login: text } = request.query;
    const login = text === undefined ? undefined : loginFrom(text);
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    const lines = await inTime.ask(() => timeline.readLines({ before, limit, kinds, sinceMs, login }));
    if (!lines)
      return reply
        .code(503)
        .send({ error: 'the timeline is in the ledger, which does not answer now: try again later' });
    const address = addressesFor(request);
    const next = lines.length < limit ? undefined : lines.at(-1)?.id;
    return { events: lines.map((line) => showHappening(line, address)), next: next ?? null };
  });
}

/** With commas between them; what holds no such word is left as it is, to be told. */
function separated(given: unknown): unknown {
  const words = typeof given === 'string' ? given.split(',') : [];
  return words.length > 0 && words.every((word) => KINDS.includes(word as Kind)) ? words : given;
}

/** @param address as whoever looks may see it. */
export function showHappening(
  line: Happening,
  address: (full: string) => string,
): z.output<typeof HAPPENING> {
  const { id, atMs, kind, says, facts, instance, by } = line;
  const { address: full } = facts;
  return {
    ...(id === undefined ? {} : { id }),
    key: keyOf(line),
    time: new Date(atMs).toISOString(),
    kind,
    says,
    facts: typeof full === 'string' ? { ...facts, address: address(full) } : facts,
    instance,
    by,
  };
}
