/**
 * `stratum-bridge ctl` as an operator uses it: a real bridge, a real node, real rigs. What an operator types is run in this
 * process, over the real socket, where nothing but its answer matters: a process of its own takes a third of a second each time.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader, READ } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const LOGIN = `${ACCOUNT}.one`;
const ANY = '127.0.0.1:0';
const ME = `ctl (user ${userInfo().username})`;
const hashesIn = measureHashes();

let postgres: TestPostgres;
let node: Program;
let nodeUrl: string;
beforeAll(async () => {
  postgres = await startTestPostgres();
  const ease = ['--genesis-difficulty', hashesIn(2), '--block-delay', '20000ms'];
  node = startProgram(['node', '--mining', '--listen', ANY, ...ease]);
  nodeUrl = String((await node.ready())['url']);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await postgres.close();
});

interface Item {
  readonly [field: string]: unknown;
}

interface Listed {
  readonly rigs: readonly Item[];
  readonly sessions: readonly { readonly id: number; readonly openedAt: string; readonly logins: Item[] }[];
  readonly events?: readonly Item[];
}

/** A place for a bridge that is started there any number of times, and `ctl` of it. */
async function newPlace(settings: object = {}) {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const [file, dataDir] = [join(folder.path, 'settings.yaml'), join(folder.path, 'data')];
  const write = (more: object): Promise<void> =>
    writeFile(
      file,
      stringify({
        ...{ dataDir, 'node.urls': [nodeUrl], 'miner.account': ACCOUNT, 'cpu.mode': 'off' },
        ...{ 'ledger.databaseUrl': databaseUrl, 'stratum.tcp': ANY, 'stratum.ws': 'off', 'web.listen': ANY },
        ...{ 'stratum.shareDifficulty': hashesIn(0.2), ...settings, ...more },
      }),
    );
  const databaseUrl = await createDatabase(postgres);
  await write({});
  const run = (words: readonly string[]) => runHere('ctl', [...words, '--config', file]);
  const runAsProcess = (words: readonly string[]) => runProgram(['ctl', ...words, '--config', file]);
  const startCtl = (...words: readonly string[]): Program => {
    const program = startProgram(['ctl', ...words, '--config', file]);
    onTestFinished(() => program[Symbol.asyncDispose]());
    return program;
  };
  /** What it answers programs; fails when it does not work. */
  const ctl = async (...words: string[]) => {
    const { code, stderr, text } = await run(words);
    expect([words, code, stderr]).toEqual([words, 0, '']);
    return JSON.parse(text);
  };
  const start = async () => {
    const program = startProgram(['serve', '--config', file]);
    onTestFinished(() => program[Symbol.asyncDispose]());
    const { tcp, web } = await program.ready();
    /** What is waited for is asked of the web, which takes no process each time. */
    const get = async (path: string) =>
      (await fetchAsReader(`${web}/api/v1/${path}`)).json() as Promise<Listed>;
    return { program, port: Number(String(tcp).split(':').at(-1)), web: String(web), get };
  };
  return { path: folder.path, dataDir, write, run, runAsProcess, startCtl, ctl, start };
}

type Get = (path: string) => Promise<Listed>;

/** One that mines, and says what it is told. */
function startRig(port: number): Program {
  const rig = startProgram(['rig', '--urls', `tcp://127.0.0.1:${port}`, '--user', LOGIN, '--threads', '1']);
  onTestFinished(() => rig[Symbol.asyncDispose]());
  return rig;
}

const untilRig = (get: Get, what: string, is: (rig: Item) => boolean): Promise<Item> =>
  until(what, async () => {
    const rig = (await get('rigs')).rigs.find((each) => each['rig'] === 'one');
    return rig !== undefined && is(rig) && rig;
  });

/** As `ctl` names it. */
async function sessionOf(get: Get): Promise<string> {
  const session = await until('it has a session', async () =>
    (await get('sessions')).sessions.find(({ logins }) => logins.some(({ rig }) => rig === 'one')),
  );
  return `${session.id}@${session.openedAt}`;
}

it('lists, closes, bans, holds, tells, reloads and drains a bridge that runs, and keeps its orders over a restart', async () => {
  const place = await newPlace();
  const { ctl, run } = place;
  const { program, port, web, get } = await place.start();
  const socket = join(place.dataDir, '0', 'ctl.sock');
  expect([lstatSync(socket).mode & 0o777, lstatSync(socket).isSocket()]).toEqual([0o600, true]);
  const rig = startRig(port);

  const seen = await untilRig(get, 'a share is accepted', ({ accepted }) => Number(accepted) > 0);
  expect(seen).toMatchObject({ account: ACCOUNT, rig: 'one', state: 'online', sessions: 1 });
  const listed = await place.runAsProcess(['rigs', '--account', ACCOUNT, '--state', 'online']);
  expect([listed.code, listed.stderr]).toEqual([0, '']);
  expect(JSON.parse(listed.text)).toMatchObject([{ rig: 'one' }]);
  expect(await ctl('rigs', '--state', 'offline')).toEqual([]);
  expect(await ctl('sessions')).toMatchObject([{ transport: 'tcp', logins: [{ rig: 'one' }] }]);
  expect(await ctl('rigs', '--q', 'ONE', '--sort', 'name', '--order', 'desc', '--limit', '1')).toHaveLength(
    1,
  );
  expect(await ctl('accounts')).toMatchObject([{ account: ACCOUNT, sessions: 1 }]);

  // Its network has no forks, and so it votes for none.
  await until('its vote is seen', async () => (await ctl('nodes'))[0].forks?.isFor === false);
  const table = await run(['nodes', '--csv']);
  expect(table.text).toMatch(/,0,0,"not for the next",/);

  // A session is closed by number and time, and comes back as another.
  const first = await sessionOf(get);
  const recycled = `${first.split('@')[0]}@2026-01-01T00:00:00.000Z`;
  const refused = await place.runAsProcess(['close', recycled]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is open that was opened at')]);
  expect(await ctl('close', first, '--reason', 'new cable')).toMatchObject({
    closed: { id: Number(first.split('@')[0]) },
  });
  await until('it is back', async () => (await sessionOf(get)) !== first);
  expect((await run(['close', first])).code).toBe(1);

  await untilRig(get, 'it mines again', ({ state }) => state === 'online');
  // Before it has said that it takes them, a moment after its login, a message does not reach it.
  await until('it is told', async () => {
    const { told, sessions } = await ctl('message', 'login', LOGIN, 'tea at five');
    expect(sessions).toBe(1);
    return told === 1;
  });
  await until('the rig says so', () => rig.lines.some(({ text }) => text === 'tea at five'));

  // From its next job on.
  const held = String(Math.ceil(Number(hashesIn(0.05))));
  await ctl('difficulty', LOGIN, held);
  expect(await ctl('difficulty')).toMatchObject([{ account: ACCOUNT, rig: 'one', difficulty: held, by: ME }]);
  await untilRig(get, 'its shares are of that difficulty', ({ difficulty }) => difficulty === held);
  await ctl('difficulty', LOGIN, 'off');
  expect(await ctl('difficulty')).toEqual([]);
  await untilRig(get, 'its shares are not any more', ({ difficulty }) => difficulty !== held);

  // Who comes from a denied address is out, and back once it is not denied any more; others are kept out for good.
  await ctl('deny', '203.0.113.0/24');
  expect(await ctl('deny', '127.0.0.1')).toMatchObject({ list: 'deny', isOn: true, closed: 1, isKept: true });
  await untilRig(get, 'it is kept out', ({ state }) => state === 'banned');
  expect(await ctl('allow')).toMatchObject([
    { addresses: '203.0.113.0/24' },
    { addresses: '127.0.0.1', by: ME },
  ]);
  expect(await ctl('deny', '127.0.0.1', 'off')).toMatchObject({ isOn: false });
  expect((await run(['deny', '127.0.0.1', 'off'])).stderr).toContain(
    'no order has put 127.0.0.1 on the list',
  );
  expect((await run(['deny', 'here'])).stderr).toMatch(
    /addresses is an address or prefix such as .*, not "here"/,
  );
  await untilRig(get, 'it is let in again', ({ state }) => state === 'online');

  // Who is banned is out, and is refused when he comes again.
  const { ban } = await ctl('ban', 'login', LOGIN, '--reason', 'dust', '--for', '1h');
  expect(await ctl('bans')).toEqual([ban]);
  await untilRig(get, 'it is out', ({ state, sessions }) => state === 'banned' && sessions === 0);
  const wire = await WireRig.connect('tcp', port);
  await wire.request(1, 'mining.subscribe', ['asic/1']);
  const { error } = await wire.request(2, 'mining.authorize', [LOGIN, 'x']);
  expect(error?.[1]).toMatch(/^banned until .*: dust$/);
  wire.close();
  await ctl('unban', ban.id);
  await untilRig(get, 'it is back', ({ state }) => state === 'online');

  const farm = { name: 'farm', listen: ANY, transport: 'tcp' };
  const ports = { 'stratum.tcp': undefined, 'stratum.ws': undefined, 'stratum.ports': [farm] };
  await place.write({ 'stratum.limits.ban': '7m', 'queue.entries': 30, ...ports });
  expect(await ctl('reload')).toEqual({
    tookEffect: ['stratum.limits.ban'],
    wantsRestart: ['stratum.tcp', 'stratum.ws', 'stratum.ports', 'queue.entries'],
    ports: [...[{ name: 'tcp', why: 'it is gone' }], ...[{ name: 'farm', why: 'it is new' }]],
  });
  await place.write({ 'stratum.limits.ban': 'never' });
  const fault = await run(['reload']);
  expect([fault.code, fault.stderr]).toEqual([1, expect.stringContaining('stratum.limits.ban: "never"')]);
  await place.write({});

  // Orders that outlive the bridge, which is drained and stops.
  await ctl('difficulty', `${ACCOUNT}.two`, '4G');
  await ctl('ban', 'address', '192.0.2.7', '--reason', 'a flood');
  await ctl('label', `${ACCOUNT}.two`, 'the loud one');
  // Who watches a drain may leave it. A rig that cannot be asked to go holds it on.
  const deaf = await WireRig.connect('tcp', port);
  await deaf.request(1, 'mining.subscribe', ['asic/1']);
  expect((await deaf.request(2, 'mining.authorize', [`${ACCOUNT}.deaf`, 'x'])).result).toBe(true);
  const watching = place.startCtl('drain', '--over', '1d', '--stop');
  const drainState = async () => ((await get('drain')) as unknown as Item)['state'];
  await until('it drains', async () => (await drainState()) === 'draining');
  watching.kill('SIGINT');
  expect(await watching.ended).toBe('SIGINT');
  expect(await drainState()).toBe('draining');
  expect(await ctl('drain', '--cancel')).toMatchObject({ state: 'off' });
  deaf.close();
  expect(await ctl('drain', '--over', '1h')).toMatchObject({ state: 'draining', stops: false, by: ME });
  expect(await ctl('drain', '--status')).toMatchObject({ state: 'draining' });
  expect((await run(['drain'])).stderr).toContain('a drain is on already');
  expect(await ctl('drain', '--cancel')).toMatchObject({ state: 'off' });
  await untilRig(get, 'it is let in', ({ state }) => state === 'online');

  const KINDS = {
    sessionClosed: 1,
    messageSent: 1,
    difficultyOrdered: 3,
    rigLabelled: 1,
    banned: 2,
    unbanned: 1,
    reloaded: 1,
    reloadRefused: 1,
    drain: 2,
  };
  const told = await until('all is in the timeline', async () => {
    // None while the ledger does not answer in time.
    const { events: lines = [] } = await get('events?limit=1000');
    const ordered = lines.filter(({ kind }) => Object.hasOwn(KINDS, String(kind)));
    const isThere = ([kind, count]: [string, number]) =>
      ordered.filter((line) => line['kind'] === kind).length >= count;
    return Object.entries(KINDS).every(isThere) && ordered;
  });
  expect(new Set(told.map(({ by }) => by))).toEqual(new Set([ME]));

  // The socket takes no token, the web does.
  const order = async (headers: Record<string, string>) =>
    (await fetch(`${web}/api/v1/drain`, { method: 'POST', headers, body: '{}' })).status;
  const json = { 'content-type': 'application/json' };
  expect(await order(json)).toBe(401);
  expect(await order({ ...json, authorization: `Bearer ${READ}` })).toBe(403);

  // A ban of the bridge itself outlives it too.
  const bad = await WireRig.connect('tcp', port);
  await bad.request(1, 'mining.subscribe', ['asic/1']);
  await bad.request(2, 'mining.authorize', [`${ACCOUNT}.bad`, 'x']);
  for (let i = 0; i <= 300; i++) bad.send('{"id":3,"method":"mining.submit","params":[]}');
  await bad.untilClosed();

  const stopping = ctl('drain', '--over', '1s', '--stop');
  expect(await program.ended).toBe(0);
  expect(await stopping).toMatchObject({ stops: true, end: 'stopped' });
  const reason = String(program.last('stopping')?.['reason']);
  expect(reason).toMatch(/^it is drained$|^the time of its drain is over/);
  expect(readdirSync(join(place.dataDir, '0'))).not.toContain('ctl.sock');

  await place.start();
  const bans = await ctl('bans');
  expect(bans).toMatchObject([
    { kind: 'address', address: '192.0.2.7', by: ME },
    { kind: 'rig', login: `${ACCOUNT}.bad`, by: null },
  ]);
  expect(await ctl('unban', bans[1].id)).toMatchObject({ ban: { login: `${ACCOUNT}.bad` }, isKept: true });
  expect(await ctl('label')).toMatchObject([{ rig: 'two', label: 'the loud one', by: ME }]);
  expect(await ctl('difficulty')).toMatchObject([{ rig: 'two', difficulty: '4000000000', by: ME }]);
  // Numbers of sessions begin anew.
  expect((await run(['close', first])).code).toBe(1);
});

it('says what to do where no bridge runs, also after one that was killed, and the next one takes its place', async () => {
  const place = await newPlace({ 'web.listen': 'off' });
  const none = await place.runAsProcess(['rigs']);
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringContaining('no bridge runs with the data directory'),
  ]);
  const { program } = await place.start();
  expect(await place.ctl('rigs')).toEqual([]);
  program.kill('SIGKILL');
  await program.ended;
  expect(readdirSync(join(place.dataDir, '0'))).toContain('ctl.sock');
  expect((await place.run(['bans'])).stderr).toContain('start one with `stratum-bridge serve`');
  // Without a web, too.
  await place.start();
  expect(await place.ctl('drain', '--status')).toMatchObject({ state: 'off' });
  expect(lstatSync(join(place.dataDir, '0', 'ctl.sock')).mode & 0o777).toBe(0o600);
});

it('runs without it where the path is too long, and both sides say so', async () => {
  const place = await newPlace();
  const dataDir = join(place.path, 'x'.repeat(110));
  await place.write({ dataDir });
  const { program } = await place.start();
  const warned = program.lines.find(({ event }) => event === 'no-ctl');
  expect(warned?.msg).toMatch(/`stratum-bridge ctl` does not reach this bridge: the path .* has \d+ bytes/);
  const { code, stderr } = await place.run(['rigs']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('choose a shorter data directory')]);
});
