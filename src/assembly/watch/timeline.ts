/** The timeline: from what happens here to the ledger and to `events.file`, and from the ledger what happens elsewhere. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { EventFollower } from '../../bridge/timeline/event-follower.js';
import { EventOutbox } from '../../bridge/timeline/event-outbox.js';
import { type EventRecorder, Timeline, type TimelineView } from '../../bridge/timeline/timeline.js';
import { keyOf, type TimelineEvent } from '../../bridge/timeline/timeline-event.js';
import { AwayWatch } from '../../bridge/watch/away-watch.js';
import { KEPT, openLineFile } from '../../cli/screen/line-file.js';
import { SQL as CLOCKS } from '../../ledger/database/clocks.js';
import { rowOf } from '../../ledger/database/statements.js';
import type { Ledger } from '../../ledger/ledger.js';
import { EVENT_CHANNEL, timelineBook } from '../../ledger/timeline.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import { LastKnown } from '../../web/state/last-known.js';
import type { Instance } from '../books/instance.js';
import { STEADY_CLOCK, WALL_CLOCK } from '../clocks.js';
import type { Site } from '../site.js';
import { logLine } from './event-log.js';
import { LateLines } from './late-lines.js';
import { recordEvents } from './recorded-events.js';

export interface OpenTimeline extends EventRecorder, TimelineView {
  /** As {@link LateLines.tell}. */
  tellLate(...settled: Parameters<LateLines['tell']>): void;
  /** As {@link EventFollower.onGrown}. */
  onGrown(listener: () => void): void;
}

interface TimelineParts {
  readonly ledger: Ledger;
  readonly instance: Instance;
  readonly shares: ShareQueue;
}

/** The last lines of a stop get this long, and at least so much. */
const PATIENCE_MS = 1_500;
const NEEDS_MS = 400;
/** A part that takes longer for the lightest question is away. */
const UP_WITHIN_MS = 2_000;

/** Opened when all who are told of are still to come, so that it is closed when they have gone. */
export async function openTimeline(site: Site, parts: TimelineParts): Promise<OpenTimeline> {
  const { events, log, open } = site;
  const { ledger, instance } = parts;
  const book = timelineBook(ledger.pool);
  const run = randomUUID();
  const timeline = new Timeline({ run, instance: () => instance.number, clock: WALL_CLOCK });
  timeline.onLine((line) => {
    if (line.run === run) logLine(log, line);
  });
  await writeEventFile(site, timeline);
  const keeper = keepLines(timeline, book, log);
  const onNotice = (look: () => void): void =>
    ledger.notices.on(EVENT_CHANNEL, { onNotice: look, onConnected: look });
  const follower = new EventFollower({ book, onNotice, run, heard: (line) => timeline.hear(line), log });
  const watches = watchParts(parts, timeline);
  const late = new LateLines({ book, teller: timeline, log });
  const close = async (withinMs: number): Promise<void> => {
    const patienceMs = Math.min(PATIENCE_MS, withinMs / 2);
    const quiet = Promise.all([follower.close(), late.close(), ...watches.map((watch) => watch.close())]);
    // Each of them may have asked a ledger that does not answer.
    await Promise.race([quiet, pause(patienceMs, undefined, { ref: false })]);
    await keeper.close(patienceMs);
  };
  open.add('timeline', close, NEEDS_MS);
  recordEvents(events, timeline);
  return {
    record: (...line) => timeline.record(...line),
    tellLate: (...settled) => late.tell(...settled),
    onGrown: (listener) => follower.onGrown(listener),
    get lost() {
      return timeline.lost;
    },
    get waiting() {
      return keeper.waiting;
    },
    onLine: (listener) => timeline.onLine(listener),
    readLines: (asked) => book.readLines(asked),
  };
}

function keepLines(timeline: Timeline, book: ReturnType<typeof timelineBook>, log: Site['log']): EventOutbox {
  const keeper = new EventOutbox({
    book,
    lost: (lines) => timeline.lose('ledger', lines),
    written: () => timeline.tellLost('ledger'),
    log,
  });
  // What has a place in the ledger was read there.
  timeline.onLine((line) => {
    if (line.id === undefined) keeper.keep(line);
  });
  return keeper;
}

function watchParts({ ledger, shares }: TimelineParts, teller: EventRecorder): AwayWatch[] {
  const asked = new LastKnown(() => rowOf(ledger.pool, CLOCKS.now, [], UP_WITHIN_MS), UP_WITHIN_MS);
  const counted = new LastKnown(() => shares.stats(), UP_WITHIN_MS);
  const isQueueUp = async (): Promise<boolean> => {
    const { value, isUp } = await counted.look();
    return isUp && (value?.isUp ?? false);
  };
  const how = { teller, clock: STEADY_CLOCK };
  return [
    new AwayWatch({ part: 'ledger', isUp: async () => (await asked.look()).isUp, ...how }),
    new AwayWatch({ part: 'queue', isUp: isQueueUp, ...how }),
  ];
}

async function writeEventFile({ config, log, open }: Site, timeline: Timeline): Promise<void> {
  const path = config['events.file'];
  if (path === '') return;
  const file = await openLineFile({
    setting: 'events.file',
    path,
    ...KEPT,
    atOnce: false,
    complain: (sentence) => log.warn({ event: 'event-file' }, sentence),
    dropped: () => timeline.lose('file'),
    isBack: () => timeline.tellLost('file'),
  });
  open.add('events file', () => file.close());
  timeline.onLine((line) => file.write(`${JSON.stringify(lineOf(line))}\n`));
}

/** As `EVENT_LINE` describes it. */
function lineOf(line: TimelineEvent): object {
  const { atMs, kind, says, facts, instance, by } = line;
  return { v: 1, key: keyOf(line), time: new Date(atMs).toISOString(), kind, says, facts, instance, by };
}
