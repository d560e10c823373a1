/** What a session does with whatever comes, in each of its states: the table of the README, on a real connection. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RigMessage } from '../../src/wire/messages.js';
import type { WireRig } from '../helpers/rigs/wire-rig.js';
import { startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';

/** By what the rig has: neither nonce1 nor login, one of them, both. */
type State = 'new' | 'subscribed' | 'authorized' | 'ready';
/** All that a rig can send, and what else can happen to a session that goes on. */
type Event = RigMessage['kind'] | 'authorize, refused' | 'a job for its chain';
type Answer =
  | ('nonce1' | 'true' | 'pong' | 'extensions' | 'nothing' | 'a job')
  | ('nonce1, a job' | 'true, a job')
  | `error ${number}`;
type Cell = readonly [answer: Answer, next: State];

/** The same answer everywhere, and nothing else becomes of it. */
function always(answer: Answer): Record<State, Cell> {
  return {
    new: [answer, 'new'],
    subscribed: [answer, 'subscribed'],
    authorized: [answer, 'authorized'],
    ready: [answer, 'ready'],
  };
}

const TABLE: Record<Event, Record<State, Cell>> = {
  subscribe: {
    new: ['nonce1', 'subscribed'],
    subscribed: ['nonce1', 'subscribed'],
    authorized: ['nonce1, a job', 'ready'],
    ready: ['nonce1', 'ready'],
  },
  authorize: {
    new: ['true', 'authorized'],
    subscribed: ['true, a job', 'ready'],
    authorized: ['true', 'authorized'],
    ready: ['true', 'ready'],
  },
  'authorize, refused': always('error 24'),
  submit: {
    new: ['error 25', 'new'],
    subscribed: ['error 24', 'subscribed'],
    authorized: ['error 25', 'authorized'],
    ready: ['error 21', 'ready'],
  },
  extranonceSubscribe: always('true'),
  configure: always('extensions'),
  suggestDifficulty: always('true'),
  suggestTarget: always('true'),
  ping: always('pong'),
  unknown: always('error -32601'),
  malformed: always('error -32602'),
  response: always('nothing'),
  'a job for its chain': {
    new: ['nothing', 'new'],
    subscribed: ['nothing', 'subscribed'],
    authorized: ['nothing', 'authorized'],
    ready: ['a job', 'ready'],
  },
};

const EVENTS = Object.keys(TABLE) as Event[];
const STATES: readonly State[] = ['new', 'subscribed', 'authorized', 'ready'];

const SUBSCRIBE = { method: 'mining.subscribe', params: ['rig/1', null] };
const AUTHORIZE = { method: 'mining.authorize', params: ['a.r', 'x'] };
const LINES: Record<RigMessage['kind'] | 'authorize, refused', object> = {
  subscribe: SUBSCRIBE,
  authorize: AUTHORIZE,
  'authorize, refused': { method: 'mining.authorize', params: ['a\u0000b', 'x'] },
  submit: { method: 'mining.submit', params: ['a.r', 'fff', '0123456789ab'] },
  extranonceSubscribe: { method: 'mining.extranonce.subscribe', params: [] },
  configure: { method: 'mining.configure', params: [['version-rolling'], {}] },
  suggestDifficulty: { method: 'mining.suggest_difficulty', params: [1000] },
  suggestTarget: { method: 'mining.suggest_target', params: [`00${'f'.repeat(62)}`] },
  ping: { method: 'mining.ping', params: [] },
  unknown: { method: 'mining.dance', params: [] },
  malformed: { method: 'mining.subscribe', params: 5 },
  response: { result: 'rig/2', error: null },
};

describe('a session', () => {
  let bridge: TestBridge;
  let height = 1;
  beforeAll(async () => {
    bridge = await startTestBridge({ shareDifficulty: 'vardiff' });
    bridge.offer({ chainId: 0, height });
  });
  afterAll(() => bridge[Symbol.asyncDispose]());

  async function rigIn(state: State): Promise<WireRig> {
    const rig = await bridge.connect('tcp');
    if (state === 'subscribed' || state === 'ready') await ask(rig, SUBSCRIBE);
    if (state === 'authorized' || state === 'ready') await ask(rig, AUTHORIZE);
    return rig;
  }

  async function ask(rig: WireRig, { method, params }: typeof SUBSCRIBE | typeof AUTHORIZE): Promise<void> {
    await rig.request(method, method, params);
  }

  async function happens(rig: WireRig, event: Event): Promise<void> {
    if (event === 'a job for its chain') bridge.offer({ chainId: 0, height: ++height });
    else rig.send(JSON.stringify({ id: event === 'response' ? 'version' : 'event', ...LINES[event] }));
    // What comes of it comes before this is answered.
    await rig.request('after', 'mining.ping', []);
    await rig.request('after that', 'mining.ping', []);
  }

  function answerIn(lines: readonly string[]): string {
    const messages = lines.map((line) => JSON.parse(line));
    const said = messages.filter(({ id }) => id === 'event').map(wordOf);
    if (messages.some(({ method }) => method === 'mining.notify')) said.push('a job');
    return said.join(', ') || 'nothing';
  }

  /** By what it can do now. */
  async function stateOf(rig: WireRig, leased: number): Promise<State> {
    bridge.skewMs += 1_000;
    const { items } = await bridge.server.watch.sessions({ offset: 0, limit: 10 });
    const session = items.find(({ peer }) => peer.endsWith(`:${rig.socket.localPort}`));
    const isSubscribed = bridge.server.watch.counts().leased > leased;
    const isAuthorized = session !== undefined && session.logins.length > 0;
    if (isSubscribed) return isAuthorized ? 'ready' : 'subscribed';
    return isAuthorized ? 'authorized' : 'new';
  }

  it.each(EVENTS.flatMap((event) => STATES.map((state) => [event, state] as const)))(
    'to which %s comes while it is %s does as the table says',
    async (event, state) => {
      const { leased } = bridge.server.watch.counts();
      const rig = await rigIn(state);
      try {
        const before = rig.lines.length;
        await happens(rig, event);
        const answer = answerIn(rig.lines.slice(before));
        expect([answer, await stateOf(rig, leased)]).toEqual(TABLE[event][state]);
      } finally {
        rig.vanish();
        await expect.poll(() => bridge.server.sessions).toBe(0);
      }
    },
  );

  it('has its table in the README', async () => {
    const rows = EVENTS.map(
      (event) => `| ${event} | ${STATES.map((state) => wordsOf(event, state)).join(' | ')} |`,
    );
    const text = await readFile(new URL('../../src/stratum/README.md', import.meta.url), 'utf8');
    expect(text).toContain([`| | ${STATES.join(' | ')} |`, '|---|---|---|---|---|', ...rows].join('\n'));
  });
});

function wordsOf(event: Event, state: State): string {
  const [answer, next] = TABLE[event][state];
  return next === state ? answer : `${answer} → ${next}`;
}

function wordOf({ result, error }: { result: unknown; error?: [number] | null }): string {
  if (error) return `error ${error[0]}`;
  if (Array.isArray(result)) return 'nonce1';
  return typeof result === 'object' ? 'extensions' : String(result);
}
