/** How long the ticks of a server take while it has many rigs: each keeps everything else waiting. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Calls, nowNs } from '../peer.js';
import { startBench } from './stratum-server.js';
import { Peer, quantiles } from './stratum-subject.js';

/** Some rounds over all rigs, long enough for each to be due for jobs many times. */
const FOR_MS = 20_000;
const CHAINS = 4;

export interface TickFigures {
  readonly ticks: number;
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** The server: it rolls jobs on several chains, and its timers are timed. */
export async function tickedServer(): Promise<Calls> {
  const tookMs: number[] = [];
  const started = globalThis.setInterval;
  const timed = (callback: () => void, everyMs: number): NodeJS.Timeout =>
    started(() => {
      const fromNs = nowNs();
      callback();
      // What was written leaves before anything else has its turn.
      process.nextTick(() => void tookMs.push((nowNs() - fromNs) / 1e6));
    }, everyMs);
  Object.assign(globalThis, { setInterval: timed });
  const { calls, server } = await startBench({ chains: CHAINS });
  return {
    ...calls,
    sessions: () => server.sessions,
    ticks: async (forMs: number): Promise<TickFigures> => {
      tookMs.length = 0;
      await sleep(forMs);
      return { ticks: tookMs.length, p99Ms: quantiles(tookMs).p99, longestMs: Math.max(...tookMs) };
    },
  };
}

/** Rigs say nothing, so all are of unknown speed and have a fresh job every second: what costs most. */
export async function measureTicks(connections: number, forMs = FOR_MS): Promise<TickFigures> {
  await using server = await Peer.start('ticked');
  await using load = await Peer.start('load');
  await load.call('open', await server.call<number>('port'), connections, 'ready');
  if ((await server.call<number>('sessions')) !== connections) throw new Error('not all rigs are there');
  // The first round warms the code up.
  await sleep(forMs / 10);
  return await server.call<TickFigures>('ticks', forMs);
}
