import { expect, it } from 'vitest';
import type { Log } from '../../src/core/names/log.js';
import { benchmarkKernels, type KernelSpeed } from '../../workers/benchmark.js';
import { KERNEL_NAMES, type Kernel, type KernelName } from '../../workers/kernel.js';
import { chooseKernel, createKernel, KernelError } from '../../workers/kernels.js';

function recorder(): { log: Log; said: string[] } {
  const said: string[] = [];
  const say = (fields: object, message: string): void =>
    void said.push(`${message} ${JSON.stringify(fields)}`);
  return { said, log: { debug: say, info: say, warn: say, error: say } };
}

/** Makes the kernels as usual, but for those named. */
function spoiling(
  faults: Partial<Record<KernelName, (kernel: Kernel) => Kernel>>,
): (name: KernelName) => Kernel {
  return (name) => (faults[name] ?? ((kernel: Kernel) => kernel))(createKernel(name));
}

const missing = (): Kernel => {
  throw new Error('not on this machine');
};
/** Never finds anything in its second lane. */
const halfBlind = (kernel: Kernel): Kernel => ({
  ...kernel,
  prepare: (header, topWord) => kernel.prepare(header, topWord),
  firstCandidate(first, step, count) {
    const index = kernel.firstCandidate(first, step, count);
    return index % 4 === 1 ? Math.min(index + 1, count) : index;
  },
});

it('takes the first kernel that runs here', () => {
  const { log, said } = recorder();
  const name = chooseKernel(undefined, log);
  expect(KERNEL_NAMES).toContain(name);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(`the kernel is ${name}`);
});

it('passes over kernels that do not run, down to the plain one', () => {
  const { log, said } = recorder();
  const all = Object.fromEntries(
    KERNEL_NAMES.filter((name) => name !== 'plain').map((name) => [name, missing]),
  );
  expect(chooseKernel(undefined, log, spoiling(all))).toBe('plain');
  expect(said[0]).toContain('simd: not on this machine');
});

it('passes over a kernel that misses nonces', () => {
  const faults = Object.fromEntries(
    KERNEL_NAMES.filter((name) => name !== 'scalar').map((name) => [name, halfBlind]),
  );
  expect(chooseKernel(undefined, undefined, spoiling(faults))).toBe('scalar');
});

it.each(KERNEL_NAMES)('can be told to take the %s kernel', (name) => {
  if (runs(name)) expect(chooseKernel(name)).toBe(name);
  else expect(() => chooseKernel(name)).toThrow(KernelError);
});

it('says why when the kernel it was told to take does not run', () => {
  expect(() => chooseKernel('simd', undefined, spoiling({ simd: missing }))).toThrow(
    'no kernel runs here: simd: not on this machine',
  );
});

it('measures every kernel, and says why one does not run', async () => {
  const speeds: KernelSpeed[] = [];
  for await (const speed of benchmarkKernels(0.02)) speeds.push(speed);
  expect(speeds.map(({ kernel }) => kernel)).toEqual([...KERNEL_NAMES]);
  for (const { kernel, hashesPerSecond, fault } of speeds) {
    if (runs(kernel)) expect(hashesPerSecond).toBeGreaterThan(0);
    else expect(fault).not.toBe('');
  }
});

function runs(name: KernelName): boolean {
  try {
    createKernel(name);
    return true;
  } catch {
    return false;
  }
}
