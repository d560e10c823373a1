import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { KERNEL_NAMES, NATIVE_KERNEL_NAMES } from '../../workers/kernel.js';
import { type Installed, kernelAdvice } from '../../workers/kernel-advice.js';

const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The package in a folder of that name, with the source of the kernel. */
function packageIn(name: string): URL {
  const root = pathToFileURL(`${join(folder, name)}/`);
  mkdirSync(new URL('workers/native', root), { recursive: true });
  writeFileSync(new URL('workers/native/kernel.c', root), '');
  return root;
}

const CHECKOUT = packageIn('checkout');
const LOCAL = packageIn('pool/node_modules/stratum-bridge');
writeFileSync(join(folder, 'pool/package.json'), '{}');
const GLOBAL = packageIn('lib/node_modules/stratum-bridge');

const PC: Installed = {
  platform: 'linux',
  arch: 'x64',
  root: LOCAL,
  fault: 'it was not built',
  tried: false,
};
const advice = (changes: Partial<Installed>) => kernelAdvice('simd', { ...PC, ...changes });

describe('advice on kernels', () => {
  it('is none where a native one mines, or all that could load did', () => {
    for (const name of NATIVE_KERNEL_NAMES) expect(kernelAdvice(name, PC)).toBeUndefined();
    for (const name of KERNEL_NAMES) expect(kernelAdvice(name, { ...PC, fault: undefined })).toBeUndefined();
  });

  it('is none where no native one can be built: on ARM, on Windows, without its source', () => {
    expect(advice({ arch: 'arm64' })).toBeUndefined();
    expect(advice({ platform: 'win32' })).toBeUndefined();
    expect(advice({ root: pathToFileURL(`${join(folder, 'only-what-is-compiled')}/`) })).toBeUndefined();
  });

  it('is the build in a checkout', () => {
    expect(advice({ root: CHECKOUT })).toMatch(/but it was not built\. .* `npm run build` builds it$/);
  });

  it('is a rebuild in the project that installed the package', () => {
    const text = advice({ tried: true, fault: 'there is no C compiler (cc)' });
    expect(text).toContain('there is no C compiler (cc). With a C compiler (gcc or clang) there');
    expect(text).toContain(`\`npm rebuild stratum-bridge\` in ${join(folder, 'pool')}/ builds it`);
  });

  it('names the words that let npm run the script when it did not', () => {
    expect(advice({})).toContain('`npm rebuild stratum-bridge --ignore-scripts=false` in ');
    expect(advice({})).toContain('`npm approve-scripts stratum-bridge`');
  });

  it('is the script itself where there is no project, as in an install for all users', () => {
    const script = join(folder, 'lib/node_modules/stratum-bridge/workers/native/at-install.js');
    expect(advice({ root: GLOBAL })).toContain(`\`node ${script}\` builds it`);
  });
});
