/** `alerts test` and `alerts list` through the real command line. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { AlertReceiver } from '../helpers/alerts/alert-receiver.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runProgram } from '../helpers/processes/program.js';

const SECRET = 'a-secret-of-sixteen-or-more';

async function prepare() {
  const folder = await temporaryFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const receiver = await AlertReceiver.open(SECRET);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const file = join(folder.path, 'settings.yaml');
  const hook = { name: 'ops', type: 'webhook', url: `${receiver.url}/hook`, secret: SECRET };
  const chat = { name: 'chat', type: 'discord', url: `${receiver.url}/api/webhooks/T0ken` };
  const run = async (targets: object, ...args: string[]) => {
    await writeFile(file, stringify({ alerts: { targets } }));
    return runProgram(['alerts', 'test', '--config', file, ...args]);
  };
  return { folder: folder.path, receiver, hook, chat, run };
}

describe('alerts test', () => {
  it('sends a notice to each target, and says that it was taken', async () => {
    const { receiver, hook, chat, run } = await prepare();
    const { code, text } = await run([hook, chat]);
    expect([code, text.split('\n')]).toEqual([0, ['ops (webhook) took it', 'chat (discord) took it']]);
    const paths = receiver.received.map(({ path, isSigned }) => [path, isSigned]).sort();
    expect(paths).toEqual([
      ['/api/webhooks/T0ken', false],
      ['/hook', true],
    ]);
    expect(receiver.received.find(({ path }) => path === '/hook')?.told).toMatchObject({
      what: 'happened',
      alert: { says: expect.stringContaining('nothing is wrong') },
    });
  });

  it('says which did not take it and why, without a secret, and ends with 1', async () => {
    const { receiver, hook, chat, run } = await prepare();
    receiver.answer = (response, { path }) =>
      response.writeHead(path === '/hook' ? 204 : 404).end(`no ${path}`);
    const { code, text } = await run([hook, chat]);
    expect(code).toBe(1);
    expect(text).toContain('chat (discord) did not take it: answered 404: no /***');
    expect(text).not.toContain('T0ken');
    const one = await run([hook, chat], '--target', 'ops');
    expect([one.code, one.text]).toEqual([0, 'ops (webhook) took it']);
  });

  it('teaches what is missing', async () => {
    const { hook, run } = await prepare();
    const none = await run([]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('alerts.targets is empty')]);
    const other = await run([hook], '--target', 'nobody');
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining('--target nobody is none of alerts.targets: ops'),
    ]);
    const faulty = await run([{ ...hook, url: 'ftp://S3cret' }]);
    expect(faulty.code).toBe(2);
    expect(faulty.stderr).toContain(
      'has a fault in target 1: url is none that begins with https:// or http://',
    );
    expect(faulty.stderr).not.toContain('S3cret');
  });

  it('takes targets from a variable, and from the file that one names', async () => {
    const { folder, hook, receiver } = await prepare();
    const json = JSON.stringify([hook]);
    const given = await runProgram(['alerts', 'test'], { STRATUM_BRIDGE_ALERTS_TARGETS: json }, folder);
    await writeFile(join(folder, 'targets.json'), json);
    const named = await runProgram(
      ['alerts', 'test'],
      { STRATUM_BRIDGE_ALERTS_TARGETS_FILE: 'targets.json' },
      folder,
    );
    expect([given.code, named.code, receiver.received.length]).toEqual([0, 0, 2]);
  });
});

describe('alerts list', () => {
  it('needs books, and says where it looked', async () => {
    const { folder } = await prepare();
    const { code, stderr } = await runProgram(['alerts', 'list', '--data-dir', join(folder, 'none')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('there are no books in')]);
  });
});
