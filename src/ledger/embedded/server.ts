/** One run of the embedded PostgreSQL: started, waited for, stopped. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../core/names/log.js';
import { LedgerError } from '../database/errors.js';
import { type Cluster, explainWords } from './cluster.js';
import { endWithUs } from './end-with-us.js';
import { clearLeftOver } from './left-over.js';
import type { ServerParts } from './parts.js';
import { type Answer, ask, connectionStringOf, listenSettings, type Reach } from './reach.js';

export interface Server {
  /** Resolves when the process has ended, with words for it. */
  readonly ended: Promise<string>;
  /**
   * Fast shutdown: sessions are cut, what is committed is written. Where that takes too long it ends at once, and the next start
   * recovers. Resolves when the process has ended.
   */
  stop(withinMs?: number): Promise<void>;
}

/** Of the time for a stop, to end at once. */
const AT_ONCE = 1 / 4;
const STOP_MS = 8000;
const POLL_MS = 25;
/** A server that runs says at least that it is starting. */
const SILENT_LIMIT_MS = 60_000;
/** Recovery after a crash reads all that was written since the last checkpoint, minutes ago: this is far beyond. */
const RECOVERY_LIMIT_MS = 3_600_000;
const TELL_MS = 10_000;
/** Its own children may hold the pipe for longer than it lives. */
const LAST_WORDS_MS = 1000;
/** What it says until it writes its own log. */
const KEPT_OUTPUT = 16_384;

/** Everything that makes a commit mean what it says. */
function settings({ hba }: Cluster, reach: Reach): string[] {
  return [
    ...listenSettings(reach),
    `hba_file=${hba}`,
    'fsync=on',
    'full_page_writes=on',
    'synchronous_commit=on',
    'timezone=UTC',
    'logging_collector=on',
    'log_filename=server-%a.log',
    'log_truncate_on_rotation=on',
    'log_rotation_age=1d',
    'log_rotation_size=0',
  ].flatMap((setting) => ['-c', setting]);
}

/** Resolves when the server answers; throws LedgerError with the server's own words when it ends instead. */
export async function startServer(parts: ServerParts, reach: Reach): Promise<Server> {
  await clearLeftOver(parts, reach);
  const child = parts.user.spawn(
    parts.binaries.postgres,
    ['-D', parts.cluster.data, ...settings(parts.cluster, reach)],
    ['ignore', 'pipe', 'pipe'],
  );
  const words = collect(child);
  const saidAll = new Promise((done) => child.once('close', done));
  const ended = new Promise<string>((done) => {
    child.once('exit', (code, signal) => done(signal ?? `exit code ${code}`));
  });
  await new Promise<void>((done, fail) => child.once('error', fail).once('spawn', done));
  // At once: what is committed is in its log, from which the next start recovers.
  endWithUs(child, 'SIGQUIT');
  const server = { ended, stop: (withinMs = STOP_MS) => stopServer(child, ended, withinMs) };
  try {
    await untilReady(child, connectionStringOf(reach), parts.log);
  } catch (error) {
    await server.stop();
    throw error;
  }
  if (hasEnded(child)) {
    await Promise.race([saidAll, pause(LAST_WORDS_MS)]);
    throw explainWords(words(), parts.cluster.data, 'the embedded PostgreSQL did not start');
  }
  return server;
}

function collect(child: ChildProcess): () => string {
  let words = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      words = `${words}${chunk}`.slice(-KEPT_OUTPUT);
    });
  }
  return () => words;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves when it answers, or has ended. Throws when it refuses us, or takes longer than anything reasonable. */
async function untilReady(child: ChildProcess, connectionString: string, log: Log): Promise<void> {
  const startedAtMs = performance.now();
  let heardAtMs = startedAtMs;
  let toldAtMs = startedAtMs;
  while (!hasEnded(child)) {
    const answer = await ask(connectionString);
    if (answer.is === 'ready') return;
    const nowMs = performance.now();
    if (answer.is === 'busy') heardAtMs = nowMs;
    if (answer.is === 'refused') throw refusal(answer);
    if (nowMs - heardAtMs > SILENT_LIMIT_MS || nowMs - startedAtMs > RECOVERY_LIMIT_MS)
      throw tooLong(nowMs - startedAtMs, answer);
    if (nowMs - toldAtMs > TELL_MS) {
      toldAtMs = nowMs;
      log.info(
        { seconds: Math.round((nowMs - startedAtMs) / 1000) },
        'the embedded PostgreSQL is still starting',
      );
    }
    await pause(POLL_MS);
  }
}

function refusal({ error }: Extract<Answer, { is: 'refused' }>): LedgerError {
  const sentence = `the embedded PostgreSQL refuses its own bridge (${error.message}): bring the file password back from a copy, or look into its log in data/log`;
  return new LedgerError('start-failed', sentence, { cause: error });
}

function tooLong(ms: number, answer: Exclude<Answer, { is: 'ready' }>): LedgerError {
  const why = answer.is === 'busy' ? 'it is still recovering' : answer.error.message;
  const sentence = `the embedded PostgreSQL did not answer within ${Math.round(ms / 1000)} s (${why}): look into its log in data/log`;
  return new LedgerError('start-failed', sentence);
}

async function stopServer(child: ChildProcess, ended: Promise<string>, withinMs: number): Promise<void> {
  const patience = new AbortController();
  const waited = (timeoutMs: number): Promise<boolean> =>
    Promise.race([
      ended.then(() => true),
      pause(timeoutMs, false, { signal: patience.signal }).catch(() => false),
    ]);
  if (hasEnded(child)) return;
  child.kill('SIGINT');
  if (!(await waited(withinMs * (1 - AT_ONCE)))) {
    child.kill('SIGQUIT');
    if (!(await waited(withinMs * AT_ONCE))) child.kill('SIGKILL');
  }
  await ended;
  patience.abort();
}
