/** The way of `ledger` to the books: those of a given database, of a bridge that runs, or of a data directory at rest. */

import { resolve } from 'node:path';
import { concerning, explained } from '../../assembly/failures.js';
import { type Asked, CommandError, type CommandIo } from '../../cli/line/command.js';
import { refuseTwoForms } from '../../cli/screen/form.js';
import { told } from '../../config/layers/given.js';
import type { Loaded } from '../../config/layers/load.js';
import { SILENT } from '../../core/names/log.js';
import { LedgerError } from '../../ledger/database/errors.js';
import {
  findEmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../ledger/embedded/embedded.js';
import { type Ledger, openLedger } from '../../ledger/ledger.js';
import type { ConfigOf } from '../../values/setting.js';
import { BOOKS_SETTINGS, type BooksSettings, type LedgerSettings } from './settings.js';

/** A command with the books open. */
interface OnBooks<S extends BooksSettings = LedgerSettings> {
  readonly ledger: Ledger;
  readonly config: ConfigOf<S>;
  readonly io: CommandIo;
}

/** On books that stand, used as they are. Resolves with the exit code. */
export async function onBooks<S extends BooksSettings>(
  { load, io }: Asked<S>,
  act: (asked: OnBooks<S>) => Promise<number>,
): Promise<number> {
  const loaded = await load();
  return withLedger(loaded, false, (ledger) => act({ ledger, config: loaded.config, io }));
}

/** The same where books may be made if there are none. */
export async function onAnyBooks<S extends BooksSettings>(
  { load, io }: Asked<S>,
  act: (asked: OnBooks<S>) => Promise<number>,
): Promise<number> {
  const loaded = await load();
  return withLedger(loaded, true, (ledger) => act({ ledger, config: loaded.config, io }));
}

type LoadedLedger = Loaded<BooksSettings>;

async function withLedger(
  loaded: LoadedLedger,
  makesBooks: boolean,
  use: (ledger: Ledger) => Promise<number>,
): Promise<number> {
  const { dataDir, 'ledger.databaseUrl': given } = loaded.config;
  refuseTwoForms(loaded.config);
  return explained(async () => {
    const running = given || (await concerning('dataDir', () => findEmbeddedPostgres(dataDir)));
    if (!running && !makesBooks && !(await hasEmbeddedPostgres(dataDir))) throw noBooks(loaded);
    const embedded = running
      ? undefined
      : await concerning('dataDir', () => startEmbeddedPostgres({ dataDir, log: SILENT }));
    try {
      const connectionString = running || embedded?.connectionString || '';
      const ledger = await concerning('ledger.databaseUrl', () =>
        openLedger({ connectionString, log: SILENT, asTheyAre: !makesBooks }),
      );
      return await use(ledger).finally(() => ledger.close());
    } catch (error) {
      throw error instanceof LedgerError && error.code === 'no-books' ? noBooks(loaded) : error;
    } finally {
      await embedded?.close();
    }
  }, loaded);
}

const ADVICE = 'name those of the bridge with --config, --data-dir or --ledger-database-url';

/** Says where was looked, and who said to look there. */
function noBooks({ written, sources }: LoadedLedger): CommandError {
  const key = written['ledger.databaseUrl'] === '' ? 'dataDir' : 'ledger.databaseUrl';
  const place =
    key === 'dataDir'
      ? `there are no books in ${resolve(String(written.dataDir))}`
      : 'there are no books in it';
  const given = { value: written[key], source: sources[key] };
  return new CommandError(told(key, BOOKS_SETTINGS[key], given, `leads nowhere: ${place}; ${ADVICE}`));
}
