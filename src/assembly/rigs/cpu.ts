/** The CPU, and whatever else makes blocks in this process, from the settings. */

import { kernelAdvice } from '../../../workers/kernel-advice.js';
import { chooseKernel, type MeasuredKernel } from '../../../workers/kernels.js';
import { defaultThreads } from '../../../workers/pool.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import { startCpuMode } from '../../cpu/modes.js';
import { MakeBlocksError, parseBlockCounts } from '../../cpu/on-demand.js';
import type { Cpu, CpuOptions } from '../../cpu/options.js';
import type { Answer } from '../../web/server.js';
import type { Site } from '../site.js';
import { processesOf } from './limits.js';
import type { Mining } from './mining.js';

/** Whom it pays, and what it needs of the chains' side. */
type CpuParts = Pick<CpuOptions, 'account' | 'send' | 'wantChain' | 'jobs' | 'mines'>;

/** Throws CpuModeError or KernelError. */
export function startCpu(site: Site, mining: Mining, parts: CpuParts): Cpu {
  const { config, log, open, events } = site;
  const cpu = startCpuMode({
    ...mining,
    ...parts,
    events,
    log,
    mode: config['cpu.mode'],
    chooseKernel: () => kernelFrom(config, log),
    threads: threadsFrom(config),
    random: Math.random,
    simulatedHashesPerSecond: config['cpu.hashRate'],
    blockDelayMs: config['cpu.blockDelay'],
    externalCommand: config['cpu.command'],
  });
  open.add('CPU', () => cpu.close());
  return cpu;
}

function kernelFrom(config: BridgeConfig, log: Log): MeasuredKernel {
  const forced = config['cpu.kernel'];
  const kernel = chooseKernel(forced === 'auto' ? undefined : forced, log);
  const advice = kernelAdvice(kernel.name);
  if (advice) log.info({ event: 'kernel-advice', kernel: kernel.name }, advice);
  return kernel;
}

/** Threads that hash in this process: its part of those of the machine. */
function threadsFrom(config: BridgeConfig): number {
  const threads = config['cpu.threads'] || defaultThreads();
  return Math.max(1, Math.floor(threads / processesOf(config)));
}

const STATUS_OF: Readonly<Record<MakeBlocksError['code'], number>> = {
  'bad-request': 400,
  busy: 429,
  refused: 502,
  'no-work': 503,
};

/** `POST /make-blocks`; `undefined` where blocks are not made on demand. */
export function blockMakingOf(cpu: Cpu): ((body: unknown) => Promise<Answer>) | undefined {
  if (!cpu.makeBlocks) return undefined;
  return async (body) => {
    try {
      const counts = parseBlockCounts(body);
      await cpu.makeBlocks?.(counts);
      return { status: 200, body: { made: Object.fromEntries(counts) } };
    } catch (error) {
      if (!(error instanceof MakeBlocksError)) throw error;
      const { code, message, made } = error;
      return { status: STATUS_OF[code], body: { error: message, code, made: Object.fromEntries(made) } };
    }
  };
}
