/** The server of the stratum benchmark with all that counts its events, and with HTTP for who looks on. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createBridgeEvents, type NodeReport } from '../../../src/bridge/events.js';
import type { TimelineEvent } from '../../../src/bridge/timeline/timeline-event.js';
import { JobDelays } from '../../../src/bridge/watch/job-delays.js';
import { SILENT } from '../../../src/core/names/log.js';
import { createMetrics } from '../../../src/web/metrics/metrics.js';
import { startWebServer } from '../../../src/web/server.js';
import { Freshness } from '../../../src/web/state/freshness.js';
import type { SummarySources } from '../../../src/web/state/summary.js';
import { Tally } from '../../../src/web/state/tally.js';
import { idleBridge, NO_TIMELINE } from '../../helpers/web/idle-bridge.js';
import { RULES } from '../../helpers/web/operators.js';
import type { Calls } from '../peer.js';
import { startBench } from './stratum-server.js';

export interface WatchedOptions {
  readonly limited?: boolean;
}

const NODES: readonly NodeReport[] = [1, 2, 3].map((number) => ({
  url: `http://10.0.0.${number}:1848`,
  state: 'healthy',
  network: 'mainnet01',
  reason: 'gives work',
  isActive: number === 1,
  chains: 20,
  requests: 1000 * number,
}));
const LINE_BYTES = 1000;
const AT_ONCE = 20;

export async function watchedServer({ limited = false }: WatchedOptions): Promise<Calls> {
  const events = createBridgeEvents();
  const wall = { nowMs: () => Date.now() };
  const steady = { nowMs: () => performance.now() };
  const tally = new Tally(events, steady);
  const freshness = new Freshness(events, steady);
  new JobDelays(events, wall);
  const { calls, server, book } = await startBench({ limited, events });
  const listeners: ((line: TimelineEvent) => void)[] = [];
  const sources: SummarySources = {
    ...idleBridge().sources,
    startedAtMs: wall.nowMs(),
    ...{ tally, freshness },
    nodes: () => NODES,
    liveJobs: () => book.liveJobs,
    rigs: server.watch,
    timeline: { ...NO_TIMELINE, onLine: (listener) => void listeners.push(listener) },
  };
  const metrics = createMetrics(events, sources);
  const web = await startWebServer({
    host: '127.0.0.1',
    port: 0,
    metrics,
    log: SILENT,
    sources,
    access: () => RULES,
  });
  return {
    ...calls,
    web: () => web.url,
    /** So many lines of a kilobyte, far more than a bridge tells, so that who does not read has much to leave lying. */
    tell: async (lines: number) => {
      const says = 'x'.repeat(LINE_BYTES);
      for (let number = 0; number < lines; number++) {
        // Who reads is given the time to.
        if (number % AT_ONCE === 0) await sleep(10);
        tellOne(listeners, number, says);
      }
    },
  };
}

function tellOne(listeners: readonly ((line: TimelineEvent) => void)[], number: number, says: string): void {
  const line = {
    run: 'bench',
    number,
    atMs: Date.now(),
    kind: 'queueAway',
    facts: {},
    instance: 0,
    by: null,
  };
  for (const listener of listeners) listener({ ...line, says });
}
