/** What the surface takes: history from books of a year. */
import { benchHistory, type HistoryBench } from './web-history.js';

export async function benchWeb(): Promise<HistoryBench> {
  const rigs = Number(process.env['BENCH_RIGS'] ?? 10_000);
  return benchHistory({ rigs });
}
