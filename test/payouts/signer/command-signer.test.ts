/** A signer as a program of its own (28): the one that is shipped, and every kind that does it wrong. */
import { spawnSync } from 'node:child_process';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandSigner } from '../../../src/payouts/signer/command-signer.js';
import { newKeyFile } from '../../../src/payouts/signer/key-file.js';
import type { Signer, SignOutcome } from '../../../src/payouts/signer/signer.js';
import { newSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { ALICE, BOB, coins, keyIn, NOW_MS, openSigner, requestFor } from './requests.js';

const built = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const ODD = built('dist/test/payouts/signer/odd-signer.js');
const REFERENCE = built('config/signer.js');
const LONG_MS = 120_000;
const MOST_BYTES = 2 ** 20;

const whyOf = (outcome: SignOutcome | undefined): string =>
  outcome?.is === 'refused' || outcome?.is === 'failed' ? `${outcome.is}: ${outcome.why}` : `${outcome?.is}`;

function signerOf(
  command: readonly string[],
  limits = { timeoutMs: LONG_MS, mostBytes: MOST_BYTES },
): Signer {
  const may = { account: ALICE.account, networkId: 'development', gas: coins('0.01') };
  return commandSigner({ ...may, command: [process.execPath, ...command], publicKeys: [ALICE.key], limits });
}

/** Not one that has ended and that nobody has asked after yet. */
const lives = (pid: number): boolean => {
  const ps = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.stdout.trim() !== '' && !ps.stdout.startsWith('Z');
};

/** Asks an odd one, and then whether all that it started is gone. */
async function askOdd(
  how: string,
  { timeoutMs = LONG_MS, number = 1, requests = [requestFor(1), requestFor(2)] } = {},
): Promise<string[]> {
  await using folder = await temporaryFolder();
  const notes = join(folder.path, 'starts');
  const signer = signerOf([ODD, how, String(number), notes], { timeoutMs, mostBytes: MOST_BYTES });
  const outcomes = (await signer.sign(requests)).map(whyOf);
  await signer.close();
  // One that was ended at once may not even have begun.
  const text = await readFile(notes, 'utf8').catch(() => '');
  const pids = text.split('\n').filter(Boolean).map(Number);
  for (const pid of pids) await expect.poll(() => lives(pid)).toBe(false);
  return outcomes;
}

const both = (why: string | RegExp): unknown[] =>
  Array(2).fill(typeof why === 'string' ? why : expect.stringMatching(why));

describe('a signer command', () => {
  it('that is good signs', async () => {
    expect(await askOdd('good')).toEqual(['signed', 'signed']);
  });

  it.each(['hangs', 'deaf', 'late'])('that %s is ended, and nothing is signed', async (how) => {
    expect(await askOdd(how, { timeoutMs: 1500 })).toEqual(
      both('failed: the signer did not answer within 1500 ms'),
    );
  });

  it.each<[string, RegExp]>([
    ['dies', /^failed: the signer ended with exit code 1: out of luck$/],
    ['other-bytes', /^failed: the signer: what key .* gave is no signature of this command$/],
    ['other-command', /^failed: the signer answered for a command that it was not asked for$/],
    ['twice', /^failed: the signer answered more than once/],
    ['no-signature', /^failed: the signer says that it signed, and gave no signature$/],
    ['other-hash', /^failed: the signer signed .*, and not /],
    ['no', /^refused: the signer says: too much$/],
    ['no-key', /^refused: the signer has no key for it$/],
    ['reject', /^refused: the signer rejected it$/],
    ['error', /^failed: the signer says: the card is not in$/],
    ['babble', /^failed: the signer said more than 1048576 bytes$/],
    ['nonsense', /^failed: the signer's answer cannot be read: it is no JSON$/],
    ['shape', /^failed: the signer's answer cannot be read at responses\.0\.commandSigData\.cmd: /],
  ])('that %s is not believed', async (how, why) => {
    expect(await askOdd(how)).toEqual(both(why));
  });

  it('with the wrong key is not believed', async () => {
    expect(await askOdd('good', { number: 2 })).toEqual(
      both(/^failed: the signer: what key .* is no signature/),
    );
  });

  it('that leaves out one has signed the other', async () => {
    expect(await askOdd('some')).toEqual(['failed: the signer did not answer for this command', 'signed']);
  });

  it('that has one of two keys has signed in part', async () => {
    const from = { account: ALICE.account, publicKeys: [ALICE.key], predicate: 'keys-all' };
    const joint = { ...from, account: 'joint', publicKeys: [ALICE.key, BOB.key] };
    await using folder = await temporaryFolder();
    const may = { account: 'joint', networkId: 'development', gas: coins('0.01') };
    const command = [process.execPath, ODD, 'good', '1', join(folder.path, 'starts')];
    const signer = commandSigner({ ...may, command, publicKeys: [ALICE.key] });
    const [outcome] = await signer.sign([requestFor(1, { from: joint })]);
    await signer.close();
    const signatures = [{ pubKey: ALICE.key, sig: expect.any(String) }];
    expect(outcome).toEqual({ is: 'partial', signatures, missing: [BOB.key] });
  });

  it('that leaves a child with its output behind is answered for, and the child is gone', async () => {
    expect(await askOdd('child')).toEqual(['signed', 'signed']);
  });

  it('that is no program, is given up or is closed signs nothing', async () => {
    const none = commandSigner({
      ...{ account: ALICE.account, networkId: 'development', gas: coins('0.01'), publicKeys: [ALICE.key] },
      command: ['/no/such/program'],
    });
    expect((await none.sign([requestFor(1)])).map(whyOf)).toEqual([
      expect.stringContaining('cannot be started'),
    ]);
    await using folder = await temporaryFolder();
    const signer = signerOf([ODD, 'hangs', '1', join(folder.path, 'starts')]);
    const stop = new AbortController();
    const [first, second] = [signer.sign([requestFor(1)], stop.signal), signer.sign([requestFor(1)])];
    stop.abort();
    expect((await first).map(whyOf)).toEqual(['failed: the signer was given up']);
    await signer.close();
    expect((await second).map(whyOf)).toEqual(['failed: the signer was given up']);
  });

  it('is told nothing of our environment', async () => {
    process.env['STRATUM_BRIDGE_SECRET'] = 'x';
    const [why = ''] = await askOdd('environment').finally(() => delete process.env['STRATUM_BRIDGE_SECRET']);
    expect(why).toMatch(/PATH/);
    expect(why).not.toMatch(/SECRET|NODE_OPTIONS|VITEST/);
  });

  it('is not even asked for what is no transfer of ours', async () => {
    await using folder = await temporaryFolder();
    const notes = join(folder.path, 'starts');
    const signer = signerOf([ODD, 'good', '1', notes]);
    const outcomes = await signer.sign([
      requestFor(1, { networkId: 'mainnet01' }),
      { ...requestFor(1), amount: 1n },
    ]);
    expect(outcomes.map(({ is }) => is)).toEqual(['refused', 'refused']);
    await expect(stat(notes)).rejects.toThrow('ENOENT');
    await signer.close();
  });

  it('hears what is dead, and may not know what that is', async () => {
    await using folder = await temporaryFolder();
    const notes = join(folder.path, 'starts');
    const dead = ['a', 'b', 'c'].map((requestKey) => ({ requestKey, evidence: 'expired' }));
    const mark = (how: string) => signerOf([ODD, how, '1', notes]).markDead(dead);
    for (const how of ['good', 'empty']) await mark(how);
    await expect(mark('error')).rejects.toThrow('card is not in');
    await expect(mark('dies')).rejects.toThrow('out of luck');
    // One start for a thousand that are dead, and none for nothing.
    const starts = async () => (await readFile(notes, 'utf8')).trim().split('\n').length;
    const signer = signerOf([ODD, 'good', '1', notes]);
    await signer.markDead([]);
    expect(await starts()).toBe(4);
    await signer.markDead(
      Array.from({ length: 1001 }, (_, i) => ({ requestKey: `${i}`, evidence: 'expired' })),
    );
    expect(await starts()).toBe(6);
  });
});

describe('the reference signer', () => {
  const flags = (keyFile: string): string[] => [
    REFERENCE,
    '--key',
    keyFile,
    '--network',
    'development',
    '--line',
    '50',
    '--day',
    '60',
  ];

  it('signs, again the same, never another, and within limits of its own', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const signer = signerOf(flags(keyFile));
    const requests = [
      requestFor(1),
      requestFor(2, { amount: '50.1' }),
      requestFor(3, { amount: '50' }),
      requestFor(4, { amount: '9' }),
    ];
    const outcomes = await signer.sign(requests);
    expect(outcomes.map(whyOf)).toEqual([
      'signed',
      'refused: the signer says: it pays 50.1, and the limit of one is 50.0',
      'signed',
      'refused: the signer says: with these 9.0 it would have signed 60.5 in 24 hours, and its limit is 60.0',
    ]);
    const other = requestFor(1, { ttlS: 901, attempt: 2 });
    expect((await signer.sign([requestFor(1), other])).map(whyOf)).toEqual([
      'signed',
      expect.stringContaining('that is not dead'),
    ]);
    const dead = [requestFor(1), requestFor(3, { amount: '50' })];
    await signer.markDead(
      dead.map(({ requestKey }, i) => ({ requestKey, evidence: `expired at block ${120 + i}` })),
    );
    expect((await signer.sign([other])).map(whyOf)).toEqual(['signed']);
    expect(await readFile(signerLogOf(keyFile), 'utf8')).toMatch(
      /expired at block 120.*\n.*expired at block 121/,
    );
    await signer.close();
  });

  it('that dies after it wrote its log signs the same again (28)', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    // Its output goes nowhere: what it signed is lost, and its log has it.
    const question = JSON.stringify({ cmdSigDatas: [{ cmd: requestFor(1).cmd, sigs: [] }] });
    const lost = spawnSync('sh', ['-c', '"$0" "$@" > /dev/null', process.execPath, ...flags(keyFile)], {
      input: question,
    });
    expect(lost.status).toBe(0);
    const signer = signerOf(flags(keyFile));
    expect((await signer.sign([requestFor(1, { ttlS: 901 }), requestFor(1)])).map(({ is }) => is)).toEqual([
      'refused',
      'signed',
    ]);
    await signer.close();
  });

  it('is one with the built-in signer at the same key: only one of them signs at a time', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const own = await openSigner(keyFile);
    const signer = signerOf(flags(keyFile));
    expect((await signer.sign([requestFor(1)])).map(whyOf)).toEqual([
      expect.stringMatching(/^failed: .*is in use/),
    ]);
    await own.close();
    expect((await signer.sign([requestFor(1)])).map(whyOf)).toEqual(['signed']);
    await signer.close();
  });

  it('takes its passphrase from a descriptor', async () => {
    await using folder = await temporaryFolder();
    const [keyFile, words] = [join(folder.path, 'payouts.key'), join(folder.path, 'words')];
    await newKeyFile(keyFile, Buffer.from('the words of it'), Buffer.from(ALICE.secret));
    await newSignerLog(signerLogOf(keyFile), ALICE.key, NOW_MS);
    await writeFile(words, 'the words of it\n');
    await using opened = await open(words);
    const question = { cmdSigDatas: [{ cmd: requestFor(1).cmd, sigs: [{ pubKey: ALICE.key, sig: null }] }] };
    const run = (...more: string[]): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(process.execPath, [...flags(keyFile), ...more], {
        input: JSON.stringify(question),
        stdio: ['pipe', 'pipe', 'pipe', opened.fd],
        encoding: 'utf8',
      });
    const { stdout } = run('--passphrase-fd', '3');
    const outcome = { result: 'success', hash: requestFor(1).requestKey };
    expect(JSON.parse(stdout)).toMatchObject({ responses: [{ outcome }] });
    expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('needs its passphrase') });
  });

  it.each([
    ['x', 'the question cannot be read: it is no JSON'],
    ['{"responses":[]}', 'the question cannot be read at cmdSigDatas: '],
    ['{"cmdSigDatas":[{}]}', 'the question cannot be read at cmdSigDatas.0.cmd: '],
    ['{"cmdSigDatas":[],"dead":[{}]}', 'the question cannot be read at dead.0.requestKey: '],
    ['y'.repeat(5 * 2 ** 20), 'a question has at most'],
  ])('answers a question that is none with a sentence', async (question, why) => {
    await using folder = await temporaryFolder();
    const { stdout } = spawnSync(process.execPath, flags(await keyIn(folder.path)), {
      input: question,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual({ error: { type: 'other', msg: expect.stringContaining(why) } });
  });

  it('refuses, with a sentence, what is no transfer at all', async () => {
    await using folder = await temporaryFolder();
    const question = JSON.stringify({ cmdSigDatas: [{ cmd: '{}', sigs: [] }] });
    const { stdout } = spawnSync(process.execPath, flags(await keyIn(folder.path)), {
      input: question,
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout).responses[0].outcome).toEqual({
      result: 'failure',
      msg: 'the command has no signer',
    });
  });

  it.each([
    [[], '--key is needed'],
    [['--key', 'x', '--network', 'development', '--line', '0', '--day', '1'], 'x is not there'],
    [['--key', 'x', '--more'], 'Unknown option'],
  ])('started with %j says what is wrong', (args, why) => {
    const { status, stderr } = spawnSync(process.execPath, [REFERENCE, ...args], {
      input: '',
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining(why)]);
  });
});
