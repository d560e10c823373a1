import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { buildNativeKernel } from '../../workers/native/build.js';

const SOURCE = new URL('../../workers/native/kernel.c', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const hasCompiler = compilerRuns() && process.arch === 'x64';
if (!hasCompiler) process.stderr.write('LEFT OUT: building the native kernel (no C compiler for x86-64)\n');

function compilerRuns(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function build(name: string, compiler: string, source = SOURCE): { fault: string | undefined; file: string } {
  const file = join(folder, name);
  return { fault: buildNativeKernel({ source, output: pathToFileURL(file), compiler }), file };
}

describe('building the native kernel', () => {
  it.skipIf(!hasCompiler)('makes an addon that loads and refuses what is no block', () => {
    const { fault, file } = build('good.node', 'cc');
    expect(fault).toBeUndefined();
    const addon = createRequire(import.meta.url)(file) as Record<string, (...args: unknown[]) => number>;
    for (const search of Object.values(addon)) {
      const impossible = new Uint32Array(26);
      expect(() => search(impossible.subarray(1), 0, 1, 1)).toThrow(TypeError);
      expect(() => search(impossible, 0, 1)).toThrow(TypeError);
      expect(() => search('block', 0, 1, 1)).toThrow(TypeError);
      expect(search(impossible, 0, 1, 0)).toBe(0);
    }
  });

  it('says why when there is no compiler, and leaves nothing behind', () => {
    const { fault, file } = build('none.node', '/nowhere/cc');
    expect(fault).toMatch(/not built|is for x86-64/);
    expect(existsSync(file)).toBe(false);
  });

  it('says why when it does not compile, and leaves nothing behind', () => {
    const { fault } = build('bad.node', 'cc', new URL('../../package.json', import.meta.url));
    expect(fault).toMatch(/not built|is for x86-64/);
    expect(readdirSync(folder).filter((name) => name.startsWith('bad'))).toEqual([]);
  });

  it('prints nothing and succeeds as a step of the build, without source and compiler', () => {
    const elsewhere = join(folder, 'dist/workers/native');
    mkdirSync(elsewhere, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const program = join(elsewhere, 'build.js');
    copyFileSync(new URL('../../dist/workers/native/build.js', import.meta.url), program);
    const env = { ...process.env, CC: '/nowhere/cc' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(readdirSync(elsewhere)).toEqual(['build.js']);
  });
});
