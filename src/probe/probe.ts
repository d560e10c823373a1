/** Several Stratum servers, side by side for some time: how soon each lets a rig work, and how soon it tells of a new block. */
import { poolName } from '../rig/wire.js';
import { type Compared, compare, quantileOf } from './compare.js';
import { Visit, type VisitOptions } from './visit.js';

/** Shares are of each connection. */
interface ProbeOptions extends Omit<VisitOptions, 'url' | 'nowMs'> {
  readonly urls: readonly URL[];
  readonly durationMs: number;
  /** Connections to each server. */
  readonly rigs: number;
}

/** Times in milliseconds; `null` for what did not come to pass. */
export interface ServerReport {
  readonly url: string;
  readonly connectMs: number | null;
  readonly handshakeMs: number | null;
  readonly subscribeMs: number | null;
  readonly authorizeMs: number | null;
  readonly firstJobMs: number | null;
  /** Expected hashes of a share, as last set; a text, as it may pass 2^53. */
  readonly difficulty: string | null;
  readonly jobs: number;
  /** New parents that another server gave as well, and those that it gave first. */
  readonly compared: number;
  readonly first: number;
  readonly laterMedianMs: number | null;
  readonly laterP99Ms: number | null;
  /** 0 to 1: of the time, with a parent that another server had replaced. */
  readonly stalePart: number | null;
  readonly answerMedianMs: number | null;
  readonly answerP99Ms: number | null;
  readonly accepted: number;
  readonly rejected: number;
  /** How often it connected again. */
  readonly reconnects: number;
  /** Why the last connection ended before the time was over; empty where it did not. */
  readonly fault: string;
}

export interface Progress {
  readonly elapsedMs: number;
  /** Servers that have given a job. */
  readonly ready: number;
  readonly jobs: number;
}

const PROGRESS_MS = 5_000;

/** Resolves when the time is over, or `signal` says so. In the order of the URLs. */
export async function probe(
  { urls, durationMs, rigs, ...options }: ProbeOptions,
  progress: (now: Progress) => void,
  signal: AbortSignal,
): Promise<ServerReport[]> {
  const startedMs = performance.now();
  const servers = urls.map((url) =>
    Array.from({ length: rigs }, () => new Visit({ ...options, url, nowMs: () => performance.now() })),
  );
  const timer = setInterval(() => {
    const ready = servers.filter((visits) => visits.some(({ jobs }) => jobs.length > 0)).length;
    const jobs = sumOf(servers.flat(), (visit) => visit.jobs.length);
    progress({ elapsedMs: performance.now() - startedMs, ready, jobs });
  }, PROGRESS_MS);
  await new Promise<void>((resolve) => {
    const over = setTimeout(resolve, durationMs);
    signal.addEventListener('abort', () => {
      clearTimeout(over);
      resolve();
    });
    if (signal.aborted) resolve();
  });
  clearInterval(timer);
  const untilMs = performance.now();
  for (const visit of servers.flat()) visit.end();
  const compared = compare(servers, untilMs);
  return servers.map((visits, i) => reportOf(visits, compared[i] as Compared));
}

function sumOf<T>(of: readonly T[], amount: (one: T) => number): number {
  return of.reduce((sum, one) => sum + amount(one), 0);
}

/** Steps and difficulty of the first connection, and what all of them together had. */
function reportOf(visits: readonly Visit[], { compared, first, laterMs, stalePart }: Compared): ServerReport {
  const [visit] = visits as [Visit];
  const answersMs = visits.flatMap((each) => each.answersMs).sort((a, b) => a - b);
  const { connectMs, handshakeMs, subscribeMs, authorizeMs, firstJobMs } = visit.steps;
  return {
    url: poolName(visit.options.url),
    connectMs: rounded(connectMs),
    handshakeMs: rounded(handshakeMs),
    subscribeMs: rounded(subscribeMs),
    authorizeMs: rounded(authorizeMs),
    firstJobMs: rounded(firstJobMs),
    difficulty: visit.difficulty,
    jobs: sumOf(visits, ({ jobs }) => jobs.length),
    ...{ compared, first },
    laterMedianMs: rounded(quantileOf(laterMs, 0.5)),
    laterP99Ms: rounded(quantileOf(laterMs, 0.99)),
    stalePart: stalePart === undefined ? null : Number(stalePart.toFixed(4)),
    answerMedianMs: rounded(quantileOf(answersMs, 0.5)),
    answerP99Ms: rounded(quantileOf(answersMs, 0.99)),
    accepted: sumOf(visits, ({ accepted }) => accepted),
    rejected: sumOf(visits, ({ rejected }) => rejected),
    reconnects: sumOf(visits, ({ reconnects }) => reconnects),
    fault: visits.find(({ fault }) => fault !== '')?.fault ?? '',
  };
}

/** To tenths of a millisecond. */
function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(10 * ms) / 10;
}
