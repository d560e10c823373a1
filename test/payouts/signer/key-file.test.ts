/** The key file: made, opened, refused; and nothing of the key in any word about it. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { requestKeyBytes } from '../../../src/chain/request-key.js';
import { isSignedBy } from '../../../src/chain/transfers/envelope.js';
import {
  changePassphrase,
  checkKeyFile,
  keyFacts,
  newKeyFile,
  openKeyFile,
} from '../../../src/payouts/signer/key-file.js';
import {
  passphraseFromCredential,
  passphraseFromDescriptor,
} from '../../../src/payouts/signer/passphrase.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { noTerminals, startOnTerminal } from '../../helpers/processes/pty.js';
import { fillDisk, withSmallDisk } from '../../helpers/processes/small-disk.js';

const ALICE = keyPair(1);
const aliceSeed = (): Buffer => Buffer.from(ALICE.secret);
const words = (text = 'correct horse battery'): Buffer => Buffer.from(text);
const ask = (text?: string) => async (): Promise<Buffer> => words(text);
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

async function refusalOf(done: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = (await done.then(
    () => expect.fail('it was not refused'),
    (one: unknown) => one,
  )) as Error & { code: string };
  expect(error.name).toBe('SignerError');
  return { code: error.code, message: error.message };
}

describe('a key file', () => {
  it('is made with mode 0600, whatever the mask, and never over another', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'payouts.key');
    const before = process.umask(0);
    try {
      const facts = await newKeyFile(path, undefined, aliceSeed());
      expect(facts).toEqual({ publicKey: ALICE.key, account: ALICE.account, hasPassphrase: false });
    } finally {
      process.umask(before);
    }
    const content = await readFile(path);
    expect([await modeOf(path), await refusalOf(newKeyFile(path))]).toEqual([
      0o600,
      { code: 'exists', message: expect.stringContaining('nothing is written over it') },
    ]);
    expect(await readFile(path)).toEqual(content);
    expect(await checkKeyFile(path)).toEqual(await keyFacts(path));
  });

  it('signs, and two are never the same', async () => {
    await using folder = await temporaryFolder();
    const [first, second] = [join(folder.path, 'a'), join(folder.path, 'b')];
    const [a, b] = [await newKeyFile(first), await newKeyFile(second)];
    expect(a.publicKey).not.toBe(b.publicKey);
    const key = await openKeyFile(first);
    expect(isSignedBy('x', a.publicKey, key.sign(requestKeyBytes('x')))).toBe(true);
    expect(isSignedBy('x', b.publicKey, key.sign(requestKeyBytes('x')))).toBe(false);
  });

  it('with a passphrase is opened by it alone, and the passphrase can be changed and taken off', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'payouts.key');
    const given = words();
    await newKeyFile(path, given, aliceSeed());
    expect(given.every((byte) => byte === 0)).toBe(true);
    expect(await readFile(path, 'latin1')).not.toContain(Buffer.from(ALICE.secret).toString('hex'));
    expect(await keyFacts(path)).toMatchObject({ publicKey: ALICE.key, hasPassphrase: true });
    expect((await openKeyFile(path, ask())).publicKey).toBe(ALICE.key);
    expect((await refusalOf(openKeyFile(path))).code).toBe('needs-passphrase');
    expect((await refusalOf(openKeyFile(path, ask('correct horse batterx')))).code).toBe('bad-passphrase');
    expect((await refusalOf(changePassphrase(path, ask('no'), words()))).code).toBe('bad-passphrase');
    expect((await refusalOf(changePassphrase(path, ask(), words('short')))).message).toMatch(/at least 8/);
    await changePassphrase(path, ask(), words('another one of them'));
    expect((await refusalOf(openKeyFile(path, ask()))).code).toBe('bad-passphrase');
    expect((await checkKeyFile(path, ask('another one of them'))).publicKey).toBe(ALICE.key);
    await changePassphrase(path, ask('another one of them'), undefined);
    expect([(await openKeyFile(path)).publicKey, await modeOf(path)]).toEqual([ALICE.key, 0o600]);
    expect(await readdir(folder.path)).toEqual(['payouts.key']);
  });

  it.each([0o640, 0o604, 0o620, 0o601, 0o666])('with mode %o is refused', async (mode) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'payouts.key');
    await newKeyFile(path, undefined, aliceSeed());
    await chmod(path, mode);
    const refusal = await refusalOf(openKeyFile(path));
    expect(refusal).toEqual({ code: 'no-permission', message: expect.stringContaining('chmod 600') });
    await chmod(path, 0o400);
    expect((await openKeyFile(path)).publicKey).toBe(ALICE.key);
  });

  it('that is a link, has another name, is a folder or is not there, is refused', async () => {
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    await newKeyFile(at('key'), undefined, aliceSeed());
    await symlink(at('key'), at('link'));
    await mkdir(at('folder'));
    expect((await refusalOf(openKeyFile(at('link')))).message).toContain('symbolic link');
    expect((await refusalOf(openKeyFile(at('folder')))).message).toContain('is no file');
    execFileSync('mkfifo', ['-m', '600', at('pipe')]);
    expect((await refusalOf(openKeyFile(at('pipe')))).message).toContain('is no file');
    expect((await refusalOf(openKeyFile(at('none')))).code).toBe('no-file');
    expect((await refusalOf(newKeyFile(at('no/folder')))).code).toBe('no-file');
    await link(at('key'), at('second'));
    expect((await refusalOf(openKeyFile(at('key')))).message).toContain('hard link');
    // Nor is one made through a link.
    await symlink(at('elsewhere'), at('dangling'));
    expect((await refusalOf(newKeyFile(at('dangling')))).code).toBe('exists');
    expect(await readdir(folder.path)).not.toContain('elsewhere');
  });

  it.skipIf(process.geteuid?.() !== 0)('of another user is refused', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'payouts.key');
    await newKeyFile(path, undefined, aliceSeed());
    await chown(path, 65_534, 65_534);
    expect((await refusalOf(openKeyFile(path))).message).toContain('belongs to the user 65534');
  });

  it('that was altered anywhere is refused, and no word tells of its content', async () => {
    await using folder = await temporaryFolder();
    const [path, bad] = [join(folder.path, 'payouts.key'), join(folder.path, 'bad.key')];
    await newKeyFile(path, undefined, aliceSeed());
    const secret = Buffer.from(ALICE.secret).toString('hex');
    const content = (await readFile(path, 'latin1')).trimEnd();
    expect(content).toContain(secret);
    for (let at = 0; at < content.length; at++) {
      const altered = `${content.slice(0, at)}${content[at] === '1' ? '2' : '1'}${content.slice(at + 1)}`;
      await writeFile(bad, altered, { mode: 0o600 });
      const { code, message } = await refusalOf(openKeyFile(bad));
      expect([at, code]).toEqual([at, 'bad-file']);
      expect(message).not.toMatch(/01010101/);
    }
    for (const text of ['', '{', 'null', `${content}${content}`, 'x'.repeat(5000), content.slice(0, -1)]) {
      await writeFile(bad, text, { mode: 0o600 });
      const { code, message } = await refusalOf(openKeyFile(bad));
      expect([code, message]).toEqual(['bad-file', expect.not.stringMatching(/01010101/)]);
    }
  });

  it('sealed and altered anywhere is refused', async () => {
    await using folder = await temporaryFolder();
    const [path, bad] = [join(folder.path, 'payouts.key'), join(folder.path, 'bad.key')];
    await newKeyFile(path, words(), aliceSeed());
    const content = await readFile(path, 'latin1');
    for (const part of ['publicKey":"', 'salt":"', 'iv":"', 'tag":"', 'bytes":"', '"n":', '"payoutsKey":']) {
      const at = content.indexOf(part) + part.length;
      const altered = `${content.slice(0, at)}${content[at] === '2' ? '3' : '2'}${content.slice(at + 1)}`;
      await writeFile(bad, altered, { mode: 0o600 });
      const { code } = await refusalOf(openKeyFile(bad, ask()));
      expect([part, code]).toEqual([part, expect.stringMatching(/^bad-(file|passphrase)$/)]);
    }
    // A file cannot make us use all memory.
    await writeFile(bad, content.replace('"n":131072', '"n":4294967296'), { mode: 0o600 });
    expect((await refusalOf(openKeyFile(bad, ask()))).code).toBe('bad-file');
  });

  it('that does not fit on the disk is not there (27)', async () => {
    const reason = await withSmallDisk(async (disk) => {
      const path = join(disk, 'payouts.key');
      await fillDisk(disk);
      expect((await refusalOf(newKeyFile(path))).code).toBe('broken');
      expect(await readdir(disk)).toEqual(['ballast']);
    });
    if (reason !== undefined)
      process.stderr.write(`LEFT OUT: a key file on a full disk, because ${reason}\n`);
  });
});

describe('a passphrase', () => {
  it('comes from a file descriptor, up to its end and without the line end', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'words');
    const read = async (content: string): Promise<string> => {
      await writeFile(path, content);
      const { fd } = await openRaw(path);
      return (await passphraseFromDescriptor(fd)).toString();
    };
    expect([await read('my own words\n'), await read('my own\r\n'), await read(' a\nb ')]).toEqual([
      'my own words',
      'my own',
      ' a\nb ',
    ]);
    await expect(read('')).rejects.toThrow('is empty');
    await expect(read('x'.repeat(2000))).rejects.toThrow('more than 1024');
    const closed =
      /^file descriptor 9999 cannot be read \(EBADF.*\): open it, as 9999< FILE behind the command does$/;
    await expect(passphraseFromDescriptor(9999)).rejects.toThrow(closed);
    for (const fd of [Number('words'), -1, 1.5])
      await expect(passphraseFromDescriptor(fd)).rejects.toThrow(
        'a file descriptor is a whole number from 0 on',
      );
  });

  it('comes through a pipe', async () => {
    const child = spawn('sh', ['-c', 'printf "through a pipe\\n"'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const parts: Buffer[] = [];
    for await (const part of child.stdout) parts.push(part as Buffer);
    const program = `import { passphraseFromDescriptor } from ${JSON.stringify(built('passphrase.js'))};
      console.log((await passphraseFromDescriptor(3)).toString());`;
    const out = execFileSync('sh', [
      '-c',
      `printf 'through a pipe\\n' | "$0" --input-type=module -e "$1" 3<&0`,
      process.execPath,
      program,
    ]);
    expect([out.toString(), Buffer.concat(parts).toString()]).toEqual([
      'through a pipe\n',
      'through a pipe\n',
    ]);
  });

  it('comes from a credential of systemd, by a plain name', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'payouts'), 'of the system\n');
    expect((await passphraseFromCredential(folder.path, 'payouts')).toString()).toBe('of the system');
    for (const name of ['../payouts', '', '.', 'a/b', 'none'])
      await expect(passphraseFromCredential(folder.path, name)).rejects.toThrow('redential');
    await expect(passphraseFromCredential(undefined, 'payouts')).rejects.toThrow('CREDENTIALS_DIRECTORY');
  });

  it.skipIf(noTerminals)('typed on a terminal is not shown', async () => {
    const script = fileURLToPath(
      new URL('../../../dist/test/payouts/signer/ask-passphrase.js', import.meta.url),
    );
    await using program = startOnTerminal([80, 10], [process.execPath, script]);
    await expect.poll(() => program.emulator.rows().join()).toContain('Passphrase: ');
    program.type('sea\u007fcret wörd');
    expect(await program.ended).toBe(0);
    const wanted = Buffer.from('secret wörd');
    const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
    expect(program.emulator.rows().join()).toContain(`${wanted.length} ${hash}`);
    expect(program.emulator.rows().join()).not.toMatch(/cret/);
  });

  it('is not asked for where there is no terminal', () => {
    const script = fileURLToPath(
      new URL('../../../dist/test/payouts/signer/ask-passphrase.js', import.meta.url),
    );
    const { status, stdout } = spawnSync(process.execPath, [script], { input: 'x\n', encoding: 'utf8' });
    expect([status, stdout]).toEqual([
      3,
      'SignerError: there is no terminal to ask for the passphrase: say where else it comes from: fd:3 (with 3< FILE behind the command) or credential:NAME\n',
    ]);
  });
});

const built = (name: string): string =>
  fileURLToPath(new URL(`../../../dist/src/payouts/signer/${name}`, import.meta.url));

/** A descriptor that nobody else closes. */
async function openRaw(path: string): Promise<{ fd: number }> {
  const { openSync } = await import('node:fs');
  return { fd: openSync(path, 'r') };
}
