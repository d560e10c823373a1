/** What the surface takes: history from books of a year, what readers of the stream take from rigs, and the size of the page. */
import { benchHistory, type HistoryBench } from './web-history.js';
import { benchLists, type ListRow } from './web-lists.js';
import { benchReaders, type ReadersBench } from './web-readers.js';
import { benchSize, type SizeRow } from './web-size.js';

export interface WebBench {
  readonly readers: ReadersBench;
  readonly size: readonly SizeRow[];
  readonly lists: readonly ListRow[];
  readonly history: HistoryBench;
}

export async function benchWeb(): Promise<WebBench> {
  const rigs = Number(process.env['BENCH_RIGS'] ?? 10_000);
  const readers = await benchReaders(rigs);
  const size = benchSize();
  process.stdout.write('\n');
  const lists = await benchLists(10 * rigs);
  const figures = { readers, size, lists, history: await benchHistory({ rigs }) };
  process.stdout.write(`${JSON.stringify({ bench: 'web', ...figures })}\n`);
  return figures;
}
