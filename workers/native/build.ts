/** Compiles the native kernel where there is a C compiler for it, and keeps the reason where there is none. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type NativePlace, nativePlace, unfitReason } from './place.js';

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
  rmSync(place.addon, { force: true });
  const reason = unfitReason(process.platform, process.arch) ?? compile(place, compiler);
  if (reason === undefined) rmSync(place.fault, { force: true });
  else writeFileSync(place.fault, reason);
  return reason;
}

function compile({ source, addon }: NativePlace, compiler: string): string | undefined {
  const path = fileURLToPath(addon);
  const fresh = `${path}.${process.pid}`;
  const linking = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const flags = ['-O3', '-shared', '-fPIC', '-fvisibility=hidden', ...linking];
  try {
    execFileSync(compiler, [...flags, '-o', fresh, fileURLToPath(source)], {
      stdio: 'pipe',
      timeout: COMPILE_LIMIT_MS,
    });
    // Whoever starts meanwhile finds a whole one or none.
    renameSync(fresh, path);
    return undefined;
  } catch (error) {
    rmSync(fresh, { force: true });
    return reasonOf(error as CompilerError, compiler);
  }
}

type CompilerError = Error & { readonly code?: string; readonly stderr?: Buffer };

function reasonOf({ code, message, stderr }: CompilerError, compiler: string): string {
  if (code === 'ENOENT') return `there is no C compiler (${compiler})`;
  const said = stderr?.toString().trim() || message;
  return `the C compiler failed: ${said.split('\n')[0]}`;
}

function isUpToDate({ source, included, addon }: NativePlace): boolean {
  const changedMs = (url: URL): number => statSync(url, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changedMs(addon) > Math.max(changedMs(source), changedMs(included)) && loads(addon);
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
