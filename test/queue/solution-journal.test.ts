import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SolutionAnswer, SolutionBook, SolutionState } from '../../src/bridge/ports.js';
import { toHex } from '../../src/core/bytes/bytes.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { openSolutionJournal } from '../../src/queue/solutions/solution-journal.js';
import { withTemporaryFolder } from '../helpers/books/postgres.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const FOUND_MS = makeSolution().foundAtMs;
const clock = (ageMs: number) => () => FOUND_MS + ageMs;

/** A ledger that can be told to be away. */
function makeBook(): SolutionBook & { away: boolean; states: Map<string, SolutionState[]> } {
  const states = new Map<string, SolutionState[]>();
  return {
    away: false,
    states,
    async writeSolution(solution, state) {
      if (this.away) throw new Error('the ledger is away');
      const key = toHex(solution.powHash);
      states.set(key, [...(states.get(key) ?? []), state]);
    },
  };
}

/** A run that ended between found and answered. */
async function crash(dataDir: string, book: SolutionBook, solution = makeSolution()): Promise<void> {
  const journal = await openSolutionJournal({ dataDir, book, log: SILENT });
  await journal.recordSolution(solution, 'found', '');
  await journal.close();
}

function sayingLog(): { log: Log; said: string[] } {
  const said: string[] = [];
  const say = (_fields: object, message: string): void => void said.push(message);
  return { said, log: { ...SILENT, warn: say, error: say } };
}

describe('solution journal', () => {
  it('N3: reads a node of an earlier version by its name, without credentials', () =>
    withTemporaryFolder(async (dataDir) => {
      await crash(dataDir, makeBook());
      const path = join(dataDir, 'solutions', (await readdir(join(dataDir, 'solutions')))[0] ?? '');
      const text = await readFile(path, 'utf8');
      const node = 'http://ops:100%sure@node:1848';
      await writeFile(path, JSON.stringify({ ...JSON.parse(text), node }));
      const written: string[] = [];
      const book = { writeSolution: async ({ node: name }: { node: string }) => void written.push(name) };
      const journal = await openSolutionJournal({ dataDir, book, log: SILENT });
      const posted: string[] = [];
      const postSolution = async (name: string): Promise<SolutionAnswer> => {
        posted.push(name);
        return { outcome: 'received' };
      };
      await journal.resume({ postSolution }, clock(0));
      await journal.close();
      expect(new Set([...posted, ...written])).toEqual(new Set(['http://node:1848']));
      expect(written.length).toBeGreaterThan(0);
    }));

  it('keeps a solution on disk until the ledger has its last word', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      const journal = await openSolutionJournal({ dataDir, book, log: SILENT });
      const solution = makeSolution();
      await journal.recordSolution(solution, 'found', '');
      expect(await readdir(join(dataDir, 'solutions'))).toEqual([`${toHex(solution.powHash)}.json`]);
      await journal.recordSolution(solution, 'received', '');
      expect(await readdir(join(dataDir, 'solutions'))).toEqual([]);
      expect(Array.from(book.states.values())).toEqual([['found', 'received']]);
      await journal.close();
    }));

  it('tells the ledger when it is back', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      book.away = true;
      const journal = await openSolutionJournal({ dataDir, book, log: SILENT, retryMs: 10 });
      await journal.recordSolution(makeSolution(), 'found', '');
      await journal.recordSolution(makeSolution(), 'refused', '400 no');
      book.away = false;
      await expect.poll(() => Array.from(book.states.values())).toEqual([['refused']]);
      await expect.poll(() => readdir(join(dataDir, 'solutions'))).toEqual([]);
      await journal.close();
    }));

  it.each<[string, SolutionAnswer, SolutionState]>([
    ['is taken now', { outcome: 'received' }, 'received'],
    [
      'was taken before the crash, it seems',
      { outcome: 'refused', status: 404, text: 'No associated Payload' },
      'perhaps',
    ],
    ['is refused', { outcome: 'refused', status: 400, text: 'no' }, 'refused'],
  ])('posts a solution after a crash, which %s', (_words, answer, state) =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      const solution = makeSolution();
      await crash(dataDir, book, solution);
      const next = await openSolutionJournal({ dataDir, book, log: SILENT });
      const posted: [string, Uint8Array][] = [];
      const postSolution = async (node: string, header: Uint8Array): Promise<SolutionAnswer> => {
        posted.push([node, header]);
        return answer;
      };
      await next.resume({ postSolution }, clock(60_000));
      expect(posted).toEqual([['http://node', Uint8Array.from(solution.header)]]);
      expect(book.states.get(toHex(solution.powHash))?.at(-1)).toBe(state);
      await next.close();
      expect(await readdir(join(dataDir, 'solutions'))).toEqual([]);
    }),
  );

  it.each([
    ['comes back', 3, 'received'],
    ['stays away while the work can be known', Number.POSITIVE_INFINITY, 'lost'],
  ] as const)('posts a solution after a crash again until its node %s', (_words, awayFor, state) =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      await crash(dataDir, book);
      const next = await openSolutionJournal({ dataDir, book, log: SILENT, retryMs: 1 });
      let posts = 0;
      const postSolution = async (): Promise<SolutionAnswer> =>
        ++posts > awayFor ? { outcome: 'received' } : { outcome: 'unanswered', error: new Error('away') };
      await next.resume({ postSolution }, () => FOUND_MS + posts * 30_000);
      expect(posts).toBe(Math.min(awayFor + 1, 11));
      expect(Array.from(book.states.values()).at(-1)?.at(-1)).toBe(state);
      await next.close();
    }),
  );

  it('leaves what it could not post for the next start when it ends before', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      await crash(dataDir, book);
      const next = await openSolutionJournal({ dataDir, book, log: SILENT });
      const away: SolutionAnswer = { outcome: 'unanswered', error: new Error('away') };
      const resuming = next.resume({ postSolution: async () => away }, clock(1));
      await next.close();
      await resuming;
      const last = await openSolutionJournal({ dataDir, book, log: SILENT });
      await last.resume({ postSolution: async () => ({ outcome: 'received' }) }, clock(1));
      expect(Array.from(book.states.values()).at(-1)?.at(-1)).toBe('received');
      await last.close();
    }));

  it('does not post what no node can know any more', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      await crash(dataDir, book);
      const next = await openSolutionJournal({ dataDir, book, log: SILENT });
      const postSolution = async (): Promise<SolutionAnswer> => expect.fail('it was posted');
      await next.resume({ postSolution }, clock(3_600_000));
      expect(Array.from(book.states.values()).at(-1)?.at(-1)).toBe('lost');
      await next.close();
    }));

  it('X2: tells the ledger what the disk does not take, and names the disk', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      const { log, said } = sayingLog();
      const journal = await openSolutionJournal({ dataDir, book, log, retryMs: 10 });
      await rm(join(dataDir, 'solutions'), { recursive: true });
      await journal.recordSolution(makeSolution(), 'found', '');
      await journal.recordSolution(makeSolution(), 'received', '');
      expect(Array.from(book.states.values())).toEqual([['found', 'received']]);
      expect(said.join()).toContain('cannot be written to disk');
      expect(said.join()).not.toContain('the ledger does not take');
      await journal.close();
    }));

  it('X2: tries disk and ledger again when neither takes a solution, until one does', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      const folder = join(dataDir, 'solutions');
      const journal = await openSolutionJournal({ dataDir, book, log: SILENT, retryMs: 10 });
      book.away = true;
      await rm(folder, { recursive: true });
      await expect(journal.recordSolution(makeSolution(), 'found', '')).rejects.toThrow(
        /neither disk nor ledger/,
      );
      await journal.recordSolution(makeSolution(), 'received', '');
      await mkdir(folder);
      await expect.poll(() => readdir(folder)).toEqual([`${toHex(makeSolution().powHash)}.json`]);
      book.away = false;
      await expect.poll(() => Array.from(book.states.values())).toEqual([['received']]);
      await expect.poll(() => readdir(folder)).toEqual([]);
      await journal.close();
    }));

  it('X2: writes the last word to disk while the ledger keeps silent about the first', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      let speak = (): void => {};
      const speaks = new Promise<void>((resolve) => {
        speak = resolve;
      });
      const silent: SolutionBook = {
        writeSolution: async (solution, state, detail) => {
          await speaks;
          await book.writeSolution(solution, state, detail);
        },
      };
      const journal = await openSolutionJournal({ dataDir, book: silent, log: SILENT, retryMs: 10 });
      const folder = join(dataDir, 'solutions');
      const stateOnDisk = async (): Promise<string> => {
        const [name = ''] = await readdir(folder);
        return (JSON.parse(await readFile(join(folder, name), 'utf8')) as { state: string }).state;
      };
      const records = [
        journal.recordSolution(makeSolution(), 'found', ''),
        journal.recordSolution(makeSolution(), 'received', ''),
      ];
      await expect.poll(stateOnDisk).toBe('received');
      speak();
      await Promise.all(records);
      expect(Array.from(book.states.values())[0]).toContain('received');
      expect(await readdir(folder)).toEqual([]);
      await journal.close();
    }));

  it('X2: removes at its start what a full disk left half written', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'solutions');
      await mkdir(folder);
      await writeFile(join(folder, 'ab.json.new'), '');
      await (await openSolutionJournal({ dataDir, book: makeBook(), log: SILENT })).close();
      expect(await readdir(folder)).toEqual([]);
    }));

  it.skipIf(process.platform === 'win32')('A10: lets nobody else look into its folder', () =>
    withTemporaryFolder(async (dataDir) => {
      const folder = join(dataDir, 'solutions');
      await mkdir(folder, { mode: 0o755 });
      await (await openSolutionJournal({ dataDir, book: makeBook(), log: SILENT })).close();
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
    }),
  );

  it('leaves a file that it cannot read where it is, and says so', () =>
    withTemporaryFolder(async (dataDir) => {
      const book = makeBook();
      await (await openSolutionJournal({ dataDir, book, log: SILENT })).close();
      await writeFile(join(dataDir, 'solutions/ab.json'), '{"v":1');
      const said: string[] = [];
      const log = { ...SILENT, error: (_fields: object, message: string) => said.push(message) };
      await (await openSolutionJournal({ dataDir, book, log })).close();
      expect(said).toEqual(['a journalled solution cannot be read; its file stays']);
      expect(await readdir(join(dataDir, 'solutions'))).toEqual(['ab.json']);
    }));
});
