/** Every `cpu.mode` behind one interface. */

import type { BlockMaker, BlockMakerParts } from './block-maker.js';
import { type Cpu, type CpuOptions, startCpu } from './cpu.js';
import { startExternal } from './external.js';
import { type BlockCounts, startOnDemand } from './on-demand.js';
import { startConstantDelay, startSimulation } from './timed-makers.js';

/**
 * `always`, `fallback` and `off` search for nonces, and `external` has a command of the operator's do so; the others
 * make blocks without searching, for networks whose nodes take any nonce.
 */
export const CPU_MODES = [
  'fallback',
  'always',
  'off',
  'simulation',
  'constant-delay',
  'on-demand',
  'external',
] as const;
export type CpuMode = (typeof CPU_MODES)[number];

export interface CpuModeOptions extends Omit<CpuOptions, 'mode'>, BlockMakerParts {
  readonly mode: CpuMode;
  /** 0 to 1. */
  random(): number;
  /** Asks the node for a work of this chain, out of turn; for `on-demand`. */
  wantChain(chainId: number): void;
  /** For `simulation`. */
  readonly simulatedHashesPerSecond: number;
  /** For `constant-delay`. */
  readonly blockDelayMs: number;
  /** Program and arguments, for `external`. */
  readonly externalCommand: readonly string[];
}

export interface RunningCpu extends Cpu {
  /** Only where the mode is `on-demand`. Throws MakeBlocksError. */
  makeBlocks?(counts: BlockCounts): Promise<void>;
}

/** The settings do not say what the mode needs to know. */
export class CpuModeError extends Error {
  override readonly name = 'CpuModeError';
  readonly code = 'cpu-mode';
}

/** Starts what `mode` names. Throws {@link CpuModeError}. */
export function startCpuMode(options: CpuModeOptions): RunningCpu {
  switch (options.mode) {
    case 'always':
    case 'fallback':
    case 'off':
      return startCpu({ ...options, mode: options.mode });
    case 'simulation':
      mustBePositive(options.simulatedHashesPerSecond, 'simulation needs a hash rate');
      return asCpu(startSimulation({ ...options, hashesPerSecond: options.simulatedHashesPerSecond }));
    case 'constant-delay':
      mustBePositive(options.blockDelayMs, 'constant-delay needs the time between two blocks');
      return asCpu(startConstantDelay({ ...options, delayMs: options.blockDelayMs }));
    case 'on-demand': {
      const maker = startOnDemand(options);
      return { ...asCpu(maker), makeBlocks: (counts) => maker.makeBlocks(counts) };
    }
    case 'external':
      return asCpu(startExternal({ ...options, command: commandOf(options.externalCommand) }));
  }
}

function mustBePositive(value: number, need: string): void {
  if (!(value > 0 && Number.isFinite(value))) throw new CpuModeError(`${need} above zero, not ${value}`);
}

function commandOf([program, ...args]: readonly string[]): [string, ...string[]] {
  if (!program) throw new CpuModeError('external needs a command');
  return [program, ...args];
}

/** It has no threads, and works beside rigs. */
function asCpu(maker: BlockMaker): Cpu {
  return {
    offerJob: (job) => maker.offerJob(job),
    retireChains: (chainIds) => maker.retireChains(chainIds),
    close: () => maker.close(),
    rigsConnected() {},
    hashesPerSecond: () => [],
  };
}
