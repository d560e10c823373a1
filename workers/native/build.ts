/** Compiles the native kernel where there is a C compiler for it, and keeps the reason where there is none. */
import { execFileSync, type SpawnSyncReturns } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isWhole, type NativePlace, nativePlace, unfitReason } from './place.js';

const COMPILE_LIMIT_MS = 60_000;

/**
 * Run by `npm run build` and when npm installs the package (at-install.js). Nothing happens when the addon is newer
 * than its sources and loads.
 *
 * @returns why there is no addon; `undefined` when there is one. Throws when the folder cannot be written.
 */
export function buildWhereNeeded(
  place: NativePlace = nativePlace(),
  compiler: string = process.env['CC'] ?? 'cc',
): string | undefined {
  if (isUpToDate(place)) return undefined;
  mkdirSync(new URL('.', place.addon), { recursive: true });
  for (const file of [place.addon, place.length]) rmSync(file, { force: true });
  const reason = unfitReason(process.platform, process.arch) ?? compile(place, compiler);
  if (reason === undefined) rmSync(place.fault, { force: true });
  else writeFileSync(place.fault, reason);
  return reason;
}

function compile({ source, addon, length }: NativePlace, compiler: string): string | undefined {
  // "gcc -m64" is how build systems write it.
  const [program = '', ...options] = compiler.split(' ').filter(Boolean);
  const path = fileURLToPath(addon);
  const fresh = `${path}.${process.pid}`;
  const linking = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const flags = ['-O3', '-shared', '-fPIC', '-fvisibility=hidden', ...linking];
  try {
    execFileSync(program, [...options, ...flags, '-o', fresh, fileURLToPath(source)], {
      stdio: 'pipe',
      timeout: COMPILE_LIMIT_MS,
    });
    // Whoever starts meanwhile, or after a loss of power, finds a whole one or none.
    sync(fresh);
    writeFileSync(length, `${statSync(fresh).size}\n`);
    sync(fileURLToPath(length));
    renameSync(fresh, path);
    return undefined;
  } catch (error) {
    rmSync(fresh, { force: true });
    return reasonOf(error as CompilerError, program);
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

type CompilerError = Error & Partial<Pick<SpawnSyncReturns<Buffer>, 'status' | 'signal' | 'stderr'>>;

function reasonOf(error: CompilerError & { readonly code?: string }, program: string): string {
  const { code, message, stderr, status, signal } = error;
  if (code === 'ENOENT') return `there is no C compiler (${program})`;
  const end = status || signal ? `${program} ended with ${signal ?? `exit code ${status}`}` : message;
  const said = stderr?.toString().trim() || end;
  return `the C compiler failed: ${said.split('\n')[0]}`;
}

function isUpToDate(place: NativePlace): boolean {
  const { source, included, addon } = place;
  const changedMs = (url: URL): number => statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return (
    changedMs(addon) > Math.max(changedMs(source), changedMs(included)) && isWhole(place) && loads(addon)
  );
}

/** Not so when it came from another machine. */
function loads(addon: URL): boolean {
  try {
    createRequire(import.meta.url)(fileURLToPath(addon));
    return true;
  } catch {
    return false;
  }
}
