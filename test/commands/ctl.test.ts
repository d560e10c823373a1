/** `ctl` in this process, on a real bridge's socket: what people see, and what is said of what is asked wrongly. */
import { createServer } from 'node:http';
import stringWidth from 'string-width';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { until } from '../helpers/until.js';
import { controlPlace } from '../helpers/web/control-place.js';
import { rigAs, type SteeredWeb, startSteeredWeb } from '../helpers/web/steered-web.js';

const ESCAPE = '\u202e\u2028rig';

async function startSteered() {
  const folder = await temporaryFolder();
  const control = { path: controlPlace(folder.path), failed: (why: string) => expect.fail(why) };
  const web = await startSteeredWeb({ shareDifficulty: 64n }, { control });
  onTestFinished(async () => {
    await web[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  const ctl = (words: readonly string[], columns?: number, written?: (text: string) => void) =>
    runHere(
      'ctl',
      [...words, '--data-dir', folder.path],
      {},
      columns ? { columns, ...(written ? { written } : {}) } : undefined,
    );
  return { web, ctl, dataDir: folder.path };
}

/** Lists are up to a second old. */
const later = ({ bridge }: SteeredWeb): void => {
  bridge.skewMs += 1000;
};

describe('on a terminal', () => {
  it('lists are tables that fit the window, with names from rigs that command nobody', async () => {
    const { web, ctl } = await startSteered();
    await rigAs(web.bridge, 'tcp', `${'account'.repeat(9)}.${ESCAPE}`);
    await rigAs(web.bridge, 'ws', 'a.r');
    later(web);
    for (const list of ['rigs', 'sessions', 'accounts'])
      for (const columns of [60, 80, 200]) {
        const { code, text, stderr } = await ctl([list], columns);
        // Nobody keeps books here.
        const away = 'stratum-bridge: the ledger does not answer: what only the books have is missing\n';
        expect([list, columns, code, stderr]).toEqual([list, columns, 0, list === 'accounts' ? away : '']);
        for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        expect(text).not.toContain('\u202e');
        expect(text).not.toContain('\u2028');
      }
    const { text } = await ctl(['rigs'], 200);
    expect(text).toMatch(/^login +label +state +5 minutes/);
    expect(text).toContain('\\u{202e}\\u{2028}rig');
    expect((await ctl(['sessions'], 60)).text).toMatch(/\d+@\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/);
  });

  it('orders are told in sentences', async () => {
    const { web, ctl } = await startSteered();
    const rig = await rigAs(web.bridge, 'tcp', 'a.r', true);
    const said = async (...words: string[]) => {
      const { code, text, stderr } = await ctl(words, 200);
      expect([words, code, stderr]).toEqual([words, 0, '']);
      return text;
    };
    expect(await said('message', 'all', 'tea at five')).toBe(
      'Shown by 1 of 1 session: not every rig takes messages',
    );
    expect(await said('message', 'account', 'a', 'tea')).toMatch(/^Shown by 1 of 1 session/);
    expect(await said('difficulty', 'a.r', '4k')).toMatch(
      /^a\.r is held at difficulty 4000 from its next job on; 1 session now\nIt is not written down and ends with the next restart/,
    );
    expect(await said('difficulty')).toMatch(/^login .*\na\.r +4\.00 kH/);
    expect(await said('difficulty', 'a.r', 'off')).toMatch(/^a\.r is held at no difficulty any more/);
    expect(await said('label', 'a.r', 'the \u202eloud one')).toMatch(
      /^a\.r is labelled the \\u{202e}loud one\n/,
    );
    expect(await said('label')).toMatch(/^login .*\na\.r +the \\u{202e}loud one/);
    later(web);
    expect(await said('rigs', '--q', 'LOUD')).toMatch(/^login +label .*\na\.r +the /);
    expect(await said('label', 'a.r', '')).toMatch(/^a\.r has no label any more/);
    const session = /\d+@\S+/.exec(await said('sessions'))?.[0] ?? '';
    expect(await said('message', 'session', session, 'bye')).toMatch(/^Shown by 1 of 1 session/);
    expect(await said('close', session)).toBe(`Closed session ${session.split('@')[0]}`);
    await rig.untilClosed();
    const banned = await said('ban', 'rig', 'a.r', '192.0.2.7', '--until', '2999-01-01T00:00:00Z');
    expect(banned).toMatch(
      /^Banned rig a\.r at 192\.0\.2\.7 until 2999-01-01T00:00:00\.000Z; 0 sessions closed\n/,
    );
    const id = /ctl unban (\w+)/.exec(banned)?.[1] ?? '';
    expect(await said('bans')).toContain(id);
    expect(await said('unban', id)).toMatch(/^Took back the ban of rig a\.r at 192\.0\.2\.7\n/);
    expect(await said('ban', 'account', 'b', '--for', '1h')).toMatch(/^Banned account b until 20/);
    expect(await said('ban', 'address', '192.0.2.8')).toMatch(
      /^Banned address 192\.0\.2\.8 until that is taken back; /,
    );
    expect(await said('ban', 'login', 'c.r', '--reason', 'only dust')).toMatch(/^Banned login c\.r until /);
    expect(await said('bans')).toMatch(/ c\.r .* only dust /);
    expect(await said('reload')).toBe('Read again: no setting has changed');
    await until('nobody is here', () => web.bridge.server.sessions === 0);
    expect(await said('drain', '--status')).toBe('No drain is on: rigs are let in');
    expect(await said('drain', '--over', '1h')).toMatch(/^The bridge is drained: all rigs have gone/);
    expect(await said('drain', '--cancel')).toBe('No drain is on: rigs are let in');
    expect(await said('drain', '--over', '1h', '--stop', '--detach')).toMatch(
      /^The bridge drains until .*, and the bridge stops then: nobody is let in \(ordered by ctl \(user .+\)\)/,
    );
  });

  it('a drain that is to stop the bridge is shown as rigs go, to its end', async () => {
    const { web, ctl } = await startSteered();
    const rigs = [await rigAs(web.bridge, 'tcp', 'a.r'), await rigAs(web.bridge, 'tcp', 'b.r')];
    let shown = '';
    const watched = ctl(['drain', '--over', '1h', '--stop'], 300, (text) => {
      shown = text;
    });
    await until('both are left', () => shown.includes('Sessions left: 2 of 2;'));
    expect(shown).toMatch(/The bridge drains until .*, and the bridge stops then: nobody is let in/);
    rigs[0]?.close();
    await until('one is left', () => shown.includes('Sessions left: 1 of 2;'));
    expect(shown).not.toContain('The bridge has stopped');
    await web.web.close();
    const { code, text, stderr } = await watched;
    expect([code, stderr]).toEqual([0, '']);
    expect(text).toMatch(/The bridge has stopped$/);
  });

  it('a list that is cut says so', async () => {
    const { web, ctl } = await startSteered();
    for (const login of ['a.r', 'b.r', 'c.r']) await rigAs(web.bridge, 'tcp', login);
    later(web);
    const { text, stderr } = await ctl(['sessions', '--limit', '2'], 100);
    expect(text.split('\n').filter((line) => line.includes('@'))).toHaveLength(2);
    expect(stderr).toBe('stratum-bridge: 2 of 3 are shown: --limit shows more\n');
  });
});

describe('for programs', () => {
  it('lists are what the API gives, also in many pages, and CSV has every column', async () => {
    const { web, ctl } = await startSteered();
    await rigAs(web.bridge, 'tcp', 'a.r');
    later(web);
    const rigs = JSON.parse((await ctl(['rigs'])).text);
    expect(rigs).toEqual((await web.ask('GET', '/api/v1/rigs')).body['rigs']);
    expect(JSON.parse((await ctl(['rigs', '--json', '--q', 'nobody'], 80)).text)).toEqual([]);
    for (let i = 0; i < 1100; i++)
      await web.bridge.server.operator.ban(
        { kind: 'login', account: 'x', rig: `${i}`, reason: 'dust' },
        'a test',
      );
    const bans = JSON.parse((await ctl(['bans', '--limit', '5k'])).text) as { id: string }[];
    expect(new Set(bans.map(({ id }) => id)).size).toBe(1100);
    const { text, stderr } = await ctl(['bans', '--limit', '1', '--csv']);
    expect(text.split('\r\n')[0]).toBe('id,kind,login,address,reason,until,since,by,bridge');
    expect(stderr).toContain('1 of 1100 are shown');
  });
});

describe('a drain that is to stop the bridge', () => {
  const begun = async ({ bridge }: SteeredWeb) => {
    const { watch } = bridge.server;
    await until('it drains', () => watch.drain().state === 'draining');
  };

  it('fails when it is cancelled, and tells programs how it ended', async () => {
    const { web, ctl } = await startSteered();
    await rigAs(web.bridge, 'tcp', 'a.r');
    const watched = ctl(['drain', '--over', '1h', '--stop']);
    await begun(web);
    await web.bridge.server.operator.cancelDrain({}, 'a test');
    const { code, text, stderr } = await watched;
    expect([code, stderr]).toEqual([1, 'stratum-bridge: the drain was cancelled: the bridge goes on\n']);
    expect(JSON.parse(text)).toMatchObject({ state: 'draining', stops: true, left: 1, end: 'cancelled' });
  });

  it('has ended with the bridge where that was started again before anybody looked', async () => {
    const { web, ctl } = await startSteered();
    await rigAs(web.bridge, 'tcp', 'a.r');
    const watched = ctl(['drain', '--over', '1h', '--stop']);
    await begun(web);
    web.life.startedAtMs = Date.now() + 1_000;
    await web.bridge.server.operator.cancelDrain({}, 'a test');
    const { code, text, stderr } = await watched;
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(text)).toMatchObject({ end: 'stopped' });
  });

  it('is another one when it is ordered again', async () => {
    const { web, ctl } = await startSteered();
    await rigAs(web.bridge, 'tcp', 'a.r');
    const watched = ctl(['drain', '--over', '1h', '--stop']);
    await begun(web);
    await web.bridge.server.operator.cancelDrain({}, 'a test');
    web.bridge.skewMs += 1;
    await web.bridge.server.operator.drain({ over: 3_600_000, stop: false }, 'a test');
    expect(await watched).toMatchObject({ code: 1, stderr: expect.stringContaining('was cancelled') });
    expect(web.bridge.server.watch.drain().state).toBe('draining');
  });
});

describe('what is wrong', () => {
  it.each<[string[], number, RegExp]>([
    [['close', '7'], 2, /a session is meant as `ctl sessions` names it/],
    [['close', '7@yesterday'], 2, /openedAt is a time such as/],
    [['close', '7@2026-01-01T00:00:00.000Z'], 1, /no session 7 is open/],
    [
      ['ban', 'address', 'here'],
      2,
      /^stratum-bridge: address is an IPv4 or IPv6 address, or a \/64, not "here"\n/,
    ],
    [['ban', 'account', 'a', '--until', 'tomorrow'], 2, /until is a time such as/],
    [['ban', 'account', 'a', '--for', 'long'], 2, /for is a time such as 90s, 10m or 1d, not "long"/],
    [
      ['ban', 'account', 'a', '--for', '1h', '--until', '2999-01-01T00:00:00Z'],
      2,
      /until is left out where for is given/,
    ],
    [['deny', '10.0.0.0/8', 'of'], 2, /behind the address stands nothing, or off: not "of"/],
    [['deny', 'here'], 2, /addresses is an address or prefix such as .*, not "here"/],
    [['unban', 'x'], 1, /no ban in force has the id "x"/],
    [['difficulty', 'a.r'], 2, /behind the login stands a number of expected hashes such as 4G, or off/],
    [
      ['difficulty', 'a.r', 'hard'],
      2,
      /difficulty is a number of expected hashes such as 4T or 4e12, .*not "hard"/,
    ],
    [['difficulty', 'a.r', 'off'], 1, /a\.r is held at no difficulty/],
    [['label', 'a.r'], 2, /behind the login stands a label, or an empty text that takes it away/],
    [['label', 'a.r', ''], 1, /a\.r has no label/],
    [['drain', '--stop', '--cancel'], 2, /--stop and --cancel want different things/],
    [['drain', '--cancel'], 1, /no drain is on/],
    [['message', 'all', ' '], 2, /text is a text of 1 to 500 characters, .*, not " "/],
    [['rigs', '--csv', '--json'], 2, /two forms/],
    [['rigs', '--state', 'asleep'], 2, /is none of any, online, idle, offline, banned/],
  ])('%j', async (words, code, says) => {
    const { web, ctl } = await startSteered();
    expect(await ctl(words)).toEqual({ code, text: '', stderr: expect.stringMatching(says) });
    expect(web.lines).toEqual([]);
  });

  it('is said of who answers there and is no bridge', async () => {
    await using folder = await temporaryFolder();
    const server = createServer((_request, response) => response.end('{"rigs":1}'));
    await new Promise<void>((resolve) => server.listen(controlPlace(folder.path), resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    expect(await runHere('ctl', ['rigs', '--data-dir', folder.path])).toEqual({
      ...{ code: 1, text: '' },
      stderr: expect.stringContaining('the bridge is of another version than this command'),
    });
  });
});
