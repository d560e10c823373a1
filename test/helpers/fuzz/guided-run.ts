/** The guided parsers in a process of their own, whose code is as it was built: nothing else is counted there. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Reach } from './guided-parsers.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/test/helpers/fuzz/guided-parsers.js', import.meta.url));

/** Rejects with the shortest input that shows a fault. */
export async function guideParsers(seed: number, inputs: number): Promise<Reach> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, `${seed}`, `${inputs}`], {
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(stdout) as Reach;
}
