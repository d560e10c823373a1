/** The file of what rigs come back to. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keepForNext, PIECE, piecesOf, readFormer } from '../../src/assembly/rigs/former-rigs.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { halvesOf, type Nonce1 } from '../../src/core/jobs/nonce.js';
import { SILENT } from '../../src/core/names/log.js';
import { HashRateMeter } from '../../src/core/shares/hash-rate.js';
import { VARDIFF_SETTINGS } from '../../src/core/shares/vardiff.js';
import type { Difficulty } from '../../src/core/work/target.js';
import { type KeptResumable, ResumableSession } from '../../src/stratum/resume/resumable-session.js';
import { type ShareDifficulty, ShareTarget } from '../../src/stratum/resume/share-target.js';
import { temporaryFolder } from '../helpers/folder.js';
import { makeWork } from '../helpers/rigs/works.js';

const NOW_MS = 1_800_000_000_000;

function resumableOf(shareTarget: ShareTarget, book: JobBook): ResumableSession {
  const resumable = new ResumableSession('192.0.2.1', shareTarget);
  resumable.lease = { nonce1: 7 as Nonce1, group: 1 };
  resumable.token = 'secret';
  resumable.logins = [{ account: 'ä"\u0000', rig: '' }];
  for (const parent of [1, 2]) resumable.issue(book.add(makeWork({ parent }), 'node'), 0);
  resumable.credit(2 ** 40, 1e20, NOW_MS - 5_000_000, NOW_MS - 3_000_000);
  resumable.credit(3 * 2 ** 40, 5, NOW_MS, NOW_MS - 10);
  resumable.refuse('stale');
  return resumable;
}

const KINDS: readonly [string, ShareTarget][] = [
  ...(['vardiff', 'block', 1000n as Difficulty] as ShareDifficulty[]).map((mode): [string, ShareTarget] => [
    String(mode),
    new ShareTarget(mode, VARDIFF_SETTINGS, NOW_MS),
  ]),
  ['chosen', new ShareTarget('vardiff', VARDIFF_SETTINGS, NOW_MS, { difficulty: 1e9, isKnown: true }, 1e9)],
  ['ordered', ShareTarget.ordered(5n as Difficulty, VARDIFF_SETTINGS, NOW_MS)],
];

const BEGINNING = '{"version":2,"at":"2026-01-01T00:00:00.000Z"}\n';

const ADDRESSES = {
  goodRigs: [['192.0.2.1', [500, 1]]],
  histories: [['a.r at 192.0.2.1', [1, 2], [3, 4], [5, 6]]],
} as const;

describe('resumable-sessions.json', () => {
  it.each(KINDS)(
    'holds all of a resumable session, and is for nobody else to read: %s',
    async (_kind, shareTarget) => {
      await using folder = await temporaryFolder();
      const book = new JobBook(0x10);
      const resumable = resumableOf(shareTarget, book);
      const [job] = book.liveJobs;
      if (job) book.reserve(job, halvesOf(2n ** 64n - 1n));
      const kept = resumable.kept(60_000, NOW_MS) as KeptResumable;
      const start = {
        jobs: book.kept,
        rigs: { resumableSessions: [kept], difficulties: [['a.r at 1', 5.5]] as const, addresses: ADDRESSES },
      };
      await keepForNext(folder.path, start, SILENT);
      const path = join(folder.path, 'resumable-sessions.json');
      expect((await stat(path)).mode & 0o777).toBe(0o600);

      const read = await readFormer(folder.path, SILENT);
      expect(read?.jobs).toEqual(start.jobs);
      expect(read?.rigs).toEqual(start.rigs);
      const again = ResumableSession.of(read?.rigs.resumableSessions[0] ?? expect.fail(), 0, NOW_MS);
      expect(again.kept(60_000, NOW_MS)).toEqual(kept);
      expect(again.shareTarget.own).toEqual(shareTarget.own);
      expect(again.shareTarget.orderedDifficulty).toBe(shareTarget.orderedDifficulty);
      await read?.used();
      expect(await readFormer(folder.path, SILENT)).toBe(undefined);
    },
  );

  it('ST6: is written and read a piece at a time, and the process does other things between two of them', async () => {
    await using folder = await temporaryFolder();
    const book = new JobBook(0x10);
    const resumable = resumableOf(new ShareTarget('vardiff', VARDIFF_SETTINGS, NOW_MS), book);
    for (let i = 0; i < 100; i++) {
      resumable.shareTarget = new ShareTarget(BigInt(i + 1), VARDIFF_SETTINGS, NOW_MS);
      resumable.issue(book.add(makeWork({ parent: i }), 'node'), 0);
    }
    const job = book.liveJobs.at(-1) ?? expect.fail();
    for (let i = 0n; i < 10_000n; i++) book.reserve(job, halvesOf(i));
    const kept = resumable.kept(60_000, NOW_MS) as KeptResumable;
    const resumableSessions = Array.from({ length: 200 }, (_, i) => ({ ...kept, token: `secret ${i}` }));
    const rigs = { resumableSessions, difficulties: [['a.r at 1', 5.5]] as const, addresses: ADDRESSES };
    const start = { jobs: book.kept, rigs };

    const pieces = Array.from(piecesOf(start), (piece) => piece.length);
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces)).toBeLessThan(2 * PIECE);

    let turns = 0;
    let immediate = setImmediate(function again() {
      turns++;
      immediate = setImmediate(again);
    });
    const turnsOf = async <T>(work: Promise<T>): Promise<[T, number]> => {
      const before = turns;
      return [await work, turns - before];
    };
    const [, atStop] = await turnsOf(keepForNext(folder.path, start, SILENT));
    const [read, atStart] = await turnsOf(readFormer(folder.path, SILENT));
    clearImmediate(immediate);
    expect(atStop).toBeGreaterThanOrEqual(pieces.length);
    expect(atStart).toBeGreaterThanOrEqual(pieces.length);
    expect(read?.rigs.resumableSessions.map(({ token }) => token)).toEqual(
      resumableSessions.map(({ token }) => token),
    );
    expect(read?.rigs.resumableSessions.at(-1)).toEqual(resumableSessions.at(-1));
    expect(Buffer.concat(read?.jobs.jobs.map(({ nonces }) => nonces) ?? [])).toEqual(
      Buffer.concat(start.jobs.jobs.map(({ nonces }) => nonces)),
    );
  });

  it.each([
    ['no JSON', '{'],
    ['of another version', '{"version":1}'],
    ['larger than it ever is', ''],
    ['of lines that are none of its own', `${BEGINNING}{"tenant":{}}\n`],
    ['cut in the middle', `${BEGINNING}{"tenure":{"leavesInMs":5`],
  ])('is set aside when it is %s, and nothing stops', async (_what, text) => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'resumable-sessions.json'), text);
    const told: string[] = [];
    const log = { ...SILENT, warn: (_fields: object, words: string) => void told.push(words) };
    expect(await readFormer(folder.path, log)).toBe(undefined);
    expect(told).toEqual([expect.stringContaining('is set aside')]);
    expect(await readdir(folder.path)).toEqual(['resumable-sessions.json.damaged']);
    expect(await readFile(join(folder.path, 'resumable-sessions.json.damaged'), 'utf8')).toBe(text);
  });

  it('is not needed for a stop: a folder that takes no file is told', async () => {
    const told: string[] = [];
    const log = { ...SILENT, warn: (_fields: object, words: string) => void told.push(words) };
    const start = {
      jobs: { works: [], jobs: [] },
      rigs: { resumableSessions: [], difficulties: [], addresses: ADDRESSES },
    };
    await keepForNext('/nowhere', start, log);
    expect(told).toEqual([expect.stringContaining('cannot be written down')]);
  });
});

describe('a meter that goes on', () => {
  it('shows what it would have shown', () => {
    const meter = new HashRateMeter(NOW_MS - 7_200_000);
    for (let ago = 7_000_000; ago > 0; ago -= 60_000) meter.add(1e12 + ago, NOW_MS - ago);
    const [laterMs, agoMs] = [NOW_MS + 40_000, 40_000];
    const again = HashRateMeter.of(meter.kept(NOW_MS), agoMs, laterMs);
    expect(again.rates(laterMs)).toEqual(meter.rates(laterMs));
  });
});
