/** One timeline of two real bridges on one ledger, through all that happens to them. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { openGate } from '../../helpers/processes/gate.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { withSmallDisk } from '../../helpers/processes/small-disk.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { openTap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import { type EventLine, readEventLines } from '../../helpers/web/event-lines.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';
/** Of a machine that misbehaves, and whose ban hits nobody else. */
const STRANGER = '127.0.0.66';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

interface Shown extends EventLine {
  readonly id?: number;
}

interface TestBridge {
  readonly program: Program;
  readonly web: string;
  readonly tcpPort: number;
  /** What its file has. */
  lines(): EventLine[];
  /** What it answers, the oldest first. */
  asked(query?: string): Promise<Shown[]>;
  write(settings: object): Promise<void>;
}

interface Place {
  readonly folder: string;
  readonly nodeUrl: string;
  readonly databaseUrl: string;
  readonly args?: readonly string[];
  /** Of its events; a folder of its own by default. */
  readonly events?: string;
}

/** Ends with its test. A block is confirmed with one on top. */
async function startBridge({ folder, nodeUrl, databaseUrl, args = [], events }: Place): Promise<TestBridge> {
  const path = (name: string): string => join(folder, name);
  const eventFolder = events ?? path('events');
  await mkdir(eventFolder, { recursive: true });
  const write = (settings: object): Promise<void> => writeFile(path('settings.yaml'), stringify(settings));
  await write({});
  const program = startProgram([
    ...['serve', '--config', path('settings.yaml'), '--data-dir', path('data'), '--miner-account', ACCOUNT],
    ...[
      '--node-urls',
      nodeUrl,
      '--ledger-database-url',
      databaseUrl,
      '--chain-depth',
      '1',
      '--cpu-mode',
      'off',
      ...args,
    ],
    ...[
      '--stratum-tcp',
      ANY,
      '--stratum-ws',
      'off',
      '--web-listen',
      ANY,
      '--events-file',
      join(eventFolder, 'bridge.log'),
    ],
    ...[
      '--stratum-accounts-mode',
      'password',
      '--stratum-accounts-passwords',
      `${ACCOUNT}=x`,
      '--stratum-limits-wrong-logins',
      '2',
    ],
  ]);
  onTestFinished(() => program[Symbol.asyncDispose]());
  const ready = await program.ready();
  const web = String(ready['web']);
  return {
    program,
    web,
    tcpPort: Number(String(ready['tcp']).split(':')[1]),
    lines: () => readEventLines(eventFolder),
    asked: (query = '?limit=1000') =>
      // Again while the ledger does not answer in time, as on a busy machine.
      until('the timeline is read', async () => {
        const answer = (await (await fetchAsReader(`${web}/api/v1/events${query}`)).json()) as {
          events?: Shown[];
        };
        return answer.events?.toReversed();
      }),
    write,
  };
}

/** Reads the stream of a bridge; gives the happenings so far, or all of them once it has ended. */
async function readStream(
  web: string,
): Promise<{ told(): Shown[]; readonly ended: Promise<void> } & Disposable> {
  const gone = new AbortController();
  const { body } = await fetchAsReader(`${web}/api/v1/stream`, { signal: gone.signal });
  let text = '';
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) text += decoder.decode(bytes as Uint8Array, { stream: true });
  })().catch(() => {}); // it ends with the bridge, or with the test
  return {
    ended,
    told: () => [...text.matchAll(/event: event\ndata: (.*)\n\n/g)].map(([, json = '']) => JSON.parse(json)),
    [Symbol.dispose]: () => gone.abort(),
  };
}

const kindsOf = (lines: readonly EventLine[]): string[] => lines.map(({ kind }) => kind);

it('has all that happens to two bridges, each line once, in the ledger, the files and on the streams', async () => {
  await using folder = await temporaryFolder();
  const gate = await openGate(Number(new URL(postgres.connectionString).port));
  const databaseUrl = new URL(await createDatabase(postgres));
  databaseUrl.port = String(gate.port);
  const ease = ['--genesis-difficulty', measureHashes()(2), '--block-delay', '3000ms'];
  await using node = startProgram(['node', '--mining', '--listen', ANY, ...ease]);
  const nodeUrl = String((await node.ready())['url']);
  await using tap = await openTap(Number(new URL(nodeUrl).port));
  const place = (name: string, url: string, args: readonly string[] = []): Place => ({
    ...{ folder: join(folder.path, name), nodeUrl: url, databaseUrl: databaseUrl.toString(), args },
  });
  const miner = await startBridge(place('miner', nodeUrl, ['--cpu-mode', 'always', '--cpu-threads', '1']));
  let other = await startBridge(place('other', tap.url));
  const has = (bridge: TestBridge, kind: string, count = 1) =>
    until(`${kind} is told`, () => kindsOf(bridge.lines()).filter((each) => each === kind).length >= count);

  // A node that goes and comes back.
  await until(
    'both work',
    async () => (await miner.asked()).filter(({ kind }) => kind === 'nodeState').length >= 2,
  );
  using stream = await readStream(other.web);
  tap.set({ refuses: true });
  await until('the node is away', () => other.lines().some(({ facts }) => facts['state'] === 'away'));
  tap.heal();
  await until('and back', () => stateOfNode(other) === 'healthy');

  // A block, found by the one and heard of by both.
  await has(miner, 'blockAccepted');
  await Promise.all([has(miner, 'blockConfirmed'), has(other, 'blockConfirmed')]);
  await until('a reader of the other sees one', () => kindsOf(stream.told()).includes('blockConfirmed'));

  // A ban.
  await guess(other.tcpPort);
  await has(other, 'banned');

  // A reload, and one that is refused.
  await other.write({ 'stratum.limits.ban': '7m', 'queue.entries': 21 });
  other.program.kill('SIGHUP');
  await has(other, 'reloaded');
  await other.write({ 'stratum.limits.ban': 'soon' });
  other.program.kill('SIGHUP');
  await has(other, 'reloadRefused');
  await other.write({});

  // The ledger goes, things happen meanwhile, and it comes back.
  await gate.shut();
  await has(other, 'ledgerAway');
  const away = await fetchAsReader(`${other.web}/api/v1/events`);
  expect([away.status, await away.json()]).toEqual([
    503,
    { error: expect.stringContaining('ledger, which does not answer') },
  ]);
  tap.set({ refuses: true });
  await until('the node is away again', () => stateOfNode(other) === 'away');
  tap.heal();
  await gate.open();
  await has(other, 'ledgerBack');
  await until('all is in the ledger', async () => {
    const there = new Set((await miner.asked()).map(({ key }) => key));
    return other.lines().every(({ key }) => there.has(key));
  });

  // A restart of the one.
  const beforeRestart = other.lines().length;
  other.program.kill('SIGTERM');
  expect(await other.program.ended).toBe(0);
  // What was sent may still be on its way to here.
  await stream.ended;
  const first = stream.told();
  other = await startBridge(place('other', tap.url));
  await has(other, 'started', 2);
  await until('it is in the ledger', async () => kindsOf(await miner.asked('?kind=started')).length === 3);

  miner.program.kill('SIGTERM');
  expect(await miner.program.ended).toBe(0);
  await until('the other hears of it', () =>
    other.lines().some(({ kind, instance }) => kind === 'stopped' && instance === 0),
  );
  const kept = await other.asked();
  other.program.kill('SIGTERM');
  expect(await other.program.ended).toBe(0);

  // Each once, in one order, with ids that rise.
  const keys = kept.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const ids = kept.map(({ id = 0 }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const instances = new Set(kept.map(({ instance }) => instance));
  expect(instances).toEqual(new Set([0, 1, null]));
  const told = (kind: string, instance: number | null) =>
    kept.filter((line) => line.kind === kind && line.instance === instance);
  expect(told('started', 0).length).toBe(1);
  expect(told('started', 1).length).toBe(2);
  expect(told('stopped', 1).length).toBe(1);
  expect(told('stopped', 0)).toMatchObject([{ facts: { reason: 'SIGTERM' } }]);
  expect(told('reloaded', 1)).toMatchObject([
    { facts: { tookEffect: ['stratum.limits.ban'], wantsRestart: ['queue.entries'] } },
  ]);
  expect(told('reloadRefused', 1)[0]?.says).toMatch(/stay as they are: stratum\.limits\.ban/);
  expect(told('banned', 1)[0]).toMatchObject({ facts: { of: 'address', address: STRANGER } });
  expect(told('banned', 1)[0]?.says).not.toContain(STRANGER);
  const confirmed = kept.filter(({ kind }) => kind === 'blockConfirmed').map(({ facts }) => facts['hash']);
  expect(new Set(confirmed).size).toBe(confirmed.length);
  const found = new Set(told('blockFound', 0).map(({ facts }) => facts['hash']));
  expect(confirmed.filter((hash) => !found.has(hash))).toEqual([]);

  // The file of the other has the same lines as far as it was there, and each once.
  const lines = other.lines();
  const inFile = lines.map(({ key }) => key);
  expect(new Set(inFile).size).toBe(inFile.length);
  expect(kept.filter(({ instance }) => instance === 1).map(({ key }) => key)).toEqual(
    lines
      .filter(({ instance }) => instance === 1)
      .map(({ key }) => key)
      .filter((key) => keys.includes(key)),
  );
  expect(beforeRestart).toBeLessThan(lines.length);

  // And so had the stream, without addresses.
  const streamed = first.map(({ key }) => key);
  expect(new Set(streamed).size).toBe(streamed.length);
  for (const kind of [
    'nodeState',
    'blockConfirmed',
    'banned',
    'reloaded',
    'ledgerAway',
    'ledgerBack',
    'stopped',
  ])
    expect(kindsOf(first)).toContain(kind);
  expect(first.find(({ kind }) => kind === 'banned')?.facts['address']).toBe('127.0.0.x');
  expect(JSON.stringify(first)).not.toContain(STRANGER);

  await comesThroughADump(databaseUrl.toString(), folder.path, kept);
  await gate.shut();
});

function stateOfNode(bridge: TestBridge): unknown {
  return bridge.lines().findLast(({ kind }) => kind === 'nodeState')?.facts['state'];
}

/** As many wrong names as end in a ban. */
async function guess(port: number): Promise<void> {
  const rig = await WireRig.connect('tcp', port, { localAddress: STRANGER });
  await rig.request(1, 'mining.subscribe', ['guesser/1', null]);
  for (let id = 2; !rig.closed && id < 100; id++)
    await rig.request(id, 'mining.authorize', [`guess${id}.r`, 'x']).catch(() => {}); // cut off by the ban
  rig.vanish();
}

async function comesThroughADump(databaseUrl: string, folder: string, kept: readonly Shown[]): Promise<void> {
  const [file, restored] = [join(folder, 'books.dump'), await createDatabase(postgres)];
  expect((await runProgram(['ledger', 'dump', file, '--ledger-database-url', databaseUrl])).code).toBe(0);
  expect(await readFile(file, 'utf8')).toContain('"table":"event"');
  expect(
    (await runProgram(['ledger', 'restore', file, '--none-were-sent', '--ledger-database-url', restored]))
      .code,
  ).toBe(0);
  const again = await startBridge({
    ...{ folder: join(folder, 'again'), nodeUrl: 'http://127.0.0.1:1', databaseUrl: restored },
  });
  const there = await until('it has told of itself', async () => {
    const lines = await again.asked();
    return kindsOf(lines).filter((kind) => kind === 'started').length === 4 && lines;
  });
  expect(there.slice(0, kept.length)).toEqual(kept);
}

it('a full disk holds nothing up, and what waited is written when there is room', async (context) => {
  const why = await withSmallDisk(async (disk) => {
    await using folder = await temporaryFolder();
    // All of its 64 kB.
    await writeFile(join(disk, 'ballast'), Buffer.alloc(65_536));
    const bridge = await startBridge({
      ...{ folder: folder.path, nodeUrl: 'http://127.0.0.1:1', databaseUrl: await createDatabase(postgres) },
      events: join(disk, 'events'),
    });
    await until('it is said', () => bridge.program.last('event-file'));
    expect(bridge.program.last('event-file')?.msg).toMatch(/^events\.file: .* cannot be written now.*ENOSPC/);
    await until('the ledger has them', async () => (await bridge.asked()).length >= 2);
    expect(bridge.lines()).toEqual([]);
    await rm(join(disk, 'ballast'));
    const kept = await bridge.asked();
    await until('the file has them, too', () => bridge.lines().length >= kept.length);
    expect(bridge.lines().map(({ key }) => key)).toEqual(expect.arrayContaining(kept.map(({ key }) => key)));
    // The file comes before the word about it.
    await until('it is said, too', () =>
      /is written again$/.test(bridge.program.last('event-file')?.msg ?? ''),
    );
    bridge.program.kill('SIGTERM');
    expect(await bridge.program.ended).toBe(0);
  });
  if (why) context.skip(`no small disk: ${why}`);
});
