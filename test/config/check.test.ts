/** `config check`: all that is wrong at once, or a sentence that says what was looked at. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;

/** A file with this content, looked at with these words and variables behind it. */
async function check(
  content: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'bridge.yaml');
  await writeFile(path, content);
  return { path, ...(await runHere('config', ['check', path, ...words], env)) };
}

describe('config check', () => {
  it('says what it looked at where nothing is wrong, exit code 0', async () => {
    const content = `miner.account: ${ACCOUNT}\nrig: {threads: 2}\ndevnode: {blockDelay: 2s}\n`;
    const variables = { STRATUM_BRIDGE_LOG_LEVEL: 'warn' };
    const { path, code, text, stderr } = await check(content, ['--rewards-fee', '2%'], variables);
    expect([code, stderr]).toEqual([0, '']);
    expect(text).toMatch(
      /^Nothing is wrong\. Looked at each value \(\d+ by default, .*\), at what must agree/,
    );
    for (const part of [`3 from file ${path}`, '1 from flags', '1 from variables'])
      expect(text).toContain(part);
    expect(text).not.toContain('miner.account');
  });

  it('WB9: takes no command of an example for a secret', async () => {
    const target = '{name: ops, type: webhook, url: "https://ops.example/", secret: "openssl rand -hex 32"}';
    const { code, stderr } = await check(`miner.account: ${ACCOUNT}\nalerts: {targets: [${target}]}\n`);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/alerts\.targets: .*run it, and take what it prints/),
    ]);
  });

  it('WB10: warns of plain HTTP that other machines can reach', async () => {
    const listen = async (host: string) =>
      check(`miner.account: ${ACCOUNT}\n`, ['--web-listen', `${host}:1920`]);
    expect(await listen('0.0.0.0')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/web\.listen takes plain HTTP at 0\.0\.0\.0:1920/),
    });
    for (const host of ['127.0.0.1', '[::1]', 'localhost']) expect((await listen(host)).stderr).toBe('');
  });

  it('takes one process, several, or none behind a primary, and no number for all of them', async () => {
    const content = `miner.account: ${ACCOUNT}\n`;
    for (const count of ['off', '1', '2'])
      expect((await check(content, ['--processes', count])).code).toBe(0);
    const { code, stderr } = await check(content, ['--processes', '2', '--instance', '3']);
    expect(code).toBe(2);
    expect(stderr).toContain('instance: "3" (flag --instance) is the number of one bridge');
    const auto = await check(`${content}processes: auto\n`);
    expect([auto.code, auto.stderr]).toEqual([2, expect.stringContaining('processes: "auto"')]);
  });

  it('says that an account is missing, which is no fault of a file', async () => {
    const { code, text } = await check('cpu.mode: off\n');
    expect(code).toBe(0);
    expect(text).toContain('miner.account is not set: `serve` needs it, `demo` makes one.');
  });

  it('prints every problem, of values, between settings, of files and of other commands, exit code 2', async () => {
    const content = [
      `miner: {account: ${ACCOUNT}, publicKeys: [no-key]}`,
      'stratum: {tpc: 1, accounts: {mode: list}, tls: {certificate: /does/not/exist, key: /nor/this}}',
      'cpu: {threads: 5000}',
      'rig: {threads: many}',
      'devnode: {mining: maybe}',
    ];
    const { path, code, text, stderr } = await check(content.join('\n'));
    expect([code, text]).toEqual([2, '']);
    const said = [
      `stratum.tpc (file ${path}) is no setting; did you mean stratum.tcp?`,
      'miner.publicKeys: "no-key"',
      `cpu.threads: 5000 (file ${path}) is no whole number`,
      'rig.threads: "many"',
      'devnode.mining: "maybe"',
      'stratum.accounts.list: [] (default) is empty',
      'stratum.tls.certificate: "/does/not/exist"',
      'stratum.tls.key: "/nor/this"',
    ];
    for (const sentence of said) expect(stderr).toContain(`stratum-bridge: ${sentence}`);
    expect(stderr.trim().split('\n')).toHaveLength(said.length + 1);
  });

  it('says nothing of what depends on a faulty value', async () => {
    const vardiff = (min: string) => check(`stratum.vardiff: {min: ${min}, max: 1e6}\n`);
    expect((await vardiff('1e12')).stderr).toContain('is above stratum.vardiff.max');
    const { stderr } = await check('stratum.vardiff: {min: 1e19, max: none}\n');
    expect(stderr).toContain('stratum.vardiff.max: "none"');
    expect(stderr).not.toContain('is above');
  });

  it('takes the file before --config, and without one what is given otherwise', async () => {
    const { code, stderr } = await check('cpu.mode: off\n', ['--config', '/does/not/exist']);
    expect([code, stderr]).toEqual([0, '']);
    const gone = await runHere('config', ['check', '/does/not/exist']);
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('there is no file /does/not/exist: is the path right?');
    const flags = await runHere('config', ['check', '--stratum-accounts-mode', 'list']);
    expect([flags.code, flags.stderr]).toEqual([
      2,
      expect.stringContaining('stratum.accounts.list: [] (default)'),
    ]);
  });
});
