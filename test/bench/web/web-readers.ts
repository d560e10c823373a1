/**
 * What 200 readers of the stream take from rigs: the load of the stratum benchmark on one bridge, without them and with them, in
 * turns. Readers are a process of their own. Then what becomes of those that do not read.
 */
import { FLOOD, measureWaits, STORM } from '../stratum/stratum.js';
import { Measured, Peer, type Quantiles, quantiles, Subject } from '../stratum/stratum-subject.js';
import type { ReadersReport } from '../stratum/stream-readers.js';

const READERS = 200;
const SLOW = 20;
/** Of each kind: other load on the machine shifts the slowest of a round, and the median of many less. */
const FAN_OUTS = 30;
const SUBMIT_ROUNDS = 5;
/** Lines while some do not read, to as many others: beyond what the system keeps for a socket. */
const BURST = { others: 20, lines: 8000 };

export interface ReadersBench {
  readonly connections: number;
  readonly without: Side;
  readonly with: Side;
  /** With readers, in parts of without. */
  readonly ratios: { readonly fanOutP99: number; readonly submits: number };
  /** Of the last round with readers. */
  readonly readers: ReadersReport & { readonly seconds: number };
  readonly slow: {
    readonly count: number;
    readonly dropped: number;
    readonly others: number;
    readonly droppedOfOthers: number;
  };
}

interface Side {
  /** When a job has come to all but the last hundredth of the rigs: the median of the rounds. */
  readonly arrivedP99Ms: number;
  readonly submitsPerSecond: number;
  readonly floodMs: Quantiles;
  readonly stormMs: Quantiles;
}

export async function benchReaders(connections: number): Promise<ReadersBench> {
  const { sides, readers, slow } = await measureLoad(connections);
  const [without, beside] = [
    await sideOf(sides.without, undefined),
    await sideOf(sides.with, (server) => readersOf(server)),
  ];
  const bench: ReadersBench = {
    connections,
    without,
    with: beside,
    ratios: {
      fanOutP99: beside.arrivedP99Ms / without.arrivedP99Ms,
      submits: beside.submitsPerSecond / without.submitsPerSecond,
    },
    readers,
    slow,
  };
  report(bench);
  return bench;
}

/** One server for both: readers come for a round and go, so that nothing but they is different. */
async function measureLoad(connections: number) {
  await using subject = await Subject.start('watched', connections);
  await using readers = await Peer.start('readers');
  const url = await subject.call<string>('web');
  const sides = { without: new Measured(), with: new Measured() };
  for (const into of [sides.without, sides.with]) await subject.fanOut(0, false, into);
  let seen: ReadersBench['readers'] | undefined;
  for (let round = 0; round < Math.max(FAN_OUTS, SUBMIT_ROUNDS); round++)
    for (const name of round % 2 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
      if (name === 'with') await readers.call('open', url, READERS);
      const startedMs = performance.now();
      if (round < FAN_OUTS) await subject.fanOut(1 + round, true, sides[name]);
      if (round < SUBMIT_ROUNDS) await subject.submit(sides[name]);
      if (name === 'without') continue;
      if (round < SUBMIT_ROUNDS)
        seen = {
          ...(await readers.call<ReadersReport>('report')),
          seconds: (performance.now() - startedMs) / 1000,
        };
      await readers.call('close');
    }
  if (!seen) throw new Error('no round had readers');
  return { sides, readers: seen, slow: await measureSlow(subject, readers, url) };
}

async function measureSlow(subject: Subject, readers: Peer, url: string): Promise<ReadersBench['slow']> {
  const { others, lines } = BURST;
  await readers.call('open', url, others);
  await readers.call('openSlow', url, SLOW);
  await subject.call('tell', lines);
  const dropped = await readers.call<number>('droppedOfSlow');
  const { dropped: droppedOfOthers } = await readers.call<ReadersReport>('report');
  return { count: SLOW, dropped, others, droppedOfOthers };
}

async function readersOf(server: Peer): Promise<AsyncDisposable> {
  const readers = await Peer.start('readers');
  await readers.call('open', await server.call<string>('web'), READERS);
  return readers;
}

async function sideOf(
  measured: Measured,
  beside: ((server: Peer) => Promise<AsyncDisposable>) | undefined,
): Promise<Side> {
  return {
    arrivedP99Ms: quantiles(measured.arrivedP99Ms).p50,
    submitsPerSecond: measured.submitsPerSecond,
    floodMs: await measureWaits(FLOOD, 'watched', beside),
    stormMs: await measureWaits(STORM, 'watched', beside),
  };
}

/** The bars of the stratum benchmark hold within this. */
const WITHIN = 0.05;
const MOST_WAIT_MS = 50;

function report({ connections, without, with: beside, ratios, readers, slow }: ReadersBench): void {
  const verdict = (isMet: boolean, bar: string): string =>
    isMet ? `bar: ${bar}` : `**missed**, bar: ${bar}`;
  const row = (what: string, of: (side: Side) => number, ratio: string, verdictOf: string): string =>
    `| ${what} | ${of(without).toFixed(1)} | ${of(beside).toFixed(1)} | ${ratio} | ${verdictOf} |`;
  const { fanOutP99, submits } = ratios;
  const waits = (what: string, of: (side: Side) => Quantiles): string =>
    row(
      what,
      (side) => of(side).p99,
      (of(beside).p99 / of(without).p99).toFixed(2),
      verdict(of(beside).p99 <= MOST_WAIT_MS, `${MOST_WAIT_MS} ms`),
    );
  const lines = [
    `${connections} rigs over WebSocket, and ${READERS} readers of the stream, each in a process of their own`,
    '',
    '| | without readers | with them | ratio | |',
    '| --- | --- | --- | --- | --- |',
    row(
      'job at the rigs, p99 ms',
      ({ arrivedP99Ms }) => arrivedP99Ms,
      fanOutP99.toFixed(3),
      verdict(fanOutP99 <= 1 + WITHIN, `at most ${1 + WITHIN}`),
    ),
    row(
      'submits judged and answered a second',
      ({ submitsPerSecond }) => submitsPerSecond,
      submits.toFixed(3),
      verdict(submits >= 1 - WITHIN, `at least ${1 - WITHIN}`),
    ),
    waits("others' submits while one rig floods, p99 ms", ({ floodMs }) => floodMs),
    waits("others' submits while 1,000 rigs a second connect, p99 ms", ({ stormMs }) => stormMs),
    '',
    `under the load of submits each reader had ${readers.mean.toFixed(1)} snapshots in ${readers.seconds.toFixed(1)} s, the one with the fewest ` +
      `${readers.fewest}; ${readers.dropped} were dropped`,
    `of ${slow.count} readers that read nothing ${verdictOfSlow(slow)}, of ${slow.others} that read beside them ${slow.droppedOfOthers}`,
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function verdictOfSlow({ count, dropped, droppedOfOthers }: ReadersBench['slow']): string {
  const isMet = dropped === count && droppedOfOthers === 0;
  return `${dropped} were dropped${isMet ? '' : ' (**missed**: all of these, and none of the others)'}`;
}
