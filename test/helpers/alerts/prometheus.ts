/** A real Prometheus for tests, with its data in a folder of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePorts } from '../processes/ports.js';
import { until } from '../until.js';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** Time in seconds, and the value as text. */
  readonly value: readonly [number, string];
}

export interface TestPrometheus extends AsyncDisposable {
  /** Samples that an expression has now; rejects when it is no expression. */
  ask(expression: string): Promise<readonly Sample[]>;
}

export async function startPrometheus(configFile: string, folder: string): Promise<TestPrometheus> {
  const [port = 0] = await freePorts(1);
  const flags = [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  const server = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  // What a test leaves behind that failed ends with the process that ran it.
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(server, 'exit');
  const ask = async (expression: string): Promise<readonly Sample[]> => {
    const body = new URLSearchParams({ query: expression });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query`, { method: 'POST', body });
    const { data, error } = (await answer.json()) as { data?: { result: Sample[] }; error?: string };
    if (!data) throw new Error(`${expression}: ${error}`);
    return data.result;
  };
  await until('Prometheus answers', async () => {
    if (server.exitCode !== null) throw new Error(`Prometheus ended: ${said}`);
    const answer = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined); // not up yet
    return answer?.ok;
  });
  return {
    ask,
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
    },
  };
}
