/** What the processes of a benchmark have in common. */
import { setTimeout as sleep } from 'node:timers/promises';

export type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Nanoseconds on a clock that all processes of a machine share. */
export function nowNs(): number {
  return Number(process.hrtime.bigint());
}

/** Of this process, so far. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export async function settledRssBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await sleep(100);
  }
  return process.memoryUsage().rss;
}
