/** The way of `ledger` to the books: those of a given database, of a bridge that runs, or of a data directory at rest. */
import { resolve } from 'node:path';
import { type Loaded, told } from '../config/load.js';
import { SILENT } from '../core/log.js';
import { findEmbeddedPostgres, hasEmbeddedPostgres, startEmbeddedPostgres } from '../ledger/embedded.js';
import { LedgerError } from '../ledger/errors.js';
import { type Ledger, openLedger } from '../ledger/ledger.js';
import { CommandError } from './command.js';
import { concerning, explained } from './failures.js';
import { LEDGER_SETTINGS } from './ledger-settings.js';

export interface Access {
  /** Books may be made where there are none; otherwise those that stand are used as they are. */
  readonly makesBooks: boolean;
}

type LoadedLedger = Loaded<typeof LEDGER_SETTINGS>;

export async function withLedger(
  loaded: LoadedLedger,
  { makesBooks }: Access,
  use: (ledger: Ledger) => Promise<number>,
): Promise<number> {
  const { dataDir, 'ledger.databaseUrl': given } = loaded.config;
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

const ADVICE = 'name those of the bridge with --config, --data-dir or --database-url';

/** Says where was looked, and who said to look there. */
function noBooks({ written, sources }: LoadedLedger): CommandError {
  const key = written['ledger.databaseUrl'] === '' ? 'dataDir' : 'ledger.databaseUrl';
  const place =
    key === 'dataDir'
      ? `there are no books in ${resolve(String(written.dataDir))}`
      : 'there are no books in it';
  const given = { value: written[key], source: sources[key] };
  return new CommandError(told(key, LEDGER_SETTINGS[key], given, `leads nowhere: ${place}; ${ADVICE}`));
}
