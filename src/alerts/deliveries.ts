/**
 * Notices on their way, in BullMQ: a queue for each target, since BullMQ orders and limits by queue. So a target is told one thing
 * after the other, by whichever bridge knows it, and one that is slow or away keeps nobody waiting but itself.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Job, type JobsOptions, UnrecoverableError, WaitingError } from 'bullmq';
import type { News, Try } from '../bridge/alerts.js';
import type { Log } from '../core/names/log.js';
import type { Alert, Notice, TargetReport } from '../operations/alerts.js';
import {
  closeWithin,
  createWorker,
  type QueueConnection,
  type WorkerOf,
  within,
} from '../queue/bullmq/connection.js';
import { ReadyQueue, startWorker } from '../queue/bullmq/ready.js';
import { ATTEMPTS, NotTaken, type Post } from './post.js';
import { type AlertTarget, isFor } from './targets.js';

/** As long as a look at alerts may well take; a queue that takes a notice later is one more that tells it. */
const ASK_MS = 5_000;
const DAY_MS = 86_400_000;
/** Waiting for one target; what comes beyond is given up at once. */
const MOST_WAITING = 500;
/** Others wait a little longer for a target than what is tried again, and so stay behind that. */
const BEHIND_MS = 1_000;

/** What is wrong comes before how it went on: also where the first is tried again. */
const PRIORITY: Readonly<Record<News['what'], number>> = { opened: 1, happened: 1, repeated: 2, resolved: 3 };

const OPTIONS = {
  attempts: ATTEMPTS,
  backoff: { type: 'custom' },
  // The last of each tells how the target fares; how many there were is counted apart.
  removeOnComplete: { count: 10 },
  removeOnFail: { count: 10 },
  stackTraceLimit: 1,
} satisfies JobsOptions;

const WORKER_OPTIONS = {
  // Longer than any try takes: what a killed bridge held is sent by another then.
  lockDuration: 15_000,
  stalledInterval: 15_000,
  // Without a limit BullMQ does not heed `rateLimit`.
  limiter: { max: 1_000, duration: 1_000 },
  metrics: { maxDataPoints: 1 },
  settings: {
    backoffStrategy: (tries: number, _?: string, error?: Error) =>
      error instanceof NotTaken ? error.waitMs(tries) : 0,
  },
};

interface DeliveriesOptions {
  readonly connection: QueueConnection;
  readonly post: Post;
  readonly log: Log;
}

interface Way {
  readonly queue: ReadyQueue<Notice>;
  readonly closing: AbortController;
  readonly worker: Promise<WorkerOf<Notice> | undefined>;
}

export class Deliveries {
  /** By what became of each try of this bridge. */
  readonly tries: Record<Try, number> = { delivered: 0, retried: 0, failed: 0 };
  readonly #options: DeliveriesOptions;
  readonly #ways = new Map<string, Way>();
  readonly #stop = new AbortController();
  #targets: readonly AlertTarget[] = [];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** These are told from now on. */
  follow(targets: readonly AlertTarget[]): void {
    this.#targets = targets;
    for (const { name } of targets) if (!this.#ways.has(name)) this.#ways.set(name, this.#open(name));
    for (const [name, way] of this.#ways)
      if (!this.#targetOf(name)) {
        this.#ways.delete(name);
        void closeWay(way, ASK_MS);
      }
  }

  /** Resolves when all of it is in the queue. What that does not take is sent by this bridge itself. Never rejects. */
  async tell(news: readonly News[]): Promise<void> {
    await Promise.all(
      this.#targets.map(async (target) => {
        const notices = news.filter(({ alert }) => isFor(target, alert)).map(noticeOf);
        if (notices.length === 0) return;
        await this.#add(target, notices).catch((error: Error) => {
          this.#options.log.warn(
            { target: target.name, error: error.message },
            'the queue takes no notices now',
          );
          for (const notice of notices) this.#sendAlone(target, notice);
        });
      }),
    );
  }

  /** Without queue and ledger. Returns at once. */
  tellAlone(alert: Alert, what: News['what']): void {
    for (const target of this.#targets)
      if (isFor(target, alert)) this.#sendAlone(target, noticeOf({ alert, what }));
  }

  /** Rejects while the queue is away. */
  async reports(): Promise<readonly TargetReport[]> {
    return Promise.all(
      Array.from(this.#ways, ([name, { queue }]) => queue.ask((asked) => reportOf(name, asked))),
    );
  }

  /** What is not sent by then is left for the next start, or for another bridge. */
  async close(withinMs: number): Promise<void> {
    const ways = [...this.#ways.values()];
    const closing = ways.map((way) => closeWay(way, withinMs));
    // What is under way has half of the time.
    const late = setTimeout(() => this.#stop.abort(), withinMs / 2);
    await Promise.all(closing);
    clearTimeout(late);
    this.#stop.abort();
  }

  #targetOf(name: string): AlertTarget | undefined {
    return this.#targets.find((target) => target.name === name);
  }

  #open(name: string): Way {
    const { log } = this.#options;
    // Two of each target, and one to listen.
    const connection = { ...this.#options.connection, most: 1 };
    const queueName = `alerts-${name}`;
    const queue = new ReadyQueue<Notice>(queueName, connection, log, ASK_MS);
    const closing = new AbortController();
    const create = (): WorkerOf<Notice> => {
      const deliver = (job: Job<Notice>, token?: string) => this.#deliver(name, queue, job, token);
      const worker = createWorker<Notice>(queueName, connection, deliver, WORKER_OPTIONS);
      worker.on('error', (error) =>
        log.debug({ target: name, error: error.message }, 'notices cannot be looked for now'),
      );
      return worker;
    };
    return { queue, closing, worker: startWorker(create, closing.signal, log) };
  }

  async #add(target: AlertTarget, notices: readonly Notice[]): Promise<void> {
    const way = this.#ways.get(target.name);
    await way?.queue.ask(async (queue) => {
      const { prioritized = 0, delayed = 0 } = await queue.getJobCounts('prioritized', 'delayed');
      const room = Math.max(0, MOST_WAITING - prioritized - delayed);
      for (const { alert } of notices.slice(room))
        this.#count('failed', target, alert, 'too many wait for it');
      // One at a time, over all bridges.
      await queue.setGlobalConcurrency(1);
      await queue.addBulk(
        notices
          .slice(0, room)
          .map((data) => ({ name: data.what, data, opts: { ...OPTIONS, priority: PRIORITY[data.what] } })),
      );
    });
  }

  /** Resolves with why it was not taken before, where it was not. */
  async #deliver(
    name: string,
    queue: ReadyQueue<Notice>,
    job: Job<Notice>,
    token: string | undefined,
  ): Promise<string | undefined> {
    const { data: notice, attemptsMade, timestamp } = job;
    const target = this.#targetOf(name);
    if (!target) return giveBack(job, token);
    const tries = attemptsMade + 1;
    try {
      if (Date.now() - timestamp > DAY_MS) throw new NotTaken('nobody could tell it for a day', true);
      await this.#options.post(target, notice, this.#stop.signal);
      this.#count('delivered', target, notice.alert);
      return attemptsMade > 0 ? job.failedReason : undefined;
    } catch (error) {
      if (!(error instanceof NotTaken)) return giveBack(job, token);
      const isOver = error.isFinal || tries === ATTEMPTS;
      this.#count(isOver ? 'failed' : 'retried', target, notice.alert, error.message);
      if (isOver) throw new UnrecoverableError(error.message);
      await queue.ask((asked) => asked.rateLimit(error.waitMs(tries) + BEHIND_MS));
      throw error;
    }
  }

  /** What is not taken when the bridge stops is lost, and the log has it. */
  #sendAlone(target: AlertTarget, notice: Notice): void {
    const { signal } = this.#stop;
    const tryOn = async (tries: number): Promise<void> => {
      try {
        await this.#options.post(target, notice, signal);
        this.#count('delivered', target, notice.alert);
      } catch (error) {
        const isOver = !(error instanceof NotTaken) || error.isFinal || tries === ATTEMPTS;
        this.#count(isOver ? 'failed' : 'retried', target, notice.alert, (error as Error).message);
        if (isOver) return;
        await pause(error.waitMs(tries), undefined, { signal, ref: false }).catch(() => {}); // the next try says so
        await tryOn(tries + 1);
      }
    };
    void tryOn(1);
  }

  #count(outcome: Try, { name: target }: AlertTarget, { condition, about }: Alert, reason?: string): void {
    this.tries[outcome]++;
    const { log } = this.#options;
    const fields = { event: 'alert-notice', target, condition, about, outcome };
    if (outcome === 'delivered') log.debug(fields, 'a notice was delivered');
    else if (outcome === 'retried')
      log.info({ ...fields, reason }, 'a notice was not taken: it is sent again');
    else log.warn({ ...fields, reason }, 'a notice was not taken, and is given up');
  }
}

function noticeOf({ what, alert }: News): Notice {
  return { v: 1, id: randomUUID(), time: new Date().toISOString(), what, alert };
}

/** It was not tried: it waits as before, for this bridge or another. */
async function giveBack(job: Job<Notice>, token: string | undefined): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

async function closeWay({ queue, closing, worker }: Way, withinMs: number): Promise<void> {
  closing.abort();
  const closed = worker.then((open) => open && closeWithin(open, withinMs));
  await within(withinMs, closed).catch(() => {}); // it ends by itself
  await queue.close(withinMs);
}

type Asked = Parameters<Parameters<ReadyQueue<Notice>['ask']>[0]>[0];

async function reportOf(name: string, queue: Asked): Promise<TargetReport> {
  const [counts, delivered, failed, [taken], [givenUp], [retried]] = await Promise.all([
    queue.getJobCounts('prioritized', 'active', 'delayed'),
    queue.getMetrics('completed', 0, 0),
    queue.getMetrics('failed', 0, 0),
    queue.getJobs(['completed'], 0, 0),
    queue.getJobs(['failed'], 0, 0),
    queue.getJobs(['delayed'], 0, 0),
  ]);
  const { prioritized = 0, active = 0, delayed = 0 } = counts;
  const failures = [taken, givenUp, retried].flatMap((job) => {
    const says = job === taken ? (job?.returnvalue as string | null) : job?.failedReason;
    return job && says ? [{ at: isoOf(job.processedOn), says }] : [];
  });
  return {
    ...{ name, waiting: prioritized + active + delayed },
    ...{ delivered: delivered.meta.count, failed: failed.meta.count },
    lastDeliveredAt: taken ? isoOf(taken.finishedOn) : null,
    lastFailure: failures.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0] ?? null,
  };
}

function isoOf(ms = 0): string {
  return new Date(ms).toISOString();
}
