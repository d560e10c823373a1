import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWhereNeeded } from '../../workers/native/build.js';
import { nativePlace, unfitReason } from '../../workers/native/place.js';
import { compilerRuns } from '../helpers/processes/compiler.js';

const ROOT = new URL('../../', import.meta.url);
const NO_COMPILER = '/nowhere/cc';
const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fits = unfitReason(process.platform, process.arch) === undefined;
const hasCompiler = fits && compilerRuns();
if (!hasCompiler) process.stderr.write('LEFT OUT: building the native kernel (no C compiler for x86-64)\n');

/** A package as it is unpacked, as far as the kernel goes: sources, and nothing built. */
function unpacked(name: string): URL {
  const root = pathToFileURL(`${join(folder, name)}/`);
  mkdirSync(root);
  for (const part of ['package.json', 'workers/native']) {
    cpSync(new URL(part, ROOT), new URL(part, root), { recursive: true });
  }
  return root;
}

const builtIn = (root: URL): string[] => readdirSync(new URL('.', nativePlace(root).addon));

describe('building the native kernel', () => {
  const place = nativePlace(unpacked('good'));
  beforeAll(() => {
    if (hasCompiler) buildWhereNeeded(place, 'cc');
  });

  it.skipIf(!hasCompiler)('makes an addon that loads and refuses what is no block', () => {
    const addon = createRequire(import.meta.url)(fileURLToPath(place.addon));
    const searches = Object.values(addon as Record<string, (...args: unknown[]) => number>);
    for (const search of searches) {
      const impossible = new Uint32Array(26);
      expect(() => search(impossible.subarray(1), 0, 1, 1)).toThrow(TypeError);
      expect(() => search(impossible, 0, 1)).toThrow(TypeError);
      expect(() => search('block', 0, 1, 1)).toThrow(TypeError);
      expect(search(impossible, 0, 1, 0)).toBe(0);
    }
  });

  it.skipIf(!hasCompiler)('lets a good one be, and makes anew one that is older than its source', () => {
    expect(buildWhereNeeded(place, NO_COMPILER)).toBeUndefined();
    utimesSync(place.addon, 0, 0);
    expect(buildWhereNeeded(place, 'cc')).toBeUndefined();
    expect(statSync(place.addon).mtimeMs).toBeGreaterThan(0);
  });

  it.skipIf(!hasCompiler)('makes anew one that does not load, or keeps why it cannot', () => {
    const moved = unpacked('moved');
    const { addon } = nativePlace(moved);
    mkdirSync(new URL('.', addon), { recursive: true });
    writeFileSync(addon, 'of another machine');
    expect(buildWhereNeeded(nativePlace(moved), NO_COMPILER)).toContain('there is no C compiler');
    expect(builtIn(moved)).toEqual(['not-built.txt']);
    expect(buildWhereNeeded(nativePlace(moved), 'cc')).toBeUndefined();
    expect(builtIn(moved)).toEqual(['kernel.length', 'kernel.node']);
  });

  it.skipIf(!fits)('keeps why when there is no compiler, and nothing else', () => {
    const root = unpacked('none');
    const reason = buildWhereNeeded(nativePlace(root), NO_COMPILER);
    expect(reason).toBe(`there is no C compiler (${NO_COMPILER})`);
    expect(builtIn(root)).toEqual(['not-built.txt']);
    expect(readFileSync(nativePlace(root).fault, 'utf8')).toBe(reason);
  });

  it.skipIf(!hasCompiler)('keeps what the compiler says, and nothing else', () => {
    const root = unpacked('bad');
    rmSync(nativePlace(root).included);
    expect(buildWhereNeeded(nativePlace(root), 'cc')).toMatch(/^the C compiler failed: .+kernel\.c/);
    expect(builtIn(root)).toEqual(['not-built.txt']);
  });

  it.skipIf(!hasCompiler)('CU12: is not loaded where it was cut off, and is made anew', () => {
    const root = unpacked('cut');
    buildWhereNeeded(nativePlace(root), 'cc');
    cpSync(new URL('dist/workers', ROOT), new URL('dist/workers', root), { recursive: true });
    for (const part of ['dist/src/core', 'node_modules/@noble'])
      cpSync(new URL(part, ROOT), new URL(part, root), { recursive: true });
    truncateSync(nativePlace(root).addon, 14_000);
    const kernels = new URL('dist/workers/kernels.js', root).href;
    const code = `const { tryKernel } = await import('${kernels}'); console.log(tryKernel('avx2'));`;
    const { status, signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    expect([status, signal]).toEqual([0, null]);
    expect(stdout).toContain('kernel.node is not as it was built');
    expect(buildWhereNeeded(nativePlace(root), 'cc')).toBeUndefined();
    expect(statSync(nativePlace(root).addon).size).toBeGreaterThan(14_000);
  });

  it.skipIf(!hasCompiler)(
    'CU17: takes options with the name of the compiler, and says how one ended that says nothing',
    () => {
      const root = unpacked('options');
      expect(buildWhereNeeded(nativePlace(root), 'false')).toBe(
        'the C compiler failed: false ended with exit code 1',
      );
      expect(buildWhereNeeded(nativePlace(root), 'cc  -m64')).toBeUndefined();
    },
  );

  it('is tried on x86-64 that is not Windows', () => {
    expect(unfitReason('linux', 'x64')).toBeUndefined();
    expect(unfitReason('darwin', 'x64')).toBeUndefined();
    expect(unfitReason('linux', 'arm64')).toBe('it is for x86-64, this is arm64');
    expect(unfitReason('win32', 'x64')).toBe('it is not made for Windows');
  });
});

describe('the install script', () => {
  const run = (root: URL) => {
    const script = fileURLToPath(new URL('workers/native/at-install.js', root));
    const env = { ...process.env, CC: NO_COMPILER };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('does nothing in a checkout that is not built yet', () => {
    const root = unpacked('fresh');
    expect(run(root)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(existsSync(new URL('dist', root))).toBe(false);
  });

  it('says why there is no kernel, and succeeds', () => {
    const root = unpacked('installed');
    const compiled = 'dist/workers/native';
    cpSync(new URL(compiled, ROOT), new URL(compiled, root), { recursive: true });
    const { status, stdout, stderr } = run(root);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(
      /^No native kernel: (there is no C compiler|it is ).*\. WebAssembly mines instead\.\n$/,
    );
  });

  it('succeeds where it cannot write', () => {
    const root = unpacked('full');
    const compiled = 'dist/workers/native';
    cpSync(new URL(compiled, ROOT), new URL(compiled, root), { recursive: true });
    writeFileSync(new URL('dist/native', root), 'in the way');
    expect(run(root)).toMatchObject({ status: 0, stderr: '' });
    expect(run(root).stdout).toMatch(/^The native kernel could not be built: /);
  });
});
