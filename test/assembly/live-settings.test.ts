/** Settings that are changed while rigs are connected, as they show on the wire. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as secureConnect, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { alone } from '../../src/assembly/machine.js';
import { limitsFrom } from '../../src/assembly/rigs/limits.js';
import { rigSettingsFrom } from '../../src/assembly/rigs/rig-settings.js';
import { makeRigs } from '../../src/assembly/rigs/rigs.js';
import { JobRoller } from '../../src/bridge/job-roller.js';
import { CloseStack } from '../../src/cli/service/stop.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { difficultyOf, type Target, targetFromHexBigEndian } from '../../src/core/work/target.js';
import { LIMIT_PROFILES, STRATUM_LIMITS, type StratumLimits } from '../../src/stratum/admission/limits.js';
import { makeSelfSigned } from '../../src/tls/self-signed.js';
import { temporaryFolder } from '../helpers/folder.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { loadConfig } from '../helpers/stories/load-config.js';
import { startTestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const HERE = ['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', '127.0.0.1:0'];
const HARD = { difficulty: 1n << 200n };

const load = (flags: readonly string[]) => loadConfig(BRIDGE_SETTINGS, { argv: [...HERE, ...flags] }).config;

/** The rigs' side as a bridge has it, with works given by hand; its clock moves when it is told to. */
async function startRigs(...flags: string[]) {
  const bridge = await startTestBridge({ nonceSpace: new NonceSpace(60_000) });
  const time = { nowMs: 1_000_000 };
  const clock = { nowMs: () => time.nowMs };
  const open = new CloseStack();
  const warnings: string[] = [];
  const warn = (_fields: object, text: string): void => void warnings.push(text);
  const log: Log = { ...SILENT, warn } as Log;
  const { judge, nonceSpace: nonces, events, book, dispatcher, closings } = bridge;
  let sessions = 0;
  const mining = { judge, nonces, clock, nextSessionId: () => ++sessions };
  const jobs = new JobRoller(book, clock);
  const site = { config: load(flags), folder: '', log, open, events, machine: alone() };
  const { server, listen, applyLive } = await makeRigs(site, mining, { jobs });
  await listen();
  for (const sink of [jobs, server.jobs]) dispatcher.addSink(sink);
  const rigs: WireRig[] = [];
  const port = (name: string): number => server.addresses[name]?.port ?? 0;
  const connect = async (transport: 'tcp' | 'ws' = 'tcp'): Promise<WireRig> => {
    const rig = await WireRig.connect(transport, port(transport));
    rigs.push(rig);
    return rig;
  };
  return {
    offer: () => bridge.offer(HARD),
    server,
    closings,
    warnings,
    port,
    connect,
    /** Subscribed, and authorized as this. */
    async rig(login: string, password = 'x', resume: string | null = null): Promise<WireRig> {
      const rig = await connect();
      await rig.request(1, 'mining.subscribe', ['test/1', resume]);
      expect((await rig.request(2, 'mining.authorize', [login, password])).result).toBe(true);
      return rig;
    },
    /** Time passes, and what is due by it is done. */
    pass(ms: number): void {
      time.nowMs += ms;
    },
    change: (...changed: string[]) => applyLive(load(changed)),
    /** Of the limits that no setting names too. */
    limit: (limits: Partial<StratumLimits>) =>
      server.changeRules({
        ...rigSettingsFrom(load(flags), 1_000),
        limits: { ...STRATUM_LIMITS, ...limits },
      }),
    async [Symbol.asyncDispose]() {
      for (const rig of rigs) rig.vanish();
      await open.close(SILENT);
      await bridge[Symbol.asyncDispose]();
    },
  };
}

/** Of the last target that the rig was told. */
function difficulty(rig: WireRig): number | undefined {
  const [hex] = rig.notices('mining.set_target').at(-1)?.params ?? [];
  const target = targetFromHexBigEndian(String(hex)) as Target | undefined;
  return target && Number(difficultyOf(target));
}

const untilDifficulty = (rig: WireRig, wanted: number): Promise<unknown> =>
  until(`a target of ${wanted}, not of ${difficulty(rig)}`, () => {
    const is = difficulty(rig);
    return is !== undefined && Math.abs(is / wanted - 1) < 0.001;
  });

const answerTo = async (rig: WireRig, login: string, password = 'x'): Promise<unknown> => {
  const { result, error } = await rig.request(9, 'mining.authorize', [login, password]);
  return result === true ? true : error?.[1];
};

describe('accounts that are changed', () => {
  it('are asked at once, and sessions of those who may mine no more are ended', async () => {
    const list = ['--stratum-accounts-mode', 'list', '--stratum-accounts-list'];
    await using rigs = await startRigs(...list, 'ann', '--stratum-accounts-list', 'bob');
    const [ann, bob] = [await rigs.rig('ann.1'), await rigs.rig('bob.1')];
    await ann.request(3, 'mining.configure', [[], {}]);
    expect(await rigs.change(...list, 'bob', '--stratum-accounts-list', 'c*')).toEqual([
      'stratum.accounts.list',
    ]);
    await ann.untilClosed();
    expect(rigs.closings).toEqual(['the account ann may not mine here any more']);
    expect(ann.notices('client.show_message').at(-1)?.params).toEqual(rigs.closings);
    expect(await answerTo(bob, 'carl.1')).toBe(true);
    const answers: unknown[] = [];
    void answerTo(await rigs.connect(), 'ann.1').then((answer) => answers.push(answer));
    // A refusal is answered after a while.
    await until('it is answered', () => {
      rigs.pass(1_000);
      return answers.length === 1;
    });
    expect(answers[0]).toBe('the account ann is not on the list of this bridge');
  });

  it('take a new password for who comes from then on, and leave who is there alone', async () => {
    const password = (secret: string) => [
      '--stratum-accounts-mode',
      'password',
      '--stratum-accounts-passwords',
      `ann=${secret}`,
    ];
    await using rigs = await startRigs('--stratum-accounts-mode', 'open');
    const [ann, bob] = [await rigs.rig('ann.1'), await rigs.rig('bob.1')];
    const first = await rigs.change(...password('old'));
    expect([...first].sort()).toEqual(['stratum.accounts.mode', 'stratum.accounts.passwords']);
    await bob.untilClosed();
    expect(await answerTo(await rigs.connect(), 'ann.2', 'old')).toBe(true);
    expect(await rigs.change(...password('new'))).toEqual(['stratum.accounts.passwords']);
    expect(await answerTo(await rigs.connect(), 'ann.3', 'new')).toBe(true);
    expect((await ann.request(3, 'mining.ping')).result).toBe('pong');
    expect(rigs.server.sessions).toBe(3);
  });
});

describe('limits that are changed', () => {
  const LIMIT = '--stratum-limits-connections-per-address';

  it('let in more connections, or fewer, and close none', async () => {
    await using rigs = await startRigs(LIMIT, '1');
    const first = await rigs.connect();
    await (await rigs.connect()).untilClosed();
    expect(await rigs.change(LIMIT, '2')).toEqual(['stratum.limits.connectionsPerAddress']);
    const second = await rigs.connect();
    expect((await second.request(1, 'mining.ping')).result).toBe('pong');
    await rigs.change(LIMIT, '1');
    await (await rigs.connect()).untilClosed();
    expect((await first.request(1, 'mining.ping')).result).toBe('pong');
  });

  it('are those of another profile, but for what has a value of its own', async () => {
    await using rigs = await startRigs('--stratum-limits-wrong-logins', '7');
    const own = ['--stratum-limits-wrong-logins', '7', '--stratum-limits-ban', '5m'];
    expect(await rigs.change('--stratum-limits-profile', 'home', ...own)).toEqual([
      'stratum.limits.profile',
      'stratum.limits.ban',
    ]);
    expect(limitsFrom(load(['--stratum-limits-profile', 'home', ...own]))).toEqual({
      ...LIMIT_PROFILES.home,
      ...{ wrongLogins: 7, banMs: 300_000 },
    });
    expect(
      await rigs.change('--stratum-limits-profile', 'home', '--stratum-limits-wrong-logins', '7'),
    ).toEqual(['stratum.limits.ban']);
    expect(limitsFrom(load(['--stratum-limits-profile', 'public']))).toEqual(LIMIT_PROFILES.public);
    expect(limitsFrom(load([]))).toEqual(LIMIT_PROFILES.farm);
  });

  it('hold for the budget of a session that is there', async () => {
    await using rigs = await startRigs();
    const budget = (n: number) => rigs.limit({ messagesPerSecond: n, messageBurst: n });
    budget(2);
    const rig = await rigs.rig('a.r');
    const submit = async (id: number): Promise<unknown> =>
      (await rig.request(id, 'mining.submit', ['a.r', '1', '000000000000'])).error?.slice(0, 2);
    expect(await submit(3)).toEqual([20, 'more than 2 messages a second: ask for a higher difficulty']);
    budget(5);
    rigs.pass(1000);
    for (let id = 4; id < 9; id++) expect((await submit(id)) as unknown[]).not.toContain(20);
    expect(await submit(9)).toEqual([20, 'more than 5 messages a second: ask for a higher difficulty']);
  });

  it('end a session that is there by a timeout that became shorter', async () => {
    await using rigs = await startRigs();
    const rig = await rigs.connect();
    await rig.request(1, 'mining.subscribe', ['test/1', null]);
    rigs.limit({ authorizeTimeoutMs: 100 });
    rigs.pass(200);
    await rig.untilClosed();
    expect(rigs.closings).toEqual(['no good authorize came in time']);
  });

  it('hold for the door: who waits there for a turn', async () => {
    await using rigs = await startRigs();
    const turns = (n: number, connectsWaiting: number) =>
      rigs.limit({ connectsPerSecond: n, connectBurst: n, connectsWaiting });
    turns(1, 0);
    await rigs.connect();
    await (await rigs.connect()).untilClosed();
    turns(1, 5);
    const waiting = await rigs.connect();
    await until('it waits', () => rigs.server.watch.counts().waiting === 1);
    rigs.pass(1000);
    expect((await waiting.request(1, 'mining.ping')).result).toBe('pong');
    turns(3, 5);
    rigs.pass(1000);
    for (let i = 0; i < 3; i++)
      expect((await (await rigs.connect()).request(1, 'mining.ping')).result).toBe('pong');
  });

  it.each(['tcp', 'ws'] as const)('hold for the lines of connections to come: %s', async (transport) => {
    await using rigs = await startRigs();
    const long = `{"id":1,"method":"mining.ping","params":["${'x'.repeat(2000)}"]}`;
    const before = await rigs.connect(transport);
    rigs.limit({ lineBytes: 1024 });
    before.send(long);
    expect((await before.next()).result).toBe('pong');
    const after = await rigs.connect(transport);
    after.send(long);
    await after.untilClosed();
  });
});

describe('difficulties that are changed', () => {
  const vardiff = (name: string, value: number) => [`--stratum-vardiff-${name}`, String(value)];

  it('reach a rig that mines: the lowest, a fixed one, and back', async () => {
    await using rigs = await startRigs(...vardiff('start', 100_000));
    rigs.offer();
    const rig = await rigs.rig('a.r');
    await untilDifficulty(rig, 100_000);
    const taken = await rigs.change(...vardiff('start', 100_000), ...vardiff('min', 1_000_000));
    expect(taken).toEqual(['stratum.vardiff.min']);
    await untilDifficulty(rig, 1_000_000);
    expect(await rigs.change('--stratum-share-difficulty', '5e9')).toContain('stratum.shareDifficulty');
    await untilDifficulty(rig, 5e9);
    await rigs.change(...vardiff('start', 2_000_000));
    await untilDifficulty(rig, 2_000_000);
    expect(rigs.closings).toEqual([]);
  });

  it('of an agent, and of a rig that chose its own, reach them too', async () => {
    await using rigs = await startRigs(...vardiff('start', 100_000));
    rigs.offer();
    const [rig, choosy] = [await rigs.rig('a.r'), await rigs.rig('a.s', 'fd=300000')];
    await untilDifficulty(rig, 100_000);
    await untilDifficulty(choosy, 300_000);
    await rigs.change(...vardiff('start', 100_000), '--stratum-agents', 'test=700000');
    await untilDifficulty(rig, 700_000);
    await untilDifficulty(choosy, 700_000);
    await rigs.change(...vardiff('start', 100_000), ...vardiff('max', 200_000));
    await untilDifficulty(choosy, 200_000);
  });

  it('hold for a rig that was away meanwhile', async () => {
    await using rigs = await startRigs(...vardiff('start', 100_000));
    rigs.offer();
    const rig = await rigs.connect();
    const { result } = await rig.request(1, 'mining.subscribe', ['test/1', '']);
    await rig.request(2, 'mining.authorize', ['a.r', 'x']);
    await untilDifficulty(rig, 100_000);
    rig.vanish();
    await until('it is gone', () => rigs.server.resumable === 1);
    await rigs.change(...vardiff('min', 4_000_000));
    const back = await rigs.rig('a.r', 'x', String((result as unknown[])[0]));
    expect(rigs.server.resumable).toBe(0);
    await untilDifficulty(back, 4_000_000);
  });
});

describe('a certificate', () => {
  const pairs = { one: pairOf('one'), two: pairOf('two'), three: pairOf('three') };

  function pairOf(name: string) {
    return makeSelfSigned({ hosts: [name], nowMs: Date.now(), days: 2, serial: Buffer.alloc(16, 5) });
  }
  async function write(folder: string, name: string, pair: ReturnType<typeof pairOf>): Promise<string[]> {
    const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
    await writeFile(certificate, pair.certificate);
    await writeFile(key, pair.privateKey);
    return ['--stratum-tls-certificate', certificate, '--stratum-tls-key', key];
  }
  async function nameShownAt(port: number): Promise<unknown> {
    const socket: TLSSocket = secureConnect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return subject.CN;
  }

  it('is read again at once, also from other files, and stays when they are no pair', async () => {
    await using folder = await temporaryFolder();
    const first = await write(folder.path, 'a', pairs.one);
    await using rigs = await startRigs(...first);
    const shown = () => nameShownAt(rigs.port('tcp'));
    expect(await shown()).toBe('one');
    await write(folder.path, 'a', pairs.two);
    expect(await rigs.change(...first)).toEqual([]);
    expect(await shown()).toBe('two');
    const other = await write(folder.path, 'b', pairs.three);
    expect(await rigs.change(...other)).toEqual(['stratum.tls.certificate', 'stratum.tls.key']);
    expect(await shown()).toBe('three');
    const mixed = ['--stratum-tls-certificate', first[1] ?? '', '--stratum-tls-key', other[3] ?? ''];
    expect(await rigs.change(...mixed)).toEqual([]);
    expect(rigs.warnings.slice(-1)).toEqual(['the former certificate stays in force']);
    expect(await shown()).toBe('three');
  });

  it('takes a new start where there was none', async () => {
    await using folder = await temporaryFolder();
    await using rigs = await startRigs();
    expect(await rigs.change(...(await write(folder.path, 'a', pairs.one)))).toEqual([]);
  });
});

describe('ports', () => {
  const high = (listen: string, more: string) => [
    '--stratum-ports',
    `name=tcp,listen=127.0.0.1:${listen},${more}`,
  ];

  it('take other rules at once, and other addresses with a new start: by name', async () => {
    await using rigs = await startRigs(...high('0', 'start=100000'));
    rigs.offer();
    const waiting = () => rigs.warnings.filter((line) => line.startsWith('port '));
    const rig = await rigs.rig('a.r');
    await untilDifficulty(rig, 100_000);
    expect(await rigs.change(...high('0', 'fixed=5e9'))).toEqual(['stratum.ports']);
    await untilDifficulty(rig, 5e9);
    expect(waiting()).toEqual([]);
    const other = ['--stratum-ports', 'name=other,listen=127.0.0.1:0'];
    expect(await rigs.change(...high('1', 'fixed=6e10'), ...other)).toEqual([]);
    await untilDifficulty(rig, 6e10);
    expect(waiting()).toEqual([
      'port tcp requires a restart: its address or transport is another',
      'port other requires a restart: it is new',
    ]);
    expect(await rigs.change(...other)).toEqual([]);
    expect(waiting().slice(2)).toEqual([
      'port tcp requires a restart: it is gone',
      'port other requires a restart: it is new',
    ]);
    expect(await rigs.change(...high('0', 'fixed=6e10'))).toEqual(['stratum.ports']);
    expect((await rigs.rig('a.s')).closed).toBe(false);
    expect(rigs.closings).toEqual([]);
  });

  it('read PROXY headers of other balancers from then on', async () => {
    await using rigs = await startRigs();
    expect(await rigs.change('--stratum-balancers', '127.0.0.1')).toEqual(['stratum.balancers']);
    const preamble = Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.2 5000 1917\r\n');
    const rig = await WireRig.connect('tcp', rigs.port('tcp'), { preamble });
    expect((await rig.request(1, 'mining.ping')).result).toBe('pong');
    rig.vanish();
  });
});

it('names no setting that wants a new start, nor one that is in force already', async () => {
  await using rigs = await startRigs('--stratum-limits-ban', '5000ms');
  const changed = [
    '--stratum-limits-ban',
    '6000ms',
    '--stratum-origins',
    'https://a.example',
    '--work-chains',
    '3',
  ];
  expect(await rigs.change(...changed)).toEqual(['stratum.limits.ban']);
  expect(await rigs.change(...changed)).toEqual([]);
});
