/** A mining thread: Piscina calls the default export once a batch. */
import { parentPort, workerData } from 'node:worker_threads';
import { createKernel } from './kernels.js';
import {
  type Batch,
  type BatchResult,
  HITS_PER_BATCH,
  type HitMessage,
  type ThreadSetup,
} from './messages.js';
import { NonceSearch } from './search.js';

/** A thread looks for a new epoch this often: a fifth of the time in which a batch must be abandoned. */
const CHUNK_MS = 1;
const FIRST_CHUNK = 256;
const SMALLEST_CHUNK = 64;
const LARGEST_CHUNK = 2 ** 22;

const setup = workerData as ThreadSetup;
const epoch = new Int32Array(setup.epoch);
const kernel = createKernel(setup.kernel, setup.module);
const pace = { chunk: FIRST_CHUNK };

export default function runBatch(batch: Batch): BatchResult {
  const startedMs = performance.now();
  const search = new NonceSearch(kernel, batch.puzzle);
  const hits: number[] = [];
  let scanned = 0;
  let abandoned = isOver(batch);
  while (scanned < batch.count && hits.length < HITS_PER_BATCH && !abandoned) {
    const chunk = Math.min(pace.chunk, batch.count - scanned);
    const scan = timed(() => search.scan(batch.first + scanned, chunk, HITS_PER_BATCH - hits.length));
    scanned += scan.scanned;
    for (const nonce2 of scan.hits) parentPort?.postMessage({ batch: batch.id, nonce2 } satisfies HitMessage);
    hits.push(...scan.hits);
    abandoned = isOver(batch);
  }
  return { scanned, hits, elapsedMs: performance.now() - startedMs, abandoned };
}

function isOver(batch: Batch): boolean {
  return Atomics.load(epoch, 0) !== batch.epoch;
}

/** Runs one chunk and sizes the next by the time it took. */
function timed<T extends { scanned: number }>(run: () => T): T {
  const startedMs = performance.now();
  const result = run();
  const tookMs = performance.now() - startedMs;
  const fits = tookMs > 0 ? (result.scanned * CHUNK_MS) / tookMs : LARGEST_CHUNK;
  pace.chunk = Math.round(Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, Math.min(fits, pace.chunk * 2))));
  return result;
}
