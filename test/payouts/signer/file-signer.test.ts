/** The built-in signer: what it signs, what it refuses, and what its log keeps it from. */
import {
  appendFile,
  chmod,
  copyFile,
  mkdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSignedBy } from '../../../src/chain/transfers/envelope.js';
import type { SignOutcome } from '../../../src/payouts/signer/signer.js';
import { checkSignerLog, openSignerLog, signerLogOf } from '../../../src/payouts/signer/signer-log.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { fillDisk, withSmallDisk } from '../../helpers/processes/small-disk.js';
import { ALICE, BOB, CAROL, coins, keyIn, NOW_MS, openSigner, requestFor } from './requests.js';

const whyOf = (outcome: SignOutcome | undefined): string =>
  outcome?.is === 'refused' || outcome?.is === 'failed' ? `${outcome.is}: ${outcome.why}` : `${outcome?.is}`;

describe('the built-in signer', () => {
  it('signs the one transfer that is asked for, and the same one again', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const signer = await openSigner(keyFile);
    const request = requestFor(31);
    const [first] = await signer.sign([request]);
    expect(first).toEqual({
      is: 'signed',
      signatures: [{ pubKey: ALICE.key, sig: expect.any(String) }],
      envelope: { cmd: request.cmd, hash: request.requestKey, sigs: [{ sig: expect.any(String) }] },
    });
    if (first?.is !== 'signed') return;
    expect(isSignedBy(request.cmd, ALICE.key, first.envelope.sigs[0]?.sig ?? '')).toBe(true);
    const size = (await stat(signerLogOf(keyFile))).size;
    expect(await signer.sign([request, request])).toEqual([first, first]);
    expect((await stat(signerLogOf(keyFile))).size).toBe(size);
    await signer.close();
    const again = await openSigner(keyFile);
    expect(await again.sign([request])).toEqual([first]);
    await again.close();
  });

  it.each([
    [
      'pays from',
      requestFor(1, {
        from: { account: BOB.account, publicKeys: [BOB.key], predicate: 'keys-all' },
        to: CAROL.account,
      }),
    ],
    ['for network mainnet01', requestFor(1, { networkId: 'mainnet01' })],
    ['pays 50.000000000001, and the limit of one is 50.0', requestFor(1, { amount: '50.000000000001' })],
    [
      'its gas may cost 0.0101, and the limit is 0.01',
      requestFor(1, { gasLimit: 10_000, gasPrice: 1_000_000n + 10_000n }),
    ],
    ['asked for as amount 2', { ...requestFor(1), amount: 2n }],
    ['asked for as payment 2', { ...requestFor(1), paymentId: '2' }],
    ['asked for as chain 2', { ...requestFor(1), chainId: 2 }],
    ['asked for as request key', { ...requestFor(1), requestKey: requestFor(2).requestKey }],
    ['the command is no JSON object', { ...requestFor(1), cmd: 'x' }],
    [
      'signed for everything',
      { ...requestFor(1), cmd: requestFor(1).cmd.replace(/"clist":\[.*?\}\]\}\]/, '"clist":[]}]') },
    ],
  ])('refuses: %s', async (why, request) => {
    await using folder = await temporaryFolder();
    const signer = await openSigner(await keyIn(folder.path), { line: coins('50') });
    const [outcome] = await signer.sign([request]);
    expect(whyOf(outcome)).toMatch(new RegExp(`^refused: .*${why}`));
    // Nothing of it counts.
    expect((await signer.sign([requestFor(1)])).map(({ is }) => is)).toEqual(['signed']);
    await signer.close();
  });

  it('of an account of several keys signs its part', async () => {
    await using folder = await temporaryFolder();
    const from = { account: 'joint', publicKeys: [BOB.key, ALICE.key], predicate: 'keys-all' };
    const signer = await openSigner(await keyIn(folder.path), { account: 'joint' });
    const [outcome, other] = await signer.sign([
      requestFor(1, { from, to: CAROL.account }),
      requestFor(2, { from: { ...from, publicKeys: [BOB.key, CAROL.key] } }),
    ]);
    expect(outcome).toEqual({
      is: 'partial',
      signatures: [{ pubKey: ALICE.key, sig: expect.any(String) }],
      missing: [BOB.key],
    });
    expect(whyOf(other)).toMatch(/^refused: its signers are/);
    await signer.close();
  });

  it('refuses a second command of a payment until the first is marked dead, also when it is opened anew', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const [first, second, third] = [1, 2, 3].map((attempt) =>
      requestFor(31, { attempt, ttlS: 900 + attempt }),
    );
    if (!first || !second || !third) return;
    let signer = await openSigner(keyFile);
    const anew = async (): Promise<void> => {
      await signer.close();
      signer = await openSigner(keyFile);
    };
    const ask = async (...all: (typeof first)[]): Promise<string[]> => (await signer.sign(all)).map(whyOf);
    expect(await ask(first, second)).toEqual(['signed', expect.stringContaining('beside this one')]);
    await anew();
    expect(await ask(second)).toEqual([expect.stringContaining('that is not dead (attempt 1')]);
    const evidence = 'expired: block 120 of chain 0 is past its time, and 30 payloads are without it';
    const dead = { requestKey: first.requestKey, evidence };
    // Twice at once, and again: it dies once. What was never seen here is nothing.
    await signer.markDead([dead, { requestKey: requestFor(77).requestKey, evidence }, dead]);
    await signer.markDead([dead]);
    await anew();
    expect(await ask(first)).toEqual(['refused: this command of payment 31 is dead']);
    expect(await ask(requestFor(31, { attempt: 1, ttlS: 1000 }))).toEqual([
      expect.stringContaining('past attempt 1'),
    ]);
    expect(await ask(second, requestFor(32))).toEqual(['signed', 'signed']);
    expect(await ask(third)).toEqual([expect.stringContaining('that is not dead (attempt 2')]);
    // That the first is dead says nothing of the second.
    await signer.markDead([dead]);
    expect(await ask(third)).toEqual([expect.stringContaining('that is not dead (attempt 2')]);
    expect(await readFile(signerLogOf(keyFile), 'utf8')).toContain('30 payloads are without it');
    await anew();
    expect(await ask(first)).toEqual(['refused: this command of payment 31 is dead']);
    await signer.close();
  });

  it('signs no more than its sum in any 24 hours, over midnight, what is dead counted too (32)', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    let nowMs = Date.parse('2026-11-23T23:00:00Z');
    const options = { day: coins('10'), nowMs: () => nowMs };
    let signer = await openSigner(keyFile, options);
    const ask = async (...all: ReturnType<typeof requestFor>[]): Promise<string[]> =>
      (await signer.sign(all)).map(whyOf);
    expect(await ask(requestFor(1, { amount: '6' }))).toEqual(['signed']);
    await signer.markDead([{ requestKey: requestFor(1, { amount: '6' }).requestKey, evidence: 'expired' }]);
    nowMs += 2 * 3_600_000;
    expect(await ask(requestFor(2, { amount: '4' }), requestFor(3, { amount: '0.000000000001' }))).toEqual([
      'signed',
      'refused: with these 0.000000000001 it would have signed 10.000000000001 in 24 hours, and its limit is 10.0',
    ]);
    await signer.close();
    nowMs = Date.parse('2026-11-24T22:59:59.999Z');
    signer = await openSigner(keyFile, options);
    expect(await ask(requestFor(4, { amount: '6' }))).toEqual([expect.stringContaining('refused')]);
    nowMs += 1;
    expect(await ask(requestFor(4, { amount: '6' }))).toEqual(['signed']);
    await signer.close();
  });

  it('counts what it signed on, when its clock was ahead for a while', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const DAY_MS = 86_400_000;
    let nowMs = NOW_MS;
    const options = { day: coins('10'), nowMs: () => nowMs };
    let signer = await openSigner(keyFile, options);
    const ask = async (id: number, amount: string): Promise<string> =>
      (await signer.sign([requestFor(id, { amount })])).map(({ is }) => is).join();
    expect(await ask(1, '6')).toBe('signed');
    nowMs = NOW_MS + 9 * DAY_MS;
    expect([await ask(2, '10.1'), await ask(3, '3')]).toEqual(['refused', 'signed']);
    for (const isAnew of [false, true]) {
      if (isAnew) {
        await signer.close();
        signer = await openSigner(keyFile, options);
      }
      nowMs = NOW_MS + 1;
      // What it signed in the future counts until then.
      expect([isAnew, await ask(4, '1.1')]).toEqual([isAnew, 'refused']);
    }
    expect(await ask(5, '1')).toBe('signed');
    nowMs = NOW_MS + DAY_MS;
    expect([await ask(6, '6.1'), await ask(7, '6')]).toEqual(['refused', 'signed']);
    nowMs = NOW_MS + 10 * DAY_MS;
    expect(await ask(8, '10')).toBe('signed');
    await signer.close();
  });

  it('is given up before anything is written', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const signer = await openSigner(keyFile);
    const before = await readFile(signerLogOf(keyFile));
    expect((await signer.sign([requestFor(1)], AbortSignal.abort())).map(whyOf)).toEqual([
      'failed: it was given up',
    ]);
    expect(await readFile(signerLogOf(keyFile))).toEqual(before);
    await signer.close();
  });
});

describe('a copied database (25)', () => {
  /** Two bridges that both believe to be the payer make commands of the same payments at other times. */
  const ofBridge = (number: number) =>
    [31, 32, 33].map((id) => requestFor(id, { creationTimeS: 1_700_000_000 + number }));

  it('with one signer log pays each payment once, whoever asks first', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const first = await openSigner(keyFile);
    await expect(openSigner(keyFile)).rejects.toThrow('is in use');
    const [one, two] = [ofBridge(1), ofBridge(2)];
    const mixed = [one[0], two[1], two[0], one[1], one[2]].filter((each) => each !== undefined);
    const outcomes = await first.sign(mixed);
    await first.close();
    const second = await openSigner(keyFile);
    const later = await second.sign([...two, ...one]);
    await second.close();
    expect(outcomes.map(({ is }) => is)).toEqual(['signed', 'signed', 'refused', 'refused', 'signed']);
    expect(later.map(({ is }) => is)).toEqual([
      'refused',
      'signed',
      'refused',
      'signed',
      'refused',
      'signed',
    ]);
    const signed = [...outcomes, ...later].flatMap((each) =>
      each.is === 'signed' ? [each.envelope.hash] : [],
    );
    expect(new Set(signed).size).toBe(3);
  });

  it('with two signer logs is bounded by the sum of each, and each pays each payment once', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const copy = join(folder.path, 'copy', 'payouts.key');
    await mkdir(dirname(copy));
    await copyFile(keyFile, copy);
    await copyFile(signerLogOf(keyFile), signerLogOf(copy));
    const signed: string[] = [];
    for (const [i, file] of [keyFile, copy].entries()) {
      const signer = await openSigner(file, { day: coins('3') });
      for (const requests of [ofBridge(i), ofBridge(i + 5)])
        for (const outcome of await signer.sign(requests))
          if (outcome.is === 'signed') signed.push(outcome.envelope.hash);
      await signer.close();
    }
    // Two of 1.5 by each: what two logs cannot know of each other, the chain's side has to see.
    expect([signed.length, new Set(signed).size]).toEqual([4, 4]);
  });

  it('a key without its log signs nothing', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    await rm(signerLogOf(keyFile));
    await expect(openSigner(keyFile)).rejects.toMatchObject({ code: 'no-file' });
  });
});

describe('the signer log', () => {
  const open = (path: string, more: object = {}) =>
    openSignerLog(path, { publicKey: ALICE.key, nowMs: () => NOW_MS, ...more });
  const paymentsIn = async (path: string) => (await checkSignerLog(path, ALICE.key, NOW_MS)).payments;

  it('goes on behind a torn last line, whose signature nobody has', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const path = signerLogOf(keyFile);
    const signer = await openSigner(keyFile);
    await signer.sign([requestFor(1)]);
    const whole = (await readFile(path)).length;
    await signer.sign([requestFor(2)]);
    await signer.close();
    const full = await readFile(path);
    for (let length = whole; length < full.length; length += 7) {
      await writeFile(path, full.subarray(0, length));
      const log = await open(path);
      await log.close();
      expect([length, await paymentsIn(path)]).toEqual([length, 1]);
      expect((await stat(path)).size).toBe(whole);
    }
    const after = await openSigner(keyFile);
    expect((await after.sign([requestFor(2, { ttlS: 901 })])).map(({ is }) => is)).toEqual(['signed']);
    await after.close();
  });

  it('is refused where any byte of it is another, a line is gone or twice there, or it is of another key', async () => {
    await using folder = await temporaryFolder();
    const keyFile = await keyIn(folder.path);
    const path = signerLogOf(keyFile);
    const signer = await openSigner(keyFile);
    await signer.sign([requestFor(1), requestFor(2)]);
    await signer.markDead([{ requestKey: requestFor(1).requestKey, evidence: 'expired' }]);
    await signer.close();
    const whole = await readFile(path, 'utf8');
    const [head = '', one = '', two = '', dead = ''] = whole.split('\n');
    const altered = Array.from({ length: Math.floor(whole.length / 5) }, (_, i) => 5 * i)
      .filter((at) => whole[at] !== '\n')
      .map((at) => `${whole.slice(0, at)}${whole[at] === '7' ? '8' : '7'}${whole.slice(at + 1)}`);
    const moved = [
      [head, two, one, dead],
      [head, two, dead],
      [one, two, dead],
      [head, one, one, two, dead],
      [''],
    ];
    for (const text of [...altered, ...moved.map((lines) => `${lines.join('\n')}\n`), '']) {
      await writeFile(path, text);
      await expect(open(path), text).rejects.toMatchObject({ code: 'bad-file' });
    }
    await writeFile(path, whole);
    await expect(open(path, { publicKey: BOB.key })).rejects.toThrow('is of another key');
    await appendFile(path, `${'x'.repeat(9000)}`);
    await expect(open(path)).rejects.toThrow('is too long');
    await truncate(path, whole.length);
    expect(await paymentsIn(path)).toBe(2);
    await (await open(path)).close();
  });

  it('that others may read or write is refused', async () => {
    await using folder = await temporaryFolder();
    const path = signerLogOf(await keyIn(folder.path));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    for (const mode of [0o640, 0o602]) {
      await chmod(path, mode);
      await expect(open(path)).rejects.toMatchObject({ code: 'no-permission' });
    }
  });

  it('on a full disk signs nothing, keeps no half of a line, and goes on when there is room (27)', async () => {
    const reason = await withSmallDisk(async (disk) => {
      const keyFile = await keyIn(disk);
      const signer = await openSigner(keyFile);
      expect((await signer.sign([requestFor(1)])).map(({ is }) => is)).toEqual(['signed']);
      const many = Array.from({ length: 40 }, (_, i) => requestFor(100 + i));
      const size = (await stat(signerLogOf(keyFile))).size;
      const makeRoom = await fillDisk(disk);
      // What is left of the last page takes a few lines.
      const outcomes = await signer.sign(many);
      expect(outcomes.map(whyOf)).toEqual(many.map(() => expect.stringMatching(/^failed: .*no space left/)));
      expect((await stat(signerLogOf(keyFile))).size).toBe(size);
      expect((await signer.sign([requestFor(1)])).map(({ is }) => is)).toEqual(['signed']);
      await makeRoom();
      expect((await signer.sign(many.slice(0, 3))).map(({ is }) => is)).toEqual([
        'signed',
        'signed',
        'signed',
      ]);
      await signer.close();
      const again = await openSigner(keyFile);
      expect((await again.sign([requestFor(100, { ttlS: 901 })])).map(({ is }) => is)).toEqual(['refused']);
      await again.close();
    });
    if (reason !== undefined)
      process.stderr.write(`LEFT OUT: a signer log on a full disk, because ${reason}\n`);
  });

  it('that is full takes nothing new, and what it holds is signed again', async () => {
    await using folder = await temporaryFolder();
    const path = signerLogOf(await keyIn(folder.path));
    for (const isAnew of [false, true]) {
      const log = await open(path, { most: 3 });
      const ask = async (...all: Parameters<typeof log.append>[0]) =>
        (await log.append(all)).map((each) => ('why' in each ? `${each.is}: ${each.why}` : each.is));
      const full = expect.stringMatching(
        /^failed: the signer log holds 3 commands and takes no more: make a/,
      );
      if (!isAnew) {
        expect(await ask(requestFor(9), requestFor(1))).toEqual(['new', 'new']);
        await log.markDead([{ requestKey: requestFor(1).requestKey, evidence: 'expired' }]);
      }
      // What is dead is held too.
      const second = requestFor(1, { attempt: 2 });
      expect(await ask(second, requestFor(3))).toEqual([isAnew ? 'known' : 'new', full]);
      expect(await ask(requestFor(4), second, requestFor(9))).toEqual([full, 'known', 'known']);
      await log.close();
    }
  });
});
