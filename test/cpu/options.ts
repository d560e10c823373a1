/** All that a mode of the CPU is given, for tests that set what they are about. */
import { createBridgeEvents } from '../../src/bridge/events.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { SILENT } from '../../src/core/names/log.js';
import type { CpuOptions } from '../../src/cpu/options.js';
import { THREAD_URL } from '../helpers/processes/threads.js';

export function cpuOptions(overrides: Partial<CpuOptions>): CpuOptions {
  const ids = { next: 1 };
  return {
    mode: 'always',
    account: 'k:miner',
    threads: 1,
    chooseKernel: () => ({ name: 'scalar', hashesPerSecond: 5e6 }),
    judge: { judge: () => ({ accepted: false, reason: 'stale', detail: '' }) },
    jobs: { rollJob: () => undefined },
    nonces: new NonceSpace(1000),
    events: createBridgeEvents(),
    clock: { nowMs: () => performance.now() },
    log: SILENT,
    nextSessionId: () => ids.next++,
    threadUrl: THREAD_URL,
    send: () => undefined,
    random: () => 0.5,
    mines: () => undefined,
    wantChain: () => undefined,
    simulatedHashesPerSecond: 1e6,
    blockDelayMs: 20,
    externalCommand: [process.execPath, '-e', 'process.stdout.write("0000000000000000")'],
    ...overrides,
  };
}
