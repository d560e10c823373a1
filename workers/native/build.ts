/**
 * Compiles the native kernel, where there is a C compiler for it. Run at install; where it cannot be built nothing is
 * said, because the portable kernel does the same at a quarter to the full of the speed, and `doctor` tells.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The source stays where it is; this runs compiled, in dist/workers/native. */
const SOURCE = new URL('../../../workers/native/kernel.c', import.meta.url);
const INCLUDED = new URL('../../../workers/native/search.h', import.meta.url);
const OUTPUT = new URL('./kernel.node', import.meta.url);
const COMPILE_LIMIT_MS = 60_000;

export interface NativeBuild {
  readonly source: URL;
  readonly output: URL;
  readonly compiler: string;
}

/** Why the kernel was not built; `undefined` when it was. Never throws. */
export function buildNativeKernel({ source, output, compiler }: NativeBuild): string | undefined {
  if (process.arch !== 'x64') return `the native kernel is for x86-64, this is ${process.arch}`;
  if (process.platform === 'win32') return 'the native kernel is not built on Windows';
  const path = fileURLToPath(output);
  // Threads may have the old one open: it is replaced, not written over.
  const fresh = `${path}.${process.pid}`;
  const linking = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const flags = ['-O3', '-shared', '-fPIC', '-fvisibility=hidden', ...linking];
  try {
    mkdirSync(dirname(path), { recursive: true });
    execFileSync(compiler, [...flags, '-o', fresh, fileURLToPath(source)], {
      stdio: 'pipe',
      timeout: COMPILE_LIMIT_MS,
    });
    renameSync(fresh, path);
    return undefined;
  } catch (error) {
    return `the native kernel was not built: ${(error as Error).message.split('\n')[0]}`;
  }
}

function isUpToDate(): boolean {
  const changedMs = (url: URL): number => statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changedMs(OUTPUT) > Math.max(changedMs(SOURCE), changedMs(INCLUDED));
}

const isProgram = process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href;
if (isProgram && !isUpToDate())
  buildNativeKernel({ source: SOURCE, output: OUTPUT, compiler: process.env['CC'] ?? 'cc' });
