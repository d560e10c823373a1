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

/** Makes of each name what hashes as the scalar kernel does, but for what is said of it. */
function making(
  of: (name: KernelName) => { delayMs?: number; isMissing?: boolean; isHalfBlind?: boolean },
): (name: KernelName) => Kernel {
  return (name) => {
    const { delayMs = 0, isMissing, isHalfBlind } = of(name);
    if (isMissing) throw new Error('not on this machine');
    const kernel = createKernel('scalar');
    return {
      name,
      prepare: (header, topWord) => kernel.prepare(header, topWord),
      firstCandidate(first, step, count) {
        const begunMs = performance.now();
        // The few nonces by which it is tried take no time.
        while (count > 1000 && performance.now() - begunMs < delayMs);
        const index = kernel.firstCandidate(first, step, count);
        // It never finds anything in its second lane.
        return isHalfBlind && index % 4 === 1 ? Math.min(index + 1, count) : index;
      },
    };
  };
}

it('CU11: takes the fastest kernel, whatever its place in the list, and says how fast the others are', () => {
  for (const fastest of KERNEL_NAMES) {
    const { log, said } = recorder();
    const make = making((name) => ({ delayMs: name === fastest ? 0 : 5 }));
    expect(chooseKernel(undefined, log, make).name).toBe(fastest);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(`the kernel is ${fastest}`);
    for (const name of KERNEL_NAMES.filter((name) => name !== fastest))
      expect(said[0]).toContain(`{"name":"${name}","hashesPerSecond":`);
  }
});

it('CU11: never takes a kernel that misses nonces, however fast it is', () => {
  const { log, said } = recorder();
  const make = making((name) => (name === 'simd' ? { delayMs: 5 } : { isHalfBlind: true }));
  expect(chooseKernel(undefined, log, make).name).toBe('simd');
  expect(said[0]).toContain('scalar: it found other nonces than node:crypto');
});

it('CU11: takes the kernel that it was told to, however slow it is', () => {
  const make = making((name) => ({ delayMs: name === 'scalar' ? 5 : 0 }));
  const { name, hashesPerSecond } = chooseKernel('scalar', undefined, make);
  expect(name).toBe('scalar');
  expect(hashesPerSecond).toBeLessThan(1e6);
});

it('says why where no kernel runs, or not the one that it was told to take', () => {
  const make = making((name) => (name === 'scalar' ? { isHalfBlind: true } : { isMissing: true }));
  expect(() => chooseKernel('simd', undefined, make)).toThrow(
    new KernelError('no kernel runs here: simd: not on this machine'),
  );
  expect(() => chooseKernel(undefined, undefined, make)).toThrow('; scalar: it found other nonces');
});

it.each(KERNEL_NAMES)('can be told to take the %s kernel of this machine', (name) => {
  if (runs(name)) expect(chooseKernel(name).name).toBe(name);
  else expect(() => chooseKernel(name)).toThrow(KernelError);
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
