/** Rigs, and the sessions that they have open. */
import { z } from 'zod';
import { loginText, NAME_BYTES } from '../core/names/names.js';
import { REJECTIONS } from '../core/shares/rejections.js';
import {
  BODY,
  COUNT,
  GIVEN_TIME,
  HASH_RATE,
  HASHES,
  kindFault,
  line,
  nameOf,
  OF_ACCOUNT,
  OF_RIG,
  TIME,
  wholeNumber,
} from './entry/fields.js';
import { listOf, type Operation, type OrderCommand, orderOf } from './entry/operation.js';
import { counted, loginIn } from './entry/words.js';
import { ORDERS, RIG_SORTS, RIG_STATES } from './enums.js';

const TAG = 'rigs';
const HIGHEST = 'highest difficulty that a share has reached';

const RIG = z
  .object({
    account: z.string(),
    rig: z.string().describe('empty when the login named none'),
    label: z.string().nullable().describe('what the operator calls it; null while that is nothing'),
    state: z
      .enum(RIG_STATES)
      .describe(
        'online: it submits or answers; idle: it is connected, and silent for longer than is usual at its share rate; offline: not connected; banned: not connected, and would not be let in',
      ),
    sessions: COUNT.describe('open ones that have authorized it'),
    connectedSince: TIME.nullable().describe('the first of these was opened then; null while there is none'),
    agent: z.string().describe('of its newest session, or of the last one; empty when the rig does not say'),
    difficulty: HASHES.nullable().describe(
      'expected hashes of a share, in its newest session; null while it has no job',
    ),
    orderedDifficulty: HASHES.nullable().describe(
      'at which the operator holds it; null where it is not held',
    ),
    hashRates: z.array(HASH_RATE),
    accepted: COUNT.describe('submits since the bridge started'),
    rejected: z.partialRecord(z.enum(REJECTIONS), COUNT).describe('submits that were no shares, by reason'),
    bestShare: HASHES.nullable().describe(`${HIGHEST} since the bridge started; null before the first`),
    lastShareAt: TIME.nullable().describe('null before the first'),
  })
  .meta({ id: 'Rig' });
export type Rig = z.output<typeof RIG>;

const SESSION = z
  .object({
    id: z.int(),
    bridge: z.int().nullable().describe('number of the bridge that it is at; null: the one that was asked'),
    transport: z.enum(['ws', 'tcp', 'cpu']),
    port: z.string().nullable().describe('the name of the port that it came in by; null of a CPU thread'),
    peer: z.string().describe('address and port'),
    agent: z.string().describe('empty when the rig does not say'),
    logins: z.array(z.object({ account: z.string(), rig: z.string() })),
    openedAt: TIME,
    chainId: z.int().nullable().describe('null while it has no job'),
    difficulty: HASHES.nullable().describe(
      'expected hashes of a share of its newest job; null while it has none',
    ),
    hashRates: z.array(HASH_RATE),
    accepted: COUNT.describe('submits, those of before the rig came back too'),
    rejected: z.partialRecord(z.enum(REJECTIONS), COUNT).describe('submits that were no shares, by reason'),
    bestShare: HASHES.nullable().describe(`${HIGHEST}; null before the first`),
  })
  .meta({ id: 'Session' });
export type Session = z.output<typeof SESSION>;

const RIG_DETAIL = z
  .object({ rig: RIG, sessions: z.array(SESSION).describe('newest first, at most a thousand') })
  .meta({ id: 'RigDetail', description: 'A rig with its open sessions' });
export type RigDetail = z.output<typeof RIG_DETAIL>;

/** Whatever has rates, by window: those of a minute, 5, 15, an hour and a day. */
interface Fast {
  readonly hashRates: Rig['hashRates'];
}
/** The day's is over less for who came less than a day ago. */
export const RATE = {
  kind: 'rate',
  heading: '5 minutes',
  of: ({ hashRates }: Fast) => hashRates[1]?.hashesPerSecond,
} as const;
export const DAY_RATE = {
  kind: 'rate',
  heading: 'a day',
  of: ({ hashRates }: Fast) => hashRates[4]?.hashesPerSecond,
} as const;

export const rigs = listOf({
  name: 'rigs',
  tag: TAG,
  access: 'read',
  summary: 'Rigs that are connected, and those that had shares accepted',
  description:
    'Of all bridges on the ledger, each rig once. CPU threads are rigs too. Who has gone stays in the list; the longest silent are forgotten when there are too many. With `Accept: text/csv` the same as a table. The list is up to a second old, what other bridges show some seconds',
  more: {
    state: z
      .enum(RIG_STATES, `one of ${RIG_STATES.join(', ')}`)
      .optional()
      .describe('only rigs in this state'),
    account: z
      .string('one name')
      .max(NAME_BYTES.account, `at most ${NAME_BYTES.account} characters`)
      .optional()
      .describe('only rigs of this account: the whole name'),
    q: z
      .string('one text')
      .max(200, 'at most 200 characters')
      .optional()
      .describe('only rigs with this in their login or label, in large or small letters'),
    sort: z
      .enum(RIG_SORTS, `one of ${RIG_SORTS.join(', ')}`)
      .default('hashRate')
      .describe(
        'by what the list is sorted: hashRate is that of the last five minutes, rate1h and rate24h are those of longer windows, rejected is the part of all submits',
      ),
    order: z
      .enum(ORDERS, ORDERS.join(' or '))
      .optional()
      .describe('by default names, agents and states rise, and all else falls'),
  },
  beside: {
    states: z
      .record(z.enum(RIG_STATES), COUNT)
      .describe('how many are in each state, of those that are asked for, whatever `state` asks for'),
  },
  item: RIG,
  columns: {
    login: { kind: 'name', importance: 1, of: loginText },
    label: { kind: 'name', importance: 4 },
    state: { kind: 'text', importance: 1 },
    rate: { ...RATE, importance: 2 },
    dayRate: { ...DAY_RATE, importance: 5 },
    difficulty: { kind: 'hashes', importance: 6 },
    orderedDifficulty: { kind: 'hashes', importance: 7, heading: 'held at' },
    accepted: { kind: 'count', importance: 3 },
    rejected: { kind: 'counts', importance: 4 },
    bestShare: { kind: 'hashes', importance: 6, heading: 'best share' },
    lastShareAt: { kind: 'time', importance: 3, heading: 'last share (UTC)' },
    sessions: { kind: 'count', importance: 8 },
    connectedSince: { kind: 'time', importance: 8, heading: 'connected (UTC)' },
    agent: { kind: 'name', importance: 9 },
  },
  command: {
    summary: 'rigs: state, hash rates, shares by outcome',
    about:
      'Rigs that are connected, and those that had shares accepted since the bridge started. online: it submits or answers; ' +
      'idle: it is connected, and silent for longer than is usual; offline: not connected; banned: would not be let in.',
    examples: ['ctl rigs', 'ctl rigs --state idle --sort lastShare', 'ctl rigs --q attic --json'],
  },
});
type Asked = z.output<typeof rigs.input>;
export type RigQuery = Pick<Asked, 'offset' | 'limit'> & Partial<Asked>;

/** Numbers are given out again after a restart: a session is named by its number and the time it was opened, and by the bridge it is at. */
function sessionText({ bridge, id, openedAt }: Pick<Session, 'bridge' | 'id' | 'openedAt'>): string {
  return `${bridge === null ? '' : `${bridge}/`}${id}@${openedAt}`;
}

export const sessions = listOf({
  name: 'sessions',
  tag: TAG,
  access: 'read',
  summary: 'Open sessions at all bridges on the ledger, fastest first',
  item: SESSION,
  columns: {
    // Taken over as it is, so never cut.
    session: { kind: 'count', importance: 1, of: sessionText },
    logins: { kind: 'name', importance: 1, of: ({ logins }) => logins.map(loginText) },
    rate: { ...RATE, importance: 2 },
    difficulty: { kind: 'hashes', importance: 5 },
    peer: { kind: 'name', importance: 3 },
    transport: { kind: 'text', importance: 4 },
    port: { kind: 'text', importance: 5 },
    bridge: { kind: 'count', importance: 8 },
    chainId: { kind: 'count', importance: 6, heading: 'chain' },
    bestShare: { kind: 'hashes', importance: 6, heading: 'best share' },
    agent: { kind: 'name', importance: 7 },
  },
  command: {
    summary: 'open sessions, each as `ctl close` takes it',
    examples: ['ctl sessions --limit 20'],
  },
});

export const rig = {
  tag: TAG,
  access: 'read',
  summary: 'One rig with its sessions',
  path: '/api/v1/rigs/:account/:rig',
  params: z.object({ account: nameOf('account'), rig: nameOf('rig') }),
  output: RIG_DETAIL,
  faults: [404],
} satisfies Operation;

export const unnamedRig = {
  tag: TAG,
  access: 'read',
  summary: 'The rig of an account that has no name, with its sessions',
  path: '/api/v1/rigs/:account',
  params: z.object({ account: nameOf('account') }),
  output: RIG_DETAIL,
  faults: [404],
} satisfies Operation;

/** As {@link sessionText} writes it; a sentence for what is no such text. */
function sessionIn(text: string): Pick<Session, 'bridge' | 'id' | 'openedAt'> | string {
  const [, bridge, id, openedAt] = /^(?:(\d{1,3})\/)?(\d{1,15})@(\S+)$/.exec(text) ?? [];
  if (id !== undefined && openedAt !== undefined)
    return { bridge: bridge === undefined ? null : Number(bridge), id: Number(id), openedAt };
  const like = 'as `ctl sessions` names it, such as 7@2026-11-22T15:26:37.123Z';
  return `a session is meant ${like}, not ${JSON.stringify(text)}`;
}

const AT_BRIDGE = z
  .int('the number of a bridge')
  .nullable()
  .optional()
  .describe('number of the bridge that it is at, as the list of sessions says; null: the one that is asked');

/** What closing a session is told beside its number. */
export const CLOSE = z.strictObject(
  {
    openedAt: GIVEN_TIME.describe(
      'of the session, as the list of them says: after a restart its number is given out again',
    ),
    bridge: AT_BRIDGE,
    reason: line(200).default('no reason was given').describe('told to the rig'),
  },
  BODY,
);

export const closeSession = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Closes one session, which may come back unless it is banned',
  description: 'By number and time, so that never another session is closed that got the same number',
  method: 'POST',
  path: '/api/v1/sessions/:id/close',
  params: z.object({ id: wholeNumber(0, Number.MAX_SAFE_INTEGER) }),
  body: CLOSE,
  output: z.object({ closed: z.object({ id: z.int(), openedAt: TIME }) }).meta({ id: 'Closed' }),
  commands: {
    close: {
      summary: 'close one session',
      about:
        'It may come back, unless it is banned. A session is named by its number and the time it was opened, as `ctl sessions` shows it: numbers are given out ' +
        'again after a restart, and no other session is ever hit. One at another bridge has the number of that before it: 1/7@2026-11-22T15:26:37.123Z.',
      words: '<session>',
      flags: ['reason'],
      examples: ['ctl close 7@2026-11-22T15:26:37.123Z --reason "new cable"'],
      given: (session = '') => sessionIn(session),
      said: ({ closed }) => [`Closed session ${closed.id}`],
    },
  },
});

const TEXT = { text: line(500).describe('one line') };
const TO = ['session', 'login', 'account', 'all'] as const;

export const MESSAGE = z.discriminatedUnion(
  'to',
  [
    z
      .strictObject({
        to: z.literal('session'),
        id: z.int('the number of a session'),
        openedAt: GIVEN_TIME,
        bridge: AT_BRIDGE,
        ...TEXT,
      })
      .meta({ id: 'SessionMessage', description: 'To one session' }),
    z
      .strictObject({ to: z.literal('login'), ...OF_RIG, ...TEXT })
      .meta({ id: 'LoginMessage', description: 'To all sessions of a login' }),
    z
      .strictObject({ to: z.literal('account'), ...OF_ACCOUNT, ...TEXT })
      .meta({ id: 'AccountMessage', description: 'To all sessions of all rigs of an account' }),
    z
      .strictObject({ to: z.literal('all'), ...TEXT })
      .meta({ id: 'MessageToAll', description: 'To all sessions' }),
  ],
  { error: kindFault(TO) },
);
export type Message = z.output<typeof MESSAGE>;

const TOLD = z
  .object({
    told: COUNT.describe('sessions of rigs that take messages'),
    sessions: COUNT.describe('that were meant'),
    silent: z
      .array(z.int())
      .describe('numbers of bridges that did not answer: whether their rigs were told is not known'),
  })
  .meta({ id: 'Told' });

function messageCommand(
  words: string,
  summary: string,
  example: string,
  given: (...words: string[]) => object | string,
): OrderCommand<z.output<typeof TOLD>> {
  return {
    words,
    summary,
    given,
    examples: [`ctl message ${example}`],
    said: ({ told, sessions, silent }) => [
      `Shown by ${told} of ${counted(sessions, 'session')}: not every rig takes messages`,
      ...silent.map((bridge) => `Bridge ${bridge} did not answer: whether its rigs were told is not known`),
    ],
  };
}

export const message = orderOf({
  tag: 'orders',
  access: 'operate',
  summary: 'Shows a text to rigs that take one, at all bridges on the ledger',
  description: 'It is told how many took it, of how many that were meant',
  method: 'POST',
  path: '/api/v1/messages',
  body: MESSAGE,
  output: TOLD,
  commands: {
    'message all': messageCommand(
      '<text>',
      'to all rigs',
      'all "maintenance at ten, for an hour"',
      (text) => ({ to: 'all', text }),
    ),
    'message account': messageCommand(
      '<account> <text>',
      'to all rigs of an account',
      'account k:… "you are paid today"',
      (account, text) => ({ to: 'account', account, text }),
    ),
    'message login': messageCommand(
      '<login> <text>',
      'to the rigs that mine as a login',
      'login k:….attic "your fan is loud"',
      (login = '', text) => ({ to: 'login', ...loginIn(login), text }),
    ),
    'message session': messageCommand(
      '<session> <text>',
      'to one session, as `ctl sessions` names it',
      'session 7@2026-11-22T15:26:37.123Z "who are you?"',
      (session = '', text) => {
        const which = sessionIn(session);
        return typeof which === 'string' ? which : { to: 'session', ...which, text };
      },
    ),
  },
});
