/** `demo` in tests: whatever the machine, it finds blocks and shares within seconds. */
import { type Program, startProgram } from '../processes/program.js';
import { measureHashes } from '../rigs/measured-hashes.js';

/** Its rig mines in any case; with the CPU beside it, two demos take all of a machine. */
export function startDemo(dataDir: string, env: Record<string, string> = {}, cpu = 'off'): Program {
  const args = ['--data-dir', dataDir, '--stratum-vardiff-start', measureHashes()(0.5), '--cpu-mode', cpu];
  return startProgram(['demo', ...args], env);
}
