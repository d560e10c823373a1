/** Lines on their way: told, bounded, kept while the ledger is away, and what is lost is told. */
import { expect, it } from 'vitest';
import { EventFollower } from '../../src/bridge/timeline/event-follower.js';
import { EventOutbox } from '../../src/bridge/timeline/event-outbox.js';
import { type KeptLine, Timeline } from '../../src/bridge/timeline/timeline.js';
import type { TimelineEvent } from '../../src/bridge/timeline/timeline-event.js';
import { AwayWatch } from '../../src/bridge/watch/away-watch.js';
import { SILENT } from '../../src/core/names/log.js';
import { PATIENCE_MS, until, untilTrue } from '../helpers/until.js';

const RUN = '5f0c2c0e-0000-4000-8000-000000000001';
const NOW_MS = 1_700_000_000_000;

function timelineAt(instance: number | undefined) {
  const clock = { at: NOW_MS, nowMs: () => clock.at };
  const timeline = new Timeline({ run: RUN, instance: () => instance, clock });
  const lines: TimelineEvent[] = [];
  timeline.onLine((line) => lines.push(line));
  return { timeline, lines, clock };
}

it('a line has its time, its place, and who ordered it', () => {
  const { timeline, lines, clock } = timelineAt(3);
  timeline.record('started', { version: '1' });
  clock.at += 5;
  timeline.record('ordered', { order: 'close', about: 'session 7' }, 'admin', 'a session is closed');
  const common = { run: RUN, instance: 3 };
  expect(lines).toEqual([
    {
      ...common,
      number: 1,
      atMs: NOW_MS,
      kind: 'started',
      says: 'the bridge is up: version 1',
      facts: { version: '1' },
      by: null,
    },
    {
      ...{ ...common, number: 2, atMs: NOW_MS + 5, kind: 'ordered', says: 'a session is closed' },
      ...{ facts: { order: 'close', about: 'session 7' }, by: 'admin' },
    },
  ]);
  const unnumbered = timelineAt(undefined);
  unnumbered.timeline.record('queueAway', {});
  expect(unnumbered.lines.map(({ instance }) => instance)).toEqual([null]);
});

it('a line is of bounded length, and of what any ledger and file takes', () => {
  const { timeline, lines } = timelineAt(3);
  const problems = Array.from({ length: 500 }, () => `bad\u0000 \ud800\n\u0007${'x'.repeat(5_000)}`);
  timeline.record('reloadRefused', { problems }, 'z'.repeat(5_000));
  const text = JSON.stringify(lines[0]);
  expect(Buffer.byteLength(text)).toBeLessThan(130_000);
  expect(text).not.toMatch(/\\u0000|\\ud800|\\n|\\u0007/);
});

it('of a flood of one kind so many a minute are told, and afterwards how many were not', () => {
  const { timeline, lines, clock } = timelineAt(3);
  for (let i = 0; i < 1_000; i++) timeline.record('queueAway', {});
  timeline.record('stopped', { reason: 'SIGTERM' });
  const told = lines.filter(({ kind }) => kind === 'queueAway').length;
  expect(told).toBe(200);
  expect(timeline.lost).toEqual({ ledger: 0, file: 0, flood: 800 });
  clock.at += 60_000;
  timeline.record('queueAway', {});
  timeline.record('queueAway', {});
  const [first, ...missing] = lines.filter(({ kind }) => kind === 'linesMissing').map(({ facts }) => facts);
  const at = new Date(NOW_MS).toISOString();
  expect(lines.filter(({ kind }) => kind === 'linesMissing').length).toBe(1);
  expect([first, missing]).toEqual([{ lines: 800, why: 'flood', since: at, until: at }, []]);
});

it('what somebody ordered is told in every flood, and has room while the ledger is away', async () => {
  const { timeline, lines } = timelineAt(3);
  const unbanned = { of: 'rig', login: 'a.r', address: '' } as const;
  for (let i = 0; i < 300; i++) timeline.record('unbanned', unbanned);
  for (let i = 0; i < 300; i++) timeline.record('unbanned', unbanned, 'ann');
  expect(lines.filter(({ by }) => by === 'ann')).toHaveLength(300);
  expect(timeline.lost.flood).toBe(100);
  const away = keeperOf({ waiting: 5 });
  away.book.isAway = true;
  for (let i = 0; i < 8; i++) away.timeline.record('unbanned', unbanned);
  for (let i = 0; i < 8; i++) away.timeline.record('unbanned', unbanned, 'ann');
  expect([away.keeper.waiting, away.timeline.lost.ledger]).toEqual([10, 6]);
  away.book.isAway = false;
  await until('it is told', () => away.book.written.length === 11 && away.keeper.waiting === 0);
  expect(away.book.written.filter(({ by }) => by === 'ann')).toHaveLength(5);
});

/** A ledger that can be away. */
function keeperOf(limits: { waiting?: number; batch?: number } = {}) {
  const { timeline, lines } = timelineAt(3);
  const book = { isAway: false, refuses: 0, written: [] as TimelineEvent[], writes: [] as number[] };
  const keeper = new EventOutbox({
    book: {
      writeLines: async (some) => {
        if (book.isAway) throw new Error('away');
        book.writes.push(some.length);
        book.written.push(...some);
        const { refuses } = book;
        book.refuses = 0;
        return refuses;
      },
    },
    lost: (count) => timeline.lose('ledger', count),
    written: () => timeline.tellLost('ledger'),
    log: SILENT,
    limits: { gatherMs: 1, retryMs: 1, ...limits },
  });
  timeline.onLine((line) => keeper.keep(line));
  return { timeline, lines, book, keeper };
}

it('lines come into the ledger in their order, in batches', async () => {
  const { timeline, book, keeper } = keeperOf({ batch: 10 });
  for (let i = 0; i < 25; i++) timeline.record('ordered', { order: 'x', about: '' }, undefined, `${i}`);
  await untilTrue(() => keeper.waiting === 0);
  expect(book.written.map(({ says }) => Number(says))).toEqual(Array.from({ length: 25 }, (_, i) => i));
  expect(book.writes).toEqual([10, 10, 5]);
});

it('while the ledger is away so many wait, the others are counted, and it is said afterwards', async () => {
  const { timeline, lines, book, keeper } = keeperOf({ waiting: 5 });
  book.isAway = true;
  for (let i = 0; i < 8; i++) timeline.record('ordered', { order: 'x', about: '' }, undefined, `${i}`);
  expect([keeper.waiting, timeline.lost.ledger, lines.length]).toEqual([5, 3, 8]);
  book.isAway = false;
  await until('it is told', () => book.written.length === 6 && keeper.waiting === 0);
  expect(book.written.map(({ says }) => says)).toEqual([
    ...['0', '1', '2', '3', '4'],
    '3 lines are missing in the timeline: the ledger did not take them in time',
  ]);
  expect(book.written.at(-1)).toMatchObject({ kind: 'linesMissing', facts: { lines: 3, why: 'ledger' } });
});

it('what the database refuses is counted, and keeps nobody waiting', async () => {
  const { timeline, book, keeper } = keeperOf();
  book.refuses = 1;
  timeline.record('queueAway', {});
  await untilTrue(() => keeper.waiting === 0 && book.written.length === 2);
  expect(timeline.lost.ledger).toBe(1);
});

it('at the end what waits is written, and a ledger that is away holds nobody up', async () => {
  const well = keeperOf();
  well.timeline.record('stopped', { reason: 'SIGTERM' });
  await well.keeper.close(PATIENCE_MS);
  expect(well.book.written.length).toBe(1);
  const ill = keeperOf();
  ill.book.isAway = true;
  ill.timeline.record('stopped', { reason: 'SIGTERM' });
  await ill.keeper.close(PATIENCE_MS);
  expect([ill.book.written.length, ill.keeper.waiting]).toEqual([0, 1]);
  // What comes after the end is lost, and counted.
  ill.timeline.record('queueAway', {});
  expect(ill.timeline.lost.ledger).toBe(1);
});

it('hears of the lines of others from now on, each once, and of none of its own', async () => {
  const at = (id: number, run: string): KeptLine => ({
    ...{ id, run, number: id, atMs: NOW_MS, kind: 'queueAway', says: '', facts: {}, instance: 1, by: null },
  });
  const there = [at(1, 'other'), at(2, RUN)];
  const state = { isAway: true, asked: 0 };
  const ask = <T>(answer: T): T => {
    state.asked++;
    if (state.isAway) throw new Error('away');
    return answer;
  };
  const heard: number[] = [];
  const follower = new EventFollower({
    book: {
      newestId: async () => ask(there.length),
      linesAfter: async (id, limit) => ask(there.filter((line) => line.id > id).slice(0, limit)),
    },
    onNotice: () => undefined,
    run: RUN,
    heard: ({ id = 0 }) => heard.push(id),
    log: SILENT,
    intervalMs: 1,
  });
  await untilTrue(() => state.asked > 2);
  state.isAway = false;
  const asked = state.asked;
  await untilTrue(() => state.asked > asked + 2);
  for (let id = 3; id <= 1_500; id++) there.push(at(id, id % 2 ? 'other' : RUN));
  await untilTrue(() => heard.at(-1) === 1_499);
  expect(heard).toEqual(there.filter(({ id, run }) => id > 2 && run === 'other').map(({ id }) => id));
  await follower.close();
});

it('tells once that a part is away, and once that it is back', async () => {
  const { timeline, lines, clock } = timelineAt(3);
  const state = { answers: true, looks: 0 };
  const isUp = async (): Promise<boolean> => {
    state.looks++;
    clock.at += 1_000;
    return state.answers;
  };
  const watch = new AwayWatch({ part: 'ledger', isUp, teller: timeline, clock, intervalMs: 1 });
  const look = async (answers: readonly boolean[]): Promise<void> => {
    for (const each of answers) {
      state.answers = each;
      const before = state.looks;
      // One more than this one: by then the one of before is over.
      await untilTrue(() => state.looks > before + 1);
    }
  };
  await look([true]);
  expect(lines).toEqual([]);
  await look([false, false]);
  expect(lines.map(({ kind }) => kind)).toEqual(['ledgerAway']);
  await look([false, true, true]);
  await watch.close();
  expect(lines.map(({ kind }) => kind)).toEqual(['ledgerAway', 'ledgerBack']);
  expect(lines[1]?.facts['awayMs']).toBeGreaterThan(2_000);
});
