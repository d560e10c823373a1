/** Programs that Debian packs, for tests: found, or installed where that is allowed, or left out aloud. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/** Two test files may want something at once, and apt-get waits for nobody. */
const APT_LOCK = join(tmpdir(), 'stratum-bridge-apt.lock');

/**
 * Why programs of a package are missing, or `undefined` when all of them run. Says on stderr what is left out for it.
 *
 * @param what is left out: `tests on Redis`.
 * @param version the word by which they say what they are.
 */
export async function findPrograms(
  what: string,
  programs: readonly string[],
  debianPackage: string,
  version = '--version',
): Promise<string | undefined> {
  const missing = await missingOf(programs, version);
  if (missing.length === 0) return undefined;
  const reason = await install(missing, debianPackage, version);
  if (reason !== undefined) process.stderr.write(`LEFT OUT: ${what}, because ${reason}\n`);
  return reason;
}

async function missingOf(programs: readonly string[], version: string): Promise<string[]> {
  const found = await Promise.all(programs.map((program) => runs(program, version)));
  return programs.filter((_, i) => !found[i]);
}

async function runs(program: string, version = '--version'): Promise<boolean> {
  return run(program, [version]).then(
    () => true,
    () => false,
  );
}

async function install(
  missing: readonly string[],
  debianPackage: string,
  version: string,
): Promise<string | undefined> {
  const absent = `${missing.join(', ')} not on PATH`;
  if (process.getuid?.() !== 0) return `${absent}, and only root may install ${debianPackage}`;
  if (!(await runs('apt-get'))) return `${absent}, and there is no apt-get to install ${debianPackage} with`;
  process.stderr.write(`installing ${debianPackage} with apt-get for the tests\n`);
  try {
    await aptGet('update');
    await aptGet('install', '-y', '--no-install-recommends', debianPackage);
  } catch (error) {
    return `apt-get could not install ${debianPackage}: ${(error as Error).message}`;
  }
  const still = await missingOf(missing, version);
  return still.length === 0 ? undefined : `Debian's ${debianPackage} brought no ${still.join(', ')}`;
}

async function aptGet(...words: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('flock', [APT_LOCK, 'apt-get', ...words], { env });
}
