/** Every `cpu.mode` behind one interface. */
import { CpuRig } from './cpu.js';
import { External } from './external.js';
import { OnDemand } from './on-demand.js';
import type { Cpu, CpuMode, CpuOptions } from './options.js';
import { startConstantDelay, startSimulation } from './timed-blocks.js';

/** The settings do not say what the mode needs to know. */
export class CpuModeError extends Error {
  override readonly name = 'CpuModeError';
  readonly code = 'cpu-mode';
}

const OFF: Cpu = { offerJob() {}, retireChains() {}, close: async () => undefined };

const MODES: Readonly<Record<CpuMode, (options: CpuOptions) => Cpu>> = {
  always: (options) => new CpuRig(options),
  fallback: (options) => new CpuRig(options),
  off: () => OFF,
  simulation(options) {
    mustBePositive(options.simulatedHashesPerSecond, 'simulation needs a hash rate');
    return startSimulation(options);
  },
  'constant-delay': (options) => {
    mustBePositive(options.blockDelayMs, 'constant-delay needs the time between two blocks');
    return startConstantDelay(options);
  },
  'on-demand': (options) => new OnDemand(options),
  external(options) {
    const [program, ...args] = options.externalCommand;
    if (!program) throw new CpuModeError('external needs a command');
    return new External(options, [program, ...args]);
  },
};

/** Starts what `mode` names. Throws {@link CpuModeError}. */
export function startCpuMode(options: CpuOptions): Cpu {
  return MODES[options.mode](options);
}

function mustBePositive(value: number, need: string): void {
  if (!(value > 0 && Number.isFinite(value))) throw new CpuModeError(`${need} above zero, not ${value}`);
}
