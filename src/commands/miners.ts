/** What makes blocks in this process, from the settings. */
import { chooseKernel, kernelAdvice } from '../../workers/kernels.js';
import { defaultThreads } from '../../workers/pool.js';
import type { BridgeConfig } from '../config/settings.js';
import { type CpuModeOptions, type RunningCpu, startCpuMode } from '../cpu/modes.js';
import { MakeBlocksError, parseBlockCounts } from '../cpu/on-demand.js';
import type { Answer } from '../web/server.js';

type Parts = Omit<
  CpuModeOptions,
  'mode' | 'kernel' | 'threads' | 'random' | 'simulatedHashesPerSecond' | 'blockDelayMs' | 'externalCommand'
>;

/** The modes that hash in this process. */
const SEARCHING = ['always', 'fallback'];

/** Throws CpuModeError or KernelError. */
export function startMiners(config: BridgeConfig, parts: Parts): RunningCpu {
  const mode = config['cpu.mode'];
  const forced = config['cpu.kernel'];
  const searches = SEARCHING.includes(mode);
  const kernel = searches ? chooseKernel(forced === 'auto' ? undefined : forced, parts.log) : 'plain';
  const advice = searches ? kernelAdvice(kernel) : undefined;
  if (advice) parts.log.info({ event: 'kernel-advice', kernel }, advice);
  return startCpuMode({
    ...parts,
    mode,
    kernel,
    threads: cpuThreads(config),
    random: Math.random,
    simulatedHashesPerSecond: config['cpu.hashRate'],
    blockDelayMs: config['cpu.blockDelayMs'],
    externalCommand: config['cpu.command'],
  });
}

/** Threads that hash while the CPU mines; 0 in modes that do not search. */
export function cpuThreads(config: BridgeConfig): number {
  return SEARCHING.includes(config['cpu.mode']) ? config['cpu.threads'] || defaultThreads() : 0;
}

const STATUS_OF: Readonly<Record<MakeBlocksError['code'], number>> = {
  'bad-request': 400,
  busy: 429,
  refused: 502,
  'no-work': 503,
};

/** `POST /make-blocks`; `undefined` where blocks are not made on demand. */
export function blockMakingOf(cpu: RunningCpu): ((body: unknown) => Promise<Answer>) | undefined {
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
