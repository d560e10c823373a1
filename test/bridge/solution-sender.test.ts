import { describe, expect, it } from 'vitest';
import { DeadWorks } from '../../src/bridge/dead-works.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import type { SolutionAnswer } from '../../src/bridge/ports.js';
import { SolutionSender } from '../../src/bridge/solution-sender.js';
import { type Job, JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { hashSubmit, type Solution } from '../../src/core/shares/share.js';
import { makeWork } from '../helpers/rigs/works.js';
import { PATIENCE_MS } from '../helpers/until.js';

const RECEIVED: SolutionAnswer = { outcome: 'received' };
const LOST: SolutionAnswer = { outcome: 'unanswered', error: new Error('connection reset') };
const FORGOTTEN: SolutionAnswer = { outcome: 'refused', status: 404, text: 'No associated Payload' };

/** A sender whose node answers as scripted, and what became of each solution. */
function setUp(script: SolutionAnswer[], waits: number[] = [], untilBooked = Promise.resolve()) {
  const book = new JobBook(1);
  const events = createBridgeEvents();
  const told: string[] = [];
  const posted: bigint[] = [];
  events.on('solutionFound', (solution) => told.push(`found ${solution.nonce}`));
  events.on('solutionSettled', (solution, state) => told.push(`${state} ${solution.nonce}`));
  events.on('solutionSuperseded', (solution) => told.push(`superseded ${solution.nonce}`));
  const rows: string[] = [];
  let refreshed = 0;
  const sender = new SolutionSender({
    sink: {
      async postSolution(_node, header) {
        posted.push(new DataView(header.buffer, header.byteOffset).getBigUint64(278, true));
        return script.shift() ?? RECEIVED;
      },
    },
    solutions: {
      async recordSolution(solution, state) {
        rows.push(`${state} ${solution.nonce}`);
        await untilBooked;
      },
    },
    isLive: ({ id }) => book.find(id).state === 'live',
    deadWorks: new DeadWorks(),
    source: { refresh: () => void refreshed++ },
    events,
    log: SILENT,
    untilReachedMs: () => waits.shift() ?? 0,
    retryDelaysMs: [1],
  });
  const job = book.add(makeWork({}), 'node');
  return { sender, book, told, posted, rows, job, refreshed: () => refreshed };
}

function solve(job: Job, nonce: bigint): Solution {
  const { header, powHash } = hashSubmit(job, nonce);
  return { job, header, powHash, nonce, account: 'a', rig: 'r', foundAtMs: 0 };
}

describe('solution sender', () => {
  it('posts before send returns, records what was found and what the node said, asks for fresh work', async () => {
    const { sender, job, told, rows, posted, refreshed } = setUp([RECEIVED]);
    sender.send(solve(job, 7n));
    expect(posted).toEqual([7n]);
    expect(sender.pending).toBe(1);
    await sender.close(PATIENCE_MS);
    expect(told).toEqual(['found 7', 'received 7']);
    expect(rows).toEqual(['found 7', 'received 7']);
    expect([sender.pending, refreshed()]).toEqual([0, 1]);
  });

  it('X2: hands on the last word while the first is not booked yet', async () => {
    const { sender, job, rows } = setUp([RECEIVED], [], new Promise(() => {}));
    sender.send(solve(job, 7n));
    await expect.poll(() => rows).toEqual(['found 7', 'received 7']);
  });

  it("waits until the node's clock has reached the time in the header", async () => {
    const waits = [1.5, 0.2, 0];
    const { sender, job, posted } = setUp([RECEIVED], waits);
    sender.send(solve(job, 7n));
    expect(posted).toEqual([]);
    await sender.close(PATIENCE_MS);
    expect(posted).toEqual([7n]);
    expect(waits).toEqual([]);
  });

  it('keeps a second solution of a work until the first is answered', async () => {
    const { sender, job, told } = setUp([RECEIVED]);
    sender.send(solve(job, 1n));
    sender.send(solve(job, 2n));
    await sender.close(PATIENCE_MS);
    expect(told).toEqual(['found 1', 'received 1', 'superseded 2']);
  });

  it('does not trouble the node with a work that it has taken a solution of', async () => {
    const { sender, job, told, posted } = setUp([RECEIVED]);
    sender.send(solve(job, 1n));
    await sender.close(PATIENCE_MS);
    sender.send(solve(job, 2n));
    expect(told).toEqual(['found 1', 'received 1', 'superseded 2']);
    expect(posted).toEqual([1n]);
  });

  it('sends a solution of the same payload when the node has handed it out again since', async () => {
    const { sender, book, job, told } = setUp([RECEIVED, RECEIVED]);
    sender.send(solve(job, 1n));
    await sender.close(PATIENCE_MS);
    book.retire(job.work.chainId);
    const again = book.add(makeWork({ creationTime: job.work.fields.creationTime + 5n }), 'node');
    sender.send(solve(again, 2n));
    await sender.close(PATIENCE_MS);
    expect(told).toEqual(['found 1', 'received 1', 'found 2', 'received 2']);
  });

  it('sends the second when the first was refused', async () => {
    const { sender, job, told } = setUp([{ outcome: 'refused', status: 400, text: 'no' }, RECEIVED]);
    sender.send(solve(job, 1n));
    sender.send(solve(job, 2n));
    await sender.close(PATIENCE_MS);
    expect(told).toEqual(['found 1', 'refused 1', 'found 2', 'received 2']);
  });

  it('tries again while the work is live, and reads a 404 after a lost answer as perhaps taken', async () => {
    const { sender, job, told, posted } = setUp([LOST, LOST, LOST, LOST, FORGOTTEN]);
    sender.send(solve(job, 1n));
    await sender.close(PATIENCE_MS);
    expect(posted).toHaveLength(5);
    expect(told).toEqual(['found 1', 'perhaps 1']);
  });

  it('gives up a minute of posts after the work has gone stale', async () => {
    const { sender, book, job, told, posted } = setUp(Array.from({ length: 50 }, () => LOST));
    book.retire(job.work.chainId);
    sender.send(solve(job, 1n));
    await sender.close(PATIENCE_MS);
    expect(posted).toHaveLength(40);
    expect(told).toEqual(['found 1', 'lost 1']);
  });

  it('N6: reads a 404 after a post that was repeated on the way as perhaps taken', async () => {
    const forgotten = { ...FORGOTTEN, isRepeated: true };
    const { sender, job, told } = setUp([forgotten]);
    sender.send(solve(job, 1n));
    await sender.close(PATIENCE_MS);
    expect(told).toEqual(['found 1', 'perhaps 1']);
  });

  it('drops what waits behind a solution of a work that the node has forgotten', async () => {
    const { sender, job, told } = setUp([LOST, FORGOTTEN]);
    sender.send(solve(job, 1n));
    sender.send(solve(job, 2n));
    await sender.close(PATIENCE_MS);
    expect(told).toEqual(['found 1', 'perhaps 1', 'superseded 2']);
  });

  it('stops trying when it is closed', async () => {
    const { sender, job, told } = setUp(Array.from({ length: 10_000 }, () => LOST));
    sender.send(solve(job, 1n));
    await sender.close(5);
    expect(told).toEqual(['found 1', 'lost 1']);
  });
});
