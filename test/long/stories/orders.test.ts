/** Two bridges as processes, on one ledger: what `ctl` orders of one, rigs of the other meet. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { runHere } from '../../helpers/processes/command.js';
import { startProgram } from '../../helpers/processes/program.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const LOGIN = `${ACCOUNT}.attic`;
const ANY = '127.0.0.1:0';

it('a ban that one bridge is told ends the session at the other; the other takes it back, and a start later neither has it', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  await using node = startProgram(['node', '--mining', '--listen', ANY]);
  const nodeUrl = String((await node.ready())['url']);
  const placeOf = (name: string) => ['--data-dir', join(folder.path, name)];
  const serve = (name: string) =>
    startProgram([
      ...['serve', ...placeOf(name), '--node-urls', nodeUrl, '--miner-account', ACCOUNT],
      ...['--cpu-mode', 'off', '--ledger-database-url', postgres.connectionString],
      ...['--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', 'off'],
    ]);
  const ctl = async (name: string, ...words: string[]) => {
    const { code, stderr, text } = await runHere('ctl', [...words, ...placeOf(name)]);
    expect([words, code, stderr]).toEqual([words, 0, '']);
    return JSON.parse(text);
  };
  const log = async (port: number): Promise<{ rig: WireRig; answer: unknown }> => {
    const rig = await WireRig.connect('tcp', port);
    await rig.request(1, 'mining.subscribe', ['asic/1']);
    const { result, error } = await rig.request(2, 'mining.authorize', [LOGIN, 'x']);
    return { rig, answer: result === true || error?.[1] };
  };

  await using one = serve('one');
  await using two = serve('two');
  await one.ready();
  const port = Number(
    String((await two.ready())['tcp'])
      .split(':')
      .at(-1),
  );
  const { rig, answer } = await log(port);
  expect(answer).toBe(true);
  const { ban, closed } = await ctl('one', 'ban', 'login', LOGIN, '--reason', 'dust');
  expect(closed).toBe(0);
  await rig.untilClosed();
  expect(await ctl('two', 'bans')).toEqual([ban]);
  const again = await log(port);
  expect(again.answer).toBe('banned: dust');
  again.rig.close();

  await one[Symbol.asyncDispose]();
  await ctl('two', 'unban', ban.id);
  // It has the ban in its file, and hears that it is taken back.
  await using back = serve('one');
  await back.ready();
  await expect.poll(() => ctl('one', 'bans')).toEqual([]);
});
