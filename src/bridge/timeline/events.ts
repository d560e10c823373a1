/**
 * What happens to a bridge and is worth remembering: its kinds, the facts of each, and the sentence that they make. The ledger and
 * `events.file` keep it, and log, page, API and alerts say it. It is a contract: `config/events.schema.json` falls out of it
 * (`npm run api` writes it). Within `v` 1 there may come more kinds, and more facts of a kind; none goes, and none changes its
 * meaning. No fact holds a secret. An address of a rig stands in the fact `address` and nowhere else, also in no sentence.
 */
import { z } from 'zod';
import { loginText } from '../../core/names/names.js';
import {
  BAN_KINDS,
  DRAIN_STATES,
  EVENT_GROUPS,
  type EventKind as Kind,
  NODE_STATES,
} from '../../operations/enums.js';
import { PAUSE_REASONS } from '../../operations/payer/pauses.js';

const TEXT = z.string();
const COUNT = z.int().nonnegative();
const KEYS = z.array(z.string());
const DURATION = COUNT.describe('milliseconds');
const AMOUNT = z.string().describe('a decimal');

const NAME_OF_PAYOUT = TEXT.describe('no other payout has it').optional();

const BLOCK = {
  chainId: COUNT,
  height: COUNT,
  hash: TEXT.describe('of the block, 64 hex digits'),
  node: TEXT.describe('that issued the work'),
  account: TEXT.describe('that found it'),
  rig: TEXT,
};

const BANNED = {
  of: z.enum(BAN_KINDS),
  login: TEXT.describe('account, or account.rig; empty when an address is meant'),
  address: TEXT.describe('empty where it is of no matter; without its last part for who may not see it'),
};

const ALERT = {
  alert: TEXT.describe('the name of its condition'),
  about: TEXT.describe('node, rig, account, …'),
};

/** Why lines are not where they should be. */
export const LOSSES = ['ledger', 'file', 'flood'] as const;
export type Loss = (typeof LOSSES)[number];

export interface Said {
  /** Who ordered it. */
  readonly by?: string | undefined;
  /** Of a kind whose facts do not make a sentence. */
  readonly words?: string | undefined;
}

interface Row<F extends z.ZodRawShape> {
  readonly facts: F;
  /** How the log of the bridge that tells it says it; absent where another part does. */
  readonly log?: 'debug' | 'info' | 'warn';
  /** A sentence for people, without addresses and secrets. */
  says(facts: z.output<z.ZodObject<F>>, said: Said): string;
}

function event<F extends z.ZodRawShape>({ facts, ...row }: Row<F>) {
  return { ...row, facts: z.object(facts) };
}

const blockName = ({ chainId, height }: { readonly chainId: number; readonly height: number }): string =>
  `the block of chain ${chainId} at height ${height}`;

const bannedName = ({ of, login }: { readonly of: string; readonly login: string }): string =>
  of === 'address' ? 'an address' : `${of} ${login}`;

const accountsText = (accounts: number): string => (accounts === 1 ? '1 account' : `${accounts} accounts`);

/** Each kind: its facts, and the sentence that they make. Of something new, its name goes into `EVENT_GROUPS` and the rest here. */
export const EVENTS = {
  started: event({ facts: { version: TEXT }, says: ({ version }) => `the bridge is up: version ${version}` }),
  stopped: event({ facts: { reason: TEXT }, says: ({ reason }) => `the bridge stops: ${reason}` }),
  reloaded: event({
    facts: { tookEffect: KEYS, wantsRestart: KEYS },
    says: ({ tookEffect, wantsRestart }) => {
      const parts = [
        ...(tookEffect.length > 0 ? [`${tookEffect.join(', ')} took effect`] : []),
        ...(wantsRestart.length > 0 ? [`${wantsRestart.join(', ')} wait for a restart`] : []),
      ];
      return `settings were read again: ${parts.join('; ') || 'none has changed'}`;
    },
  }),
  reloadRefused: event({
    facts: { problems: z.array(TEXT) },
    says: ({ problems }) => `settings were read again, and stay as they are: ${problems[0]}`,
  }),
  nodeState: event({
    facts: { node: TEXT, state: z.enum(NODE_STATES), before: z.enum(NODE_STATES), reason: TEXT },
    says: ({ node, state, reason }) => `node ${node} is ${state}${state === 'healthy' ? '' : `: ${reason}`}`,
  }),
  nodeSwitched: event({
    facts: { from: TEXT, to: TEXT },
    says: ({ from, to }) => `rigs work for ${to} now, and for ${from} no more`,
  }),
  blockFound: event({
    facts: BLOCK,
    log: 'debug',
    says: (block) => `${loginText(block)} has found ${blockName(block)}`,
  }),
  blockAccepted: event({
    facts: { ...BLOCK, state: z.enum(['received', 'perhaps']) },
    log: 'info',
    says: ({ state, ...block }) =>
      state === 'received'
        ? `the node has taken ${blockName(block)}`
        : `the node has perhaps taken ${blockName(block)}: its answer was lost`,
  }),
  blockRejected: event({
    facts: { ...BLOCK, state: z.enum(['refused', 'lost']), detail: TEXT },
    log: 'warn',
    says: ({ state, detail, ...block }) =>
      state === 'refused'
        ? `the node refuses ${blockName(block)}: ${detail}`
        : `${blockName(block)} is lost: no node answered in time`,
  }),
  blockConfirmed: event({
    facts: { ...BLOCK, reward: AMOUNT.nullable() },
    says: (block) => `${blockName(block)} is confirmed`,
  }),
  blockOrphaned: event({
    facts: BLOCK,
    says: (block) =>
      `${blockName(block)} is orphaned: another one is confirmed in its place, and it pays nobody`,
  }),
  blockReversed: event({
    facts: BLOCK,
    says: (block) => `${blockName(block)} has left its chain below the depth: what it brought is taken back`,
  }),
  blockUnclaimed: event({
    facts: { ...BLOCK, reward: AMOUNT.nullable() },
    says: (block) =>
      `${blockName(block)} pays the pool, and no bridge has named it: \`ledger block claim\` or \`disown\` says whose it is`,
  }),
  chainBegunAnew: event({
    facts: { chainId: z.int(), cancelled: COUNT.describe('blocks of the pool that were waited for') },
    says: ({ chainId, cancelled }) =>
      `chain ${chainId} has begun anew, and is followed from its beginning: ${cancelled} blocks that were waited for are given up`,
  }),
  blockPaysAnother: event({
    facts: { ...BLOCK, receiver: TEXT.describe('the account that its coinbase pays') },
    says: ({ receiver, ...block }) =>
      `${blockName(block)} pays ${receiver}, which is no account of the pool: it is credited to nobody`,
  }),
  banned: event({
    facts: {
      ...BANNED,
      reason: TEXT,
      until: z.iso.datetime().nullable().describe('null: until it is taken back'),
    },
    log: 'warn',
    says: ({ reason, ...whom }) => `${bannedName(whom)} is banned: ${reason}`,
  }),
  unbanned: event({
    facts: BANNED,
    log: 'info',
    says: (whom, { by }) => `the ban of ${bannedName(whom)} is ${by === undefined ? 'over' : 'taken back'}`,
  }),
  drain: event({
    facts: {
      state: z.enum(DRAIN_STATES),
      sessions: COUNT.describe('open at its start'),
      left: COUNT.describe('still open'),
      stops: z.boolean().optional().describe('the bridge stops when it has come to its end'),
    },
    log: 'warn',
    says: ({ state, sessions, left, stops }) => {
      const rest = state === 'off' ? `${left} sessions stay` : `${left} of ${sessions} sessions are left`;
      return `${DRAIN_WORDS[state]}${stops ? ', and the bridge stops then' : ''}: ${rest}`;
    },
  }),
  sessionClosed: event({
    facts: {
      session: COUNT,
      openedAt: z.iso.datetime(),
      login: TEXT.optional().describe('account.rig that it mined for first; absent when it had named none'),
      address: BANNED.address,
      reason: TEXT,
    },
    log: 'info',
    says: ({ session, reason }) => `session ${session} is closed: ${reason}`,
  }),
  difficultyOrdered: event({
    facts: {
      account: TEXT,
      rig: TEXT,
      difficulty: TEXT.nullable().describe('expected hashes of a share, as a decimal; null: it is cleared'),
    },
    log: 'info',
    says: ({ difficulty, ...rig }) =>
      `rig ${loginText(rig)} is held at ${difficulty === null ? 'no difficulty any more' : `difficulty ${difficulty}`}`,
  }),
  rigLabelled: event({
    facts: { account: TEXT, rig: TEXT, label: TEXT.nullable().describe('null: it is taken away') },
    log: 'info',
    says: ({ label, ...rig }) =>
      `rig ${loginText(rig)} ${label === null ? 'has no label any more' : `is labelled ${JSON.stringify(label)}`}`,
  }),
  messageSent: event({
    facts: {
      to: z.enum(['session', 'login', 'account', 'all']),
      login: TEXT.optional().describe('account.rig, or the account alone; absent for a session and for all'),
      session: COUNT.optional(),
      openedAt: z.iso.datetime().optional().describe('of the session'),
      text: TEXT,
      told: COUNT.describe('rigs that take messages'),
    },
    log: 'info',
    says: ({ to, login, session, text, told }) => {
      const whose = {
        session: ` of session ${session}`,
        login: ` of ${login}`,
        account: ` of account ${login}`,
        all: '',
      };
      return `${told === 1 ? '1 rig' : `${told} rigs`}${whose[to]} ${told === 1 ? 'was' : 'were'} told: ${text}`;
    },
  }),
  ordered: event({
    facts: { order: TEXT.describe('one word, of what has no kind of its own'), about: TEXT },
    log: 'info',
    says: (_, { words = '' }) => words,
  }),
  payoutPrepared: event({
    facts: { batch: TEXT, name: NAME_OF_PAYOUT, accounts: COUNT, total: AMOUNT, minimum: AMOUNT },
    says: ({ name, total, accounts }) => `payout ${name} is prepared: ${total} to ${accountsText(accounts)}`,
  }),
  payoutMarked: event({
    facts: {
      batch: TEXT,
      name: NAME_OF_PAYOUT,
      outcome: z.enum(['sent', 'confirmed', 'failed', 'unknown']),
      accounts: COUNT.describe('whose payments are marked so now; not always all of the payout'),
      total: AMOUNT,
      note: TEXT,
    },
    says: ({ name, outcome, total, accounts }) =>
      `payout ${name} is marked ${outcome}: ${total} to ${accountsText(accounts)}`,
  }),
  payerPaused: event({
    facts: { reason: z.enum(PAUSE_REASONS) },
    log: 'warn',
    says: (_, { words = '' }) => words,
  }),
  payoutWish: event({
    facts: {
      account: TEXT.describe('whose key signed it'),
      minimum: AMOUNT.nullable().describe('null: as for everybody'),
      chainId: COUNT.nullable().describe('null: any'),
      beneficiaries: TEXT.describe('k:…=12.5%,…: whom it passes parts of what it earns on to; empty: nobody'),
    },
    says: ({ account, minimum, chainId, beneficiaries }) =>
      `account ${account} wishes to be paid ${minimum === null ? 'as everybody' : `from ${minimum} up`}${chainId === null ? '' : ` on chain ${chainId}`}${beneficiaries === '' ? '' : `, and passes on ${beneficiaries}`}`,
  }),
  rootSigned: event({
    facts: { number: COUNT, text: TEXT.describe('what is signed, JSON'), key: TEXT, signature: TEXT },
    says: ({ number, key }) => `root ${number} of what all accounts did is signed by ${key.slice(0, 8)}`,
  }),
  ledgerAway: event({
    facts: {},
    says: () => 'the ledger does not answer: shares are kept on disk meanwhile',
  }),
  ledgerBack: event({
    facts: { awayMs: DURATION },
    says: ({ awayMs }) => `the ledger answers again, after ${Math.round(awayMs / 1000)} s`,
  }),
  queueAway: event({
    facts: {},
    says: () => 'the share queue does not answer: shares are kept on disk meanwhile',
  }),
  queueBack: event({
    facts: { awayMs: DURATION },
    says: ({ awayMs }) => `the share queue answers again, after ${Math.round(awayMs / 1000)} s`,
  }),
  alertOpened: event({ facts: ALERT, says: (_, { words = '' }) => words }),
  alertResolved: event({
    facts: { ...ALERT, openMs: DURATION },
    says: ({ alert }, { words = '' }) => `${alert} is over: ${words}`,
  }),
  linesMissing: event({
    facts: {
      lines: COUNT,
      why: z
        .enum(LOSSES)
        .describe(
          'ledger: it did not take them in time; file: events.file could not be written; flood: too many of a kind',
        ),
      since: z.iso.datetime(),
      until: z.iso.datetime(),
    },
    says: ({ lines, why }) => `${lines} ${LOST_WORDS[why]}`,
  }),
} satisfies Record<Kind, unknown>;

const DRAIN_WORDS = {
  off: 'the drain is cancelled',
  draining: 'nobody is let in, and rigs are asked to leave',
  drained: 'the drain has come to its end',
  timeUp: 'the time of the drain is over',
};

/** Of a kind, of what nobody ordered. */
export const LINES_A_MINUTE = 200;

const LOST_WORDS: Readonly<Record<Loss, string>> = {
  ledger: 'lines are missing in the timeline: the ledger did not take them in time',
  file: 'lines are missing in events.file: it could not be written',
  flood: `lines are missing in the timeline: there were more than ${LINES_A_MINUTE} of a kind in a minute`,
};

export type { Kind };
export type FactsOf<K extends Kind> = z.output<(typeof EVENTS)[K]['facts']>;
/** In the order of their groups. */
export const KINDS = Object.values(EVENT_GROUPS).flat() as readonly Kind[];
