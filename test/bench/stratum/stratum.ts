/**
 * 10,000 rigs on one process: memory, fan-out, submits a second, and what a flood does to others.
 *
 * Each figure of the bridge stands beside that of a bare `ws` server measured in the same run by the same load.
 */
import { type DurableFigures, measureDurable } from './stratum-durable.js';
import { type Figures, Peer, type Quantiles, quantiles, Subject } from './stratum-subject.js';
import { measureTicks, type TickFigures } from './stratum-ticks.js';

const CONNECTIONS = 10_000;
const FAN_OUTS = 14;
const WINDOW = 8;
const SUBMIT_MS = 2000;
const SUBMIT_ROUNDS = 3;
const CONNECTS_PER_SECOND = 1000;

export interface StratumFigures {
  readonly connections: number;
  readonly bare: Figures;
  readonly stratum: Figures;
  readonly ratios: {
    readonly fanOutP99: number;
    readonly submits: number;
    readonly kilobytesPerSession: number;
  };
  /** Submits that are durable when they are answered; without a backend that this machine does not have. */
  readonly durable: readonly DurableFigures[];
  /** Of a server that rolls jobs for as many rigs. */
  readonly ticks: TickFigures;
  /** Waits of others' submits while one rig floods. */
  readonly floodMs: Quantiles;
  /** The same while 1,000 rigs a second connect and vanish. */
  readonly stormMs: Quantiles;
}

export async function benchStratum(connections = CONNECTIONS): Promise<StratumFigures> {
  const { bare, stratum } = await measureBoth(connections);
  const figures: StratumFigures = {
    connections,
    bare,
    stratum,
    ratios: {
      fanOutP99: stratum.arrivedMs.p99 / bare.arrivedMs.p99,
      submits: stratum.submitsPerSecond / bare.submitsPerSecond,
      kilobytesPerSession: stratum.kilobytesPerConnection,
    },
    durable: await measureDurable(),
    ticks: await measureTicks(connections),
    floodMs: await measureWaits(FLOOD),
    stormMs: await measureWaits(STORM),
  };
  print(figures);
  return figures;
}

/** Both servers stand all the time and take turns, so that other load on the machine takes from both alike. */
async function measureBoth(connections: number): Promise<Record<'bare' | 'stratum', Figures>> {
  await using bare = await Subject.start('bare', connections);
  await using stratum = await Subject.start('stratum', connections);
  for (let round = 0; round < FAN_OUTS; round++) {
    // The first rounds warm the code up.
    for (const subject of [bare, stratum]) await subject.fanOut(round, round >= 2);
  }
  for (let round = 0; round < SUBMIT_ROUNDS; round++) {
    for (const subject of [bare, stratum]) {
      // Of a new job each: it holds a million shares, which a fast machine sends in seven seconds.
      await subject.fanOut(FAN_OUTS + round, false);
      await subject.submit();
    }
  }
  return { bare: bare.figures(), stratum: stratum.figures() };
}

type Disturb = (peer: Peer, port: number, jobId: string) => Promise<unknown>;

export const FLOOD: Disturb = async (peer, port, jobId) => {
  await peer.call('open', port, 1, 'ready');
  return peer.call('flood', jobId, SUBMIT_MS);
};

export const STORM: Disturb = (peer, port) => peer.call('storm', port, CONNECTS_PER_SECOND, SUBMIT_MS);

/**
 * How long others wait for their answers meanwhile, under the default limits.
 *
 * @param role of the server; `beside` is begun when that stands, and ended before it.
 */
export async function measureWaits(
  disturb: Disturb,
  role: 'limited' | 'watched' = 'limited',
  beside?: (server: Peer) => Promise<AsyncDisposable>,
): Promise<Quantiles> {
  await using server = await Peer.start(role, { limited: true });
  await using _others = await beside?.(server);
  await using rigs = await Peer.start('load');
  await using disturber = await Peer.start('load');
  const port = await server.call<number>('port');
  await rigs.call('open', port, 100, 'ready');
  const [jobId = ''] = await server.call<string[]>('jobIds');
  // Cold code answers nobody quickly; warm it up by the rigs alone.
  await rigs.call('submit', [jobId], 100, WINDOW, SUBMIT_MS / 4);
  const disturbing = disturb(disturber, port, jobId);
  const waits = await rigs.call<number[]>('pace', jobId, SUBMIT_MS);
  await disturbing;
  return quantiles(waits);
}

function print(figures: StratumFigures): void {
  const { bare, stratum, ratios, durable, ticks, floodMs, stormMs, connections } = figures;
  const row = (name: string, a: number | string, b: number | string, bar = ''): string =>
    `| ${name} | ${show(a)} | ${show(b)} | ${bar} |`;
  const lines = [
    `${connections} connections over WebSocket, load from another process of this machine`,
    '',
    '| | bare ws | bridge | ratio, and its bar |',
    '|---|---|---|---|',
    row('process before, MB', bare.baseMegabytes, stratum.baseMegabytes),
    row(
      'memory a connection, kB',
      bare.kilobytesPerConnection,
      stratum.kilobytesPerConnection,
      'bar: 15 kB a session',
    ),
    row('the same once each has had a share, kB', '', stratum.kilobytesPerMiner),
    row('job written to all, p50 ms', bare.writtenMs.p50, stratum.writtenMs.p50),
    row('job at the rigs, p50 ms', bare.arrivedMs.p50, stratum.arrivedMs.p50),
    row(
      'job at the rigs, p99 ms',
      bare.arrivedMs.p99,
      stratum.arrivedMs.p99,
      `${show(ratios.fanOutP99)}, bar: at most 1.1`,
    ),
    row(
      'submits judged and answered a second',
      bare.submitsPerSecond,
      stratum.submitsPerSecond,
      `${show(ratios.submits)}, bar: at least 0.7`,
    ),
    ...durable.flatMap(({ backend, barePerSecond, perSecond, ratio, solutionMs, solutions, answerMs }) => [
      row(
        `submits judged, durable and answered a second, ${backend}`,
        barePerSecond,
        perSecond,
        `${show(ratio)}, bar: at least 0.6`,
      ),
      row(`solution judged to written under that load, p50 ms, ${backend}`, '', solutionMs.p50),
      row(`the same, p99 ms of ${solutions}, ${backend}`, '', solutionMs.p99, 'bar: 2 ms'),
      row(`answer at some 1,000 submits a second, p50 ms, ${backend}`, '', answerMs.p50, 'bar: 3 ms'),
    ]),
    row('a tick, p99 ms', '', ticks.p99Ms),
    row(`the longest of ${ticks.ticks} ticks, ms`, '', ticks.longestMs, 'bar: 5 ms'),
    row("others' submits while one rig floods, p50 ms", '', floodMs.p50),
    row("others' submits while one rig floods, p99 ms", '', floodMs.p99, 'bar: 50 ms'),
    row("others' submits while 1,000 rigs a second connect, p99 ms", '', stormMs.p99, 'bar: 50 ms'),
    '',
    JSON.stringify(figures),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function show(value: number | string): string {
  if (typeof value === 'string') return value;
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
