/** Solutions on their way through a real log, queue and ledger, across crashes. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SolutionAnswer, SolutionState } from '../../src/bridge/ports.js';
import { SILENT } from '../../src/core/names/log.js';
import type { Solution } from '../../src/core/shares/share.js';
import { settleEarlierSolutions } from '../../src/queue/earlier-solutions.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../src/queue/share-queue.js';
import { useBooks } from '../helpers/books/books.js';
import { withTemporaryFolder } from '../helpers/books/postgres.js';
import { append, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const books = useBooks();
const NOW_MS = Date.now();
const clock = (ageMs: number) => () => NOW_MS + ageMs;
let nonce = 0n;
const found = (): Solution => makeSolution({ foundAtMs: NOW_MS }, {}, ++nonce);

const opened: ShareQueue[] = [];

async function open(dataDir: string): Promise<ShareQueue> {
  const connectionString = books.connectionString;
  const queue = await openShareQueue({
    ...{
      connection: { backend: 'postgres', connectionString },
      folder: dataDir,
      ledger: books.ledger,
      place: 'test',
    },
    ...{ log: SILENT, newLogId: randomUUID },
    limits: { ...SHARE_QUEUE_LIMITS, shipMs: 20, renewMs: 50, keepMs: 0 },
  });
  opened.push(queue);
  return queue;
}

async function shut(queue: ShareQueue): Promise<void> {
  opened.splice(opened.indexOf(queue), 1);
  await queue.close();
}

async function withRecorder(use: () => Promise<void>): Promise<void> {
  const { connectionString } = books;
  const connection = { backend: 'postgres', connectionString } as const;
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  try {
    await use();
  } finally {
    await Promise.all(opened.splice(0).map((queue) => queue.close()));
    await recorder.close();
  }
}

/** In the books, with the block where there is one. */
async function stateOf({ powHash }: Solution): Promise<string | undefined> {
  const { rows } = await books.pool.query<{ state: SolutionState; block: string | null }>(
    'SELECT said AS state, state AS block FROM block WHERE pow_hash = $1',
    [powHash],
  );
  return rows[0] && `${rows[0].state} ${rows[0].block ?? ''}`.trim();
}

const isIn = (solution: Solution, state: string) =>
  expect.poll(() => stateOf(solution), { timeout: 30_000 }).toBe(state);

function settle(shares: ShareQueue, answer: () => SolutionAnswer, nowMs = clock(60_000)) {
  const posted: string[] = [];
  const settled: string[] = [];
  const closing = new AbortController();
  const postSolution = async (node: string): Promise<SolutionAnswer> => {
    posted.push(node);
    return answer();
  };
  const done = settleEarlierSolutions({
    ...{ shares, sink: { postSolution }, nowMs, log: SILENT, signal: closing.signal, retryMs: 1 },
    onSettled: (_solution, state) => void settled.push(state),
  });
  return { done, posted, settled, closing };
}

describe('a solution in the log', () => {
  it('comes into the books with what its node said, and waits there as a block', () =>
    withTemporaryFolder((dataDir) =>
      withRecorder(async () => {
        const queue = await open(dataDir);
        const [taken, refused] = [found(), found()];
        await queue.recordSolution(taken, 'found', '');
        await isIn(taken, 'found');
        await queue.recordSolution(taken, 'received', '');
        await isIn(taken, 'received pending');
        await queue.recordSolution(refused, 'found', '');
        await queue.recordSolution(refused, 'refused', '400 no');
        await isIn(refused, 'refused');
      }),
    ));

  it('LQ3: is there with its last word, whatever was away while both came', () =>
    withTemporaryFolder(async (dataDir) => {
      const solution = found();
      const queue = await open(dataDir);
      await Promise.all([
        queue.recordSolution(solution, 'found', ''),
        queue.recordSolution(solution, 'received', ''),
      ]);
      await withRecorder(() => isIn(solution, 'received pending'));
    }));

  it('gets its slot when its own log is booked up to it, and the first open one where that is closed by then', () =>
    withTemporaryFolder(async () => {
      const log = randomUUID();
      const { job, header, powHash, account, rig } = found();
      const solution = { node: job.node, header, powHash, blockDifficulty: 1_000n, account, rig };
      const entry = (number: number, watermarkMs: number) => ({
        ...{
          id: { log: log, number },
          watermarkMs,
          ends: false,
          total: { shares: 0, work: 0n },
          sums: [],
        },
        solutions:
          number === 2
            ? [
                {
                  solution: { ...solution, foundAtMs: NOW_MS - 60_000 },
                  log,
                  state: 'received' as const,
                  detail: '',
                },
              ]
            : [],
      });
      const slot = async () => {
        const { rows } = await books.pool.query<{ at: number | null }>(
          'SELECT extract(epoch FROM slot)::float8 AS at FROM block WHERE log = $1',
          [log],
        );
        return rows[0]?.at;
      };
      await books.ledger.recordEntry(entry(2, NOW_MS - 55_000));
      expect(await slot()).toBeNull();
      // Others went on without this log.
      const closed = Math.floor(NOW_MS / 10_000) * 10 - 20;
      await books.pool.query('UPDATE settlement SET closed_until = to_timestamp($1)', [closed]);
      await books.ledger.recordEntry(entry(1, NOW_MS - 70_000));
      expect(await slot()).toBe(closed);
    }));
});

describe('a solution of an earlier start', () => {
  /** A run that is killed between found and answered. */
  async function crashed(dataDir: string, solution: Solution): Promise<void> {
    const queue = await open(dataDir);
    await queue.announced;
    await append(queue, makeShare());
    await queue.recordSolution(solution, 'found', '');
    await shut(queue);
  }

  it.each<[string, SolutionAnswer, string]>([
    ['is taken now', { outcome: 'received' }, 'received pending'],
    [
      'was taken before the crash, it seems',
      { outcome: 'refused', status: 404, text: 'No associated Payload' },
      'perhaps pending',
    ],
    ['is refused', { outcome: 'refused', status: 400, text: 'no' }, 'refused'],
  ])('is posted again, and %s; what tells of it stays on the disk until then', (_words, answer, state) =>
    withTemporaryFolder((dataDir) =>
      withRecorder(async () => {
        const solution = found();
        await crashed(dataDir, solution);
        await isIn(solution, 'found');
        // Booked, and yet it is known to the start after the next one.
        const idle = await open(dataDir);
        await idle.announced;
        await shut(idle);
        const next = await open(dataDir);
        const { done, posted, settled } = settle(next, () => answer);
        await done;
        expect(posted).toEqual(['http://node']);
        expect(settled).toEqual([state.split(' ')[0]]);
        await isIn(solution, state);
        const segments = async (): Promise<string[]> =>
          (await readdir(join(dataDir, 'shares'))).filter((name) => name.endsWith('.shares'));
        await expect.poll(async () => (await segments()).length).toBe(1);
        expect((await open(dataDir)).earlierSolutions.filter((word) => word.state === 'found')).toEqual([]);
      }),
    ),
  );

  it.each([
    ['comes back', 3, 'received'],
    ['stays away while the work can be known', Number.POSITIVE_INFINITY, 'lost'],
  ] as const)('is posted again until its node %s', (_words, awayFor, state) =>
    withTemporaryFolder(async (dataDir) => {
      await crashed(dataDir, found());
      const next = await open(dataDir);
      let posts = 0;
      const answer = (): SolutionAnswer =>
        ++posts > awayFor ? { outcome: 'received' } : { outcome: 'unanswered', error: new Error('away') };
      const { done, settled } = settle(next, answer, () => NOW_MS + posts * 30_000);
      await done;
      // It was found when its last cut was made, a moment after it.
      expect([Math.min(awayFor + 1, 11), Math.min(awayFor + 1, 12)]).toContain(posts);
      expect(settled).toEqual([state]);
      await shut(next);
    }),
  );

  it('is left for the next start where this one ends before, and is not posted where no node can know it any more', () =>
    withTemporaryFolder(async (dataDir) => {
      await crashed(dataDir, found());
      const next = await open(dataDir);
      const { done, closing } = settle(
        next,
        () => ({ outcome: 'unanswered', error: new Error('away') }),
        clock(1),
      );
      closing.abort();
      await done;
      await shut(next);
      const last = await open(dataDir);
      expect(last.earlierSolutions.map((word) => word.state)).toEqual(['found']);
      const late = settle(last, () => expect.fail('it was posted'), clock(3_600_000));
      await late.done;
      expect(late.settled).toEqual(['lost']);
      await shut(last);
    }));
});
