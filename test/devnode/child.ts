/** A node in a process of its own, as compiled. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DevNodeOptions } from '../../src/devnode/server.js';
import { EASY } from './helpers.js';

const SCRIPT = fileURLToPath(new URL('../../dist/test/devnode/node-process.js', import.meta.url));

export const isBuilt = existsSync(SCRIPT);
if (!isBuilt)
  process.stderr.write(`LEFT OUT: tests with a node in its own process, because ${SCRIPT} is not built\n`);

export interface NodeProcess {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts a node whose blocks are easy; resolves when it serves. */
export async function startNodeProcess(options: DevNodeOptions): Promise<NodeProcess> {
  const child = spawn(process.execPath, [SCRIPT, JSON.stringify({ ...EASY, ...options })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  if (stdout === null) throw new Error('the node has no stdout');
  const [line] = (await once(stdout, 'data')) as [Buffer];
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url };
}
