/** `ledger payout key` as its user has it: the built command as a process, its passphrase by a descriptor, a credential or a terminal. */
import { spawn } from 'node:child_process';
import { appendFile, chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openKeyFile } from '../../../src/payouts/signer/key-file.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { MAIN } from '../../helpers/processes/program.js';
import { noTerminals, startOnTerminal } from '../../helpers/processes/pty.js';
import { until } from '../../helpers/until.js';

const WORDS = 'correct horse battery';
const OTHER = 'staple of another kind';

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param given what is behind descriptors 3, 4 and so on. */
async function key(words: readonly string[], given: readonly string[] = [], env = {}): Promise<Said> {
  const child = spawn(process.execPath, [MAIN, 'ledger', 'payout', 'key', ...words], {
    stdio: ['ignore', 'pipe', 'pipe', ...given.map(() => 'pipe' as const)],
    env: { ...process.env, ...env },
  });
  for (const [i, text] of given.entries()) {
    const pipe = child.stdio[3 + i] as Writable;
    // Who refuses before it reads closes the pipe.
    pipe.on('error', () => {});
    pipe.end(text);
  }
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (data) => (stdout += data));
  child.stderr?.on('data', (data) => (stderr += data));
  const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? -1)));
  return { code, stdout, stderr };
}

const opens = (path: string, words?: string): Promise<unknown> =>
  openKeyFile(path, words === undefined ? undefined : async () => Buffer.from(words));

describe('ledger payout key new', () => {
  it('makes a key and its log for nobody else, and prints the account alone', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    const { code, stdout, stderr } = await key(['new', '--file', file]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        account: expect.stringMatching(/^k:[0-9a-f]{64}$/),
        publicKey: expect.any(String),
        file,
        hasPassphrase: false,
        log: join(folder.path, 'payouts.signer-log'),
      },
    ]);
    const { secretKey } = JSON.parse(await readFile(file, 'utf8'));
    expect(stdout + stderr).not.toContain(secretKey);
    expect(stderr).toContain('The file has no passphrase: whoever reads it can pay');
    for (const name of await readdir(folder.path))
      expect((await stat(join(folder.path, name))).mode & 0o777, name).toBe(0o600);
    expect(await readdir(folder.path)).toEqual(['payouts.key', 'payouts.signer-log']);
  });

  it('seals it with a passphrase from a descriptor or a credential', async () => {
    await using folder = await temporaryFolder();
    const [one, two] = [join(folder.path, 'one.key'), join(folder.path, 'two.key')];
    expect((await key(['new', '--file', one, '--passphrase', 'fd:3'], [`${WORDS}\n`])).code).toBe(0);
    await opens(one, WORDS);
    await writeFile(join(folder.path, 'secret'), WORDS);
    const env = { CREDENTIALS_DIRECTORY: folder.path };
    expect((await key(['new', '--file', two, '--passphrase', 'credential:secret'], [], env)).code).toBe(0);
    await opens(two, WORDS);
  });

  it('writes over nothing, and takes no log of another key', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    await key(['new', '--file', file]);
    const before = await readFile(file);
    const again = await key(['new', '--file', file]);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('is there already, and nothing is written over it'),
    ]);
    expect(await readFile(file)).toEqual(before);
    await rm(file);
    const left = await key(['new', '--file', file]);
    expect([left.code, left.stderr]).toEqual([
      1,
      expect.stringContaining('payouts.signer-log is there already, without its key'),
    ]);
    expect(await readdir(folder.path)).toEqual(['payouts.signer-log']);
  });

  it('refuses what is wrong with a sentence, and no passphrase stands in it', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    const refused: readonly [readonly string[], string[], number, string][] = [
      [['new'], [], 2, 'name the key file: --file payouts.key'],
      [['new', '--file', file, '--passphrase', WORDS], [], 2, 'says where the passphrase is, and not'],
      [['new', '--file', file, '--passphrase', 'fd:3'], ['short'], 1, 'at least 8 bytes'],
      [['new', '--file', file, '--passphrase', 'fd:3'], [''], 1, 'is empty'],
      [['new', '--file', file, '--passphrase', 'prompt'], [], 1, 'there is no terminal'],
      [['new', '--file', join(folder.path, 'none', 'a.key')], [], 1, 'is not there, or its folder is not'],
      [['check', '--file', file], [], 1, 'is not there'],
    ];
    for (const [words, given, code, says] of refused) {
      const said = await key(words, given);
      expect([words, said.code, said.stderr]).toEqual([words, code, expect.stringContaining(says)]);
      expect(said.stderr).not.toContain(WORDS);
    }
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('ledger payout key check', () => {
  it('opens it, and says its account, owner, mode and log', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    const made = JSON.parse((await key(['new', '--file', file, '--passphrase', 'fd:3'], [WORDS])).stdout);
    const { code, stdout } = await key(['check', '--file', file, '--passphrase', 'fd:3'], [WORDS]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        ...made,
        ...{
          owner: expect.any(String),
          mode: '0600',
          logIs: 'whole',
          payments: 0,
          lastDay: '0.000000000000',
        },
      },
    ]);
    const wrong = await key(['check', '--file', file, '--passphrase', 'fd:3'], [OTHER]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('has another passphrase')]);
    const none = await key(['check', '--file', file]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--passphrase fd:3')]);
  });

  it('says what is wrong with file and log', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    const log = join(folder.path, 'payouts.signer-log');
    await key(['new', '--file', file]);
    await appendFile(log, '{"signed":"made up"} 0123456789abcdef\n');
    const damaged = await key(['check', '--file', file]);
    expect([damaged.code, JSON.parse(damaged.stdout).logIs]).toEqual([1, 'unusable']);
    expect(damaged.stderr).toContain('is damaged: line 2');
    await rm(log);
    const missing = await key(['check', '--file', file]);
    expect([missing.code, JSON.parse(missing.stdout).logIs]).toEqual([1, 'missing']);
    expect(missing.stderr).toContain('Without its log the key signs nothing');
    await chmod(file, 0o640);
    const open = await key(['check', '--file', file]);
    expect([open.code, open.stderr]).toEqual([1, expect.stringContaining('chmod 600 it')]);
  });
});

describe('ledger payout key passwd', () => {
  it('changes it, and takes it away', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    await key(['new', '--file', file, '--passphrase', 'fd:3'], [WORDS]);
    const both = ['--passphrase', 'fd:3', '--new-passphrase', 'fd:4'];
    expect((await key(['passwd', '--file', file, ...both], [WORDS, OTHER])).code).toBe(0);
    await opens(file, OTHER);
    expect((await key(['passwd', '--file', file, ...both], [WORDS, 'never taken'])).code).toBe(1);
    await opens(file, OTHER);
    const none = ['--passphrase', 'fd:3', '--new-passphrase', 'none'];
    expect((await key(['passwd', '--file', file, ...none], [OTHER])).stdout).toContain(
      '"hasPassphrase": false',
    );
    await opens(file);
    const unsaid = await key(['passwd', '--file', file]);
    expect([unsaid.code, unsaid.stderr]).toEqual([2, expect.stringContaining('--new-passphrase fd:3')]);
  });
});

describe.skipIf(noTerminals)('on a terminal', () => {
  const onTerminal = (...words: string[]) =>
    startOnTerminal([100, 30], [process.execPath, MAIN, 'ledger', 'payout', 'key', ...words]);
  const shows = (terminal: ReturnType<typeof onTerminal>, text: string, times = 1) =>
    until(text, () => terminal.emulator.rows().join('\n').split(text).length > times);

  it('a new passphrase is asked for twice and never shown, and a key that opens tells about itself', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    await using making = onTerminal('new', '--file', file, '--passphrase', 'prompt');
    await shows(making, 'new passphrase:');
    making.type(WORDS);
    await shows(making, 'the same again:');
    making.type(WORDS);
    expect(await making.ended).toBe(0);
    const seen = making.emulator.rows().join('\n');
    expect(seen).toMatch(/account +k:[0-9a-f]{64}/);
    expect(seen).not.toContain(WORDS);
    await opens(file, WORDS);
    await using looking = onTerminal('check', '--file', file);
    await shows(looking, 'passphrase:');
    looking.type(WORDS);
    expect(await looking.ended).toBe(0);
    expect(looking.emulator.rows().join('\n')).toMatch(/mode +0600\n.*\nlog is +whole/);
  });

  it('two that differ make no key', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'payouts.key');
    await using making = onTerminal('new', '--file', file, '--passphrase', 'prompt');
    await shows(making, 'new passphrase:');
    making.type(WORDS);
    await shows(making, 'the same again:');
    making.type(OTHER);
    expect(await making.ended).toBe(1);
    expect(making.emulator.rows().join('\n')).toContain('the two passphrases differ');
    expect(await readdir(folder.path)).toEqual([]);
  });
});
