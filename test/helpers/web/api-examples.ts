/** Examples for the document of the API: answers of a bridge that mines with a node, a rig and its CPU, and takes orders. */
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '../../../src/web/api/document/document.js';
import { temporaryFolder } from '../folder.js';
import { startProgram } from '../processes/program.js';
import { until } from '../until.js';
import { answersOfALedger } from './ledger-examples.js';

type Answers = Record<string, unknown>;
type Ask = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Of the document: what is answered in JSON. */
export function operationsOf({ paths }: Document): { readonly method: string; readonly path: string }[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { responses }]) => responses['200']?.content?.['application/json'])
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  );
}

/** Every operation has an example. */
export function exampledOf(document: Document): string[] {
  return operationsOf(document).map(({ method, path }) => `${method} ${path}`);
}

/** What is asked for where all of it would be long. */
const FEW: Readonly<Record<string, string>> = {
  '/api/v1/events': '?limit=8',
  '/api/v1/alerts': '?limit=8',
  '/api/v1/blocks': '?limit=4',
  '/api/v1/ledger/chains': '?limit=3',
};

export async function answersOfABridge(document: Document): Promise<Answers> {
  await using folder = await temporaryFolder();
  await using demo = startProgram([
    'demo',
    '--data-dir',
    folder.path,
    '--cpu-threads',
    '1',
    '--payouts-mode',
    'manual',
  ]);
  const { web, tcp } = await demo.ready();
  const token = (await readFile(join(folder.path, 'web-admin-token'), 'utf8')).trim();
  const keys = JSON.parse(await readFile(join(folder.path, 'demo-account.json'), 'utf8')) as Keys;
  const ask = asking(String(web), token);
  await using _nameless = startProgram([
    ...['rig', '--urls', `tcp://${tcp}`, '--user', keys.account, '--threads', '1'],
  ]);
  await untilMined(ask, keys);
  const answers: Answers = {};
  for (const { method, path } of operationsOf(document))
    if (method === 'GET' && !path.includes('{'))
      answers[`GET ${path}`] = await ask('GET', path + (FEW[path] ?? ''));
  await giveOrders(ask, answers, { keys, token });
  demo.kill('SIGTERM');
  await demo.ended;
  Object.assign(answers, await answersOfALedger());
  const examples = exampledOf(document).flatMap((name) => entriesOf(name, answers));
  return elsewhere(Object.fromEntries(examples), folder.path);
}

/** As a pool would answer: this machine and its folder are nobody's business. */
function elsewhere(examples: Answers, folder: string): Answers {
  const text = JSON.stringify(examples);
  return JSON.parse(
    text.replaceAll(folder, '/var/lib/stratum-bridge').replaceAll(`${hostname()}:/`, 'pool:/'),
  );
}

function asking(web: string, token: string): Ask {
  const authorization = `Bearer ${token}`;
  return async (method, path, body) => {
    const json = { authorization, 'content-type': 'application/json' };
    const sent =
      body === undefined ? { headers: { authorization } } : { headers: json, body: JSON.stringify(body) };
    const answer = await fetch(`${web}${path}`, { method, ...sent });
    return answer.json() as Promise<Record<string, unknown>>;
  };
}

async function untilMined(ask: Ask, { account }: Keys): Promise<void> {
  await until('shares are booked', async () => {
    const { ledger } = (await ask('GET', '/api/v1/summary')) as { ledger: { shares?: number } };
    return (ledger.shares ?? 0) > 20;
  });
  await until('the rig without a name had a share', async () => {
    const { rig } = (await ask('GET', `/api/v1/rigs/${encodeURIComponent(account)}`)) as {
      rig?: { accepted: number };
    };
    return (rig?.accepted ?? 0) > 0;
  });
  // Until windows have filled a little.
  await sleep(20_000);
}

/** As the document lists them. */
function entriesOf(name: string, answers: Answers): [string, unknown][] {
  return [`${name} asked`, name].filter((each) => each in answers).map((each) => [each, answers[each]]);
}

interface Secrets {
  readonly keys: Keys;
  readonly token: string;
}

interface Keys {
  readonly account: string;
  readonly secretKey: string;
}

async function giveOrders(ask: Ask, answers: Answers, { keys, token }: Secrets): Promise<void> {
  const order: Order = async (name, parts = {}, body) => {
    const [method = '', path = ''] = name.split(' ');
    const filled = path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(String(parts[part])));
    const answer = await ask(method, filled, body);
    if ('error' in answer) throw new Error(`${name}: ${answer['error']}`);
    if (body !== undefined) answers[`${name} asked`] = body;
    answers[name] = answer;
    return answer;
  };
  await signIn(order, answers, token);
  await askForOne(order, keys);
  // Nothing takes the place of a demo.
  answers['POST /api/v1/replace'] = { state: 'underWay', replaced: 0, bridges: 2, why: null };
  answers['GET /api/v1/replace'] = { state: 'done', replaced: 2, bridges: 2, why: null };
  await orderRigs(ask, order, answers);
  await order('POST /api/v1/reload');
  await until('a payout is due', async () => (await ask('POST', '/api/v1/payouts'))['payout'] !== null);
  const { payout: first } = await order('POST /api/v1/payouts');
  const mark = (which: unknown, body: object) =>
    order('POST /api/v1/payouts/{id}/mark', which as Record<string, unknown>, body);
  await mark(first, { outcome: 'failed', note: 'the wallet was locked' });
  const { payout } = await order('POST /api/v1/payouts');
  const note = 'request key 8VeHS0DJjYzTmVkMcVPd9sHKPHtBcbqPKxN1r1E3r7Q';
  await mark(payout, { outcome: 'sent', note });
  await order('GET /api/v1/payouts/{id}', payout as object as Record<string, unknown>);
  const { blocks } = (await ask('GET', '/api/v1/blocks?state=confirmed&limit=1')) as {
    blocks: Record<string, unknown>[];
  };
  await order('GET /api/v1/blocks/{id}/split', blocks[0]);
  // With what was paid.
  await order('GET /api/v1/accounts/{account}', { account: keys.account });
  await order('GET /api/v1/accounts/{account}/days', { account: keys.account });
  await order('GET /api/v1/accounts/{account}/splits', { account: keys.account });
  await undoChain(ask, order);
  // No chain of a demo stands still.
  const to = 'u4WvZ0nN6mC1yX3kQ8rT5dJ7hL2pB9sFgAeVwYcRi0M';
  answers['POST /api/v1/ledger/chains/{chain}/skip asked'] = { to, note: 'all nodes have pruned it' };
  answers['POST /api/v1/ledger/chains/{chain}/skip'] = { chain: 3, to };
}

async function signIn(order: Order, answers: Answers, token: string): Promise<void> {
  await order('POST /api/v1/session', {}, { token });
  answers['POST /api/v1/session asked'] = { token: '3Qd0bF6Yh3pXQH1o1zv0vJmM2lWQ1r4pRr8cXbYk9sE' };
  await order('DELETE /api/v1/session');
  await order('POST /api/v1/links');
}

async function undoChain(ask: Ask, order: Order): Promise<void> {
  const first = async () => {
    const { chains } = (await ask('GET', '/api/v1/ledger/chains')) as { chains: Record<string, unknown>[] };
    return chains.find(({ height }) => height !== null);
  };
  const { chainId: chain, hash: to } = await until('a chain is followed', first);
  await until('it goes on', async () => (await first())?.['hash'] !== to);
  const undo = { to, note: 'our nodes were on a fork of their own' };
  await order('POST /api/v1/ledger/chains/{chain}/undo', { chain }, undo);
}

/** Reads that name whom they are about. */
async function askForOne(order: Order, { account }: Keys): Promise<void> {
  await order('GET /api/v1/rigs/{account}/{rig}', { account, rig: 'demo' });
  await order('GET /api/v1/rigs/{account}', { account });
}

type Order = (
  name: string,
  parts?: Readonly<Record<string, unknown>>,
  body?: unknown,
) => Promise<Record<string, unknown>>;

async function orderRigs(ask: Ask, order: Order, answers: Answers): Promise<void> {
  const { rigs } = (await ask('GET', '/api/v1/rigs?q=.demo')) as { rigs: Record<string, unknown>[] };
  const { account } = rigs[0] ?? {};
  const rig = { account, rig: 'demo' };
  await order('PUT /api/v1/difficulties', {}, { ...rig, difficulty: '2M' });
  answers['GET /api/v1/difficulties'] = await ask('GET', '/api/v1/difficulties');
  await ask('PUT', '/api/v1/difficulties', { ...rig, difficulty: null });
  await order('PUT /api/v1/labels', {}, { ...rig, label: 'the loud one, shelf 3' });
  answers['GET /api/v1/labels'] = await ask('GET', '/api/v1/labels');
  await ask('PUT', '/api/v1/labels', { ...rig, label: null });
  const denied = { list: 'deny', addresses: '203.0.113.0/24' };
  await order('PUT /api/v1/addresses', {}, denied);
  answers['GET /api/v1/addresses'] = await ask('GET', '/api/v1/addresses');
  await ask('PUT', '/api/v1/addresses', { ...denied, isOn: false });
  await order(
    'POST /api/v1/messages',
    {},
    { to: 'account', account, text: 'maintenance at ten, for an hour' },
  );
  const ban = { kind: 'login', account, rig: 'attic', reason: 'only stale shares', for: '1d' };
  const banned = await order('POST /api/v1/bans', {}, ban);
  answers['GET /api/v1/bans'] = await ask('GET', '/api/v1/bans');
  await order('DELETE /api/v1/bans/{id}', banned['ban'] as Record<string, unknown>);
  await order('POST /api/v1/drain', {}, { over: '10m' });
  answers['GET /api/v1/drain'] = await ask('GET', '/api/v1/drain');
  await order('DELETE /api/v1/drain');
  const { sessions } = (await ask('GET', '/api/v1/sessions')) as { sessions: Record<string, unknown>[] };
  const session = sessions.find(({ transport }) => transport !== 'cpu') ?? {};
  await order('POST /api/v1/sessions/{id}/close', session, {
    openedAt: session['openedAt'],
    reason: 'a new cable',
  });
}
