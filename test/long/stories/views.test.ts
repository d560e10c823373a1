/** Two bridges as processes, on one ledger: who asks one sees the rigs of both, and soon no more of one that was killed. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { startProgram } from '../../helpers/processes/program.js';
import { SteadyRig } from '../../helpers/rigs/steady-rig.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const ANY = '127.0.0.1:0';

it('each shows the rigs, sessions, accounts and sums of both, and one that was killed falls out', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  await using node = startProgram(['node', '--mining', '--listen', ANY]);
  const nodeUrl = String((await node.ready())['url']);
  const placeOf = (name: string) => ['--data-dir', join(folder.path, name)];
  const serve = (name: string) =>
    startProgram([
      ...['serve', ...placeOf(name), '--node-urls', nodeUrl, '--miner-account', ACCOUNT],
      ...['--cpu-mode', 'off', '--ledger-database-url', postgres.connectionString],
      ...['--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', ANY],
      ...['--stratum-share-difficulty', '2000', '--stratum-limits-invalid-submits', '3'],
    ]);
  const ask = async (...words: string[]) => {
    const { code, stderr, text } = await runHere(words[0] ?? '', [...words.slice(1), ...placeOf('one')]);
    expect([words, code, stderr]).toEqual([words, 0, '']);
    return JSON.parse(text);
  };
  const portOf = ({ tcp }: Record<string, unknown>) => Number(String(tcp).split(':').at(-1));
  const rigsOf = async (): Promise<string[]> => {
    const rows: { rig: string; sessions: number; accepted: number }[] = await ask(
      'ctl',
      'rigs',
      '--sort',
      'name',
    );
    return rows.filter(({ accepted }) => accepted > 0).map(({ rig, sessions }) => `${rig} ${sessions}`);
  };

  await using one = serve('one');
  const ready = await one.ready();
  const here = portOf(ready);
  await using two = serve('two');
  const readyThere = await two.ready();
  const there = portOf(readyThere);
  await using attic = new SteadyRig(here, `${ACCOUNT}.attic`, 'steady/1');
  await using again = new SteadyRig(there, `${ACCOUNT}.attic`, 'steady/1');
  await using cellar = new SteadyRig(there, `${ACCOUNT}.cellar`, 'steady/1');
  expect([attic, again, cellar]).toHaveLength(3);
  await expect.poll(rigsOf).toEqual(['attic 2', 'cellar 1']);
  const sessions: { bridge: number | null; id: number; openedAt: string }[] = await ask('ctl', 'sessions');
  expect(sessions.map(({ bridge }) => bridge).sort()).toEqual([1, 1, null]);
  const [account] = await ask('ctl', 'accounts');
  expect(account).toMatchObject({ account: ACCOUNT, sessions: 3 });
  const { bridge } = await ask('status', '--json');
  expect(bridge).toMatchObject({
    instance: 0,
    sessions: 3,
    bridges: [{ sessions: 1 }, { sessions: 2, instance: 1 }],
  });
  expect(bridge.nodes).toMatchObject([{ bridge: null }, { bridge: 1 }]);

  // Orders reach the bridge that has the session.
  const told = await ask('ctl', 'message', 'all', 'hello');
  expect(told).toMatchObject({ sessions: 3, silent: [] });
  const { id, openedAt } =
    sessions.find((session) => session.bridge === 1) ?? expect.fail('none is at the other');
  const closed = await ask('ctl', 'close', `1/${id}@${openedAt}`);
  expect(closed).toEqual({ closed: { id, openedAt } });

  // Who has signed in at one is known at the other.
  const token = (await readFile(join(folder.path, 'two', 'web-admin-token'), 'utf8')).trim();
  const { headers } = await request(`${readyThere['web']}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
  const standingAtOne = async () => {
    const answer = await request(`${ready['web']}/api/v1/standing`, { headers: { cookie } });
    return answer.body.json();
  };
  await expect.poll(standingAtOne, { timeout: 60_000, interval: 1_000 }).toEqual({ standing: 'admin' });

  // What one has banned by itself is listed at the other, and taken back there.
  const bad = await WireRig.connect('tcp', there);
  await bad.request(1, 'mining.subscribe', ['bad/1']);
  await bad.request(2, 'mining.authorize', [`${ACCOUNT}.bad`, 'x']);
  for (let i = 0; i < 4; i++)
    bad.send(JSON.stringify({ id: i, method: 'mining.submit', params: [`${ACCOUNT}.bad`, 'fff', '00'] }));
  await bad.untilClosed();
  await expect.poll(() => ask('ctl', 'bans')).toMatchObject([{ by: null, kind: 'rig', bridge: 1 }]);
  const [ban] = await ask('ctl', 'bans');
  expect(await ask('ctl', 'unban', ban.id)).toMatchObject({ ban: { id: ban.id } });
  await expect.poll(() => ask('ctl', 'bans')).toEqual([]);

  two.kill('SIGKILL');
  await expect.poll(rigsOf).toEqual(['attic 1']);
  const after = await ask('status', '--json');
  expect(after.bridge).toMatchObject({ sessions: 1, bridges: [{}, { instance: 1, ageMs: null }] });
});
