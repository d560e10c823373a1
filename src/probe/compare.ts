/** What servers beside each other did with the same blocks. Pure functions. */
export interface Job {
  /** In milliseconds, by one clock for all servers. */
  readonly atMs: number;
  readonly chainId: number;
  readonly height: number;
  /** In hex. */
  readonly parent: string;
  /** It came with the connection, and perhaps long after its block. */
  readonly isFirst: boolean;
}

/** What a rig at one server had to work on, in order. */
export interface Course {
  readonly jobs: readonly Job[];
  /** When connections ended, in order: until the next job there was nothing to work on. */
  readonly endedMs: readonly number[];
}

export interface Compared {
  /** Jobs of a new parent that another server gave as well. */
  readonly compared: number;
  /** Of these, those that no other one gave before. */
  readonly first: number;
  /** How much later than the first one each of these came, in milliseconds, the least first. */
  readonly laterMs: readonly number[];
  /** Part of the time of work after somebody was shown that the parent was out of date; `undefined` where there was no work. */
  readonly stalePart: number | undefined;
}

/** Of each server, with one course or several. @param untilMs when it was over. */
export function compare(servers: readonly (readonly Course[])[], untilMs: number): Compared[] {
  const arrivals = servers.map(arrivalsOf);
  const outOfDateMs = outOfDateIn(servers.flat());
  return servers.map((courses, i) => {
    const laterMs: number[] = [];
    let first = 0;
    for (const [parent, atMs] of arrivals[i] ?? []) {
      const others = arrivals.filter((_, j) => j !== i).flatMap((each) => each.get(parent) ?? []);
      if (others.length === 0) continue;
      const earliest = Math.min(atMs, ...others);
      if (atMs === earliest) first++;
      laterMs.push(atMs - earliest);
    }
    laterMs.sort((a, b) => a - b);
    return {
      compared: laterMs.length,
      first,
      laterMs,
      stalePart: stalePartOf(courses, outOfDateMs, untilMs),
    };
  });
}

/**
 * By parent and chain, over any of its courses, where one parent took the place of another on the same chain: what came with a connection, or
 * by a change of chain, tells nothing of when its block was heard.
 */
function arrivalsOf(courses: readonly Course[]): ReadonlyMap<string, number> {
  const arrivals = new Map<string, number>();
  for (const { jobs } of courses)
    for (const [i, { atMs, chainId, parent, isFirst }] of jobs.entries()) {
      const before = jobs[i - 1];
      if (isFirst || before?.chainId !== chainId || before.parent === parent) continue;
      const key = `${chainId} ${parent}`;
      arrivals.set(key, Math.min(atMs, arrivals.get(key) ?? atMs));
    }
  return arrivals;
}

function stalePartOf(
  courses: readonly Course[],
  outOfDateMs: OutOfDate,
  untilMs: number,
): number | undefined {
  let [worked, stale] = [0, 0];
  for (const { jobs, endedMs } of courses)
    for (const [i, job] of jobs.entries()) {
      const ended = endedMs.find((each) => each >= job.atMs) ?? untilMs;
      const over = Math.min(jobs[i + 1]?.atMs ?? untilMs, ended, untilMs);
      worked += over - job.atMs;
      stale += Math.max(0, over - Math.max(job.atMs, outOfDateMs(job)));
    }
  return worked > 0 ? stale / worked : undefined;
}

/** When somebody first had work on top of what this is the work for; never is infinite. */
type OutOfDate = (job: Pick<Job, 'chainId' | 'height'>) => number;

/** An hour of many rigs has a hundred thousand jobs: each is looked at once. */
function outOfDateIn(all: readonly Course[]): OutOfDate {
  const jobs = all.flatMap(({ jobs }) => jobs).sort((a, b) => b.height - a.height);
  const above = new Map<string, number>();
  /** Of each chain: the least height so far, when that or more was first given, and when more than that. */
  const chains = new Map<number, { height: number; fromMs: number; aboveMs: number }>();
  for (const { chainId, height, atMs } of jobs) {
    const chain = chains.get(chainId) ?? { height: Infinity, fromMs: Infinity, aboveMs: Infinity };
    if (height < chain.height) chain.aboveMs = chain.fromMs;
    chain.fromMs = Math.min(chain.fromMs, atMs);
    chain.height = height;
    chains.set(chainId, chain);
    above.set(`${chainId} ${height}`, chain.aboveMs);
  }
  return ({ chainId, height }) => above.get(`${chainId} ${height}`) ?? Infinity;
}

/** @param sorted the least first. @param part 0.5 for the median. */
export function quantileOf(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
