/** What this process takes of its machine. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessReport } from '../../web/state/processes.js';
import type { Site } from '../site.js';

const EVERY_MS = 1_000;

/** @returns as it is when it is asked; the delay is that of the last second. */
export function watchOwnProcess({
  open,
}: Pick<Site, 'open'>): () => Pick<ProcessReport, 'pid' | 'cpuSeconds' | 'rssBytes' | 'loopDelayMs'> {
  const delays = monitorEventLoopDelay({ resolution: 10 });
  delays.enable();
  let loopDelayMs = 0;
  const timer = setInterval(() => {
    loopDelayMs = delays.max / 1e6;
    delays.reset();
  }, EVERY_MS);
  open.add('delays of the event loop', () => {
    clearInterval(timer);
    delays.disable();
  });
  return () => {
    const { user, system } = process.cpuUsage();
    const { pid } = process;
    return { pid, cpuSeconds: (user + system) / 1e6, rssBytes: process.memoryUsage.rss(), loopDelayMs };
  };
}
