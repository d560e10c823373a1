/** A real Redis for tests: found, installed or left out by debian.ts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findPrograms } from '../processes/debian.js';
import { freePort } from '../processes/ports.js';
import { until } from '../until.js';

/** Why there is no Redis, or `undefined` when there is one. Says the reason on stderr. */
export function findRedis(): Promise<string | undefined> {
  return findPrograms('tests on Redis', ['redis-server'], 'redis-server');
}

export interface TestRedis {
  readonly url: string;
  /** As `kill -9`. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Stops its clock: connections stay, answers do not come. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** With the persistence that the bridge asks for: every write is on the disk before it is answered. */
export async function startTestRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'stratum-bridge-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const persistence = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    server = spawn('redis-server', [...place, ...persistence], { stdio: 'ignore' });
    const started = server;
    await until('Redis answers', () => {
      if (started.exitCode !== null) throw new Error(`Redis ended with ${started.exitCode}`);
      return answers(url);
    });
  };
  const kill = async (): Promise<void> => {
    const dying = server;
    server = undefined;
    if (!dying || dying.exitCode !== null) return;
    const ended = once(dying, 'exit');
    dying.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url,
    kill,
    start,
    freeze: () => server?.kill('SIGSTOP'),
    thaw: () => server?.kill('SIGCONT'),
    close: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {}); // it is asked again
  try {
    await client.connect();
    await client.ping();
    return true;
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}
