/**
 * Alerts that a bridge knows to be open, on its own disk: else a start while the ledger is away would tell them anew.
 *
 *     alerts.json    [{"id":0,"condition":"ledgerAway","about":"bridge 0",…}]
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../core/names/log.js';
import { writeDurably } from '../files/write-durably.js';
import { ALERT, type Alert } from '../operations/alerts.js';

const FILE = z.array(ALERT);

export class KnownAlerts {
  readonly #path: string;
  readonly #log: Log;
  #written = '';

  /** @param folder of this bridge. */
  constructor(folder: string, log: Log) {
    this.#path = join(folder, 'alerts.json');
    this.#log = log;
  }

  /** None of a file that is cut short, or of another version. */
  async read(): Promise<readonly Alert[]> {
    try {
      const alerts = FILE.parse(JSON.parse(await readFile(this.#path, 'utf8')));
      this.#written = namesOf(alerts);
      return alerts;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#complain(error as Error);
      return [];
    }
  }

  /** Never rejects. */
  async write(alerts: readonly Alert[]): Promise<void> {
    // What they say changes with each look, as the age of something: that alone is not written.
    if (namesOf(alerts) === this.#written) return;
    this.#written = namesOf(alerts);
    await writeDurably(this.#path, `${JSON.stringify(alerts)}\n`).catch((error: Error) =>
      this.#complain(error),
    );
  }

  #complain(error: Error): void {
    const fields = { path: this.#path, error: error.message };
    this.#log.warn(fields, 'what is told while the ledger is away may be told twice');
  }
}

function namesOf(alerts: readonly Alert[]): string {
  return JSON.stringify(alerts.map(({ id, condition, about, from }) => [id, condition, about, from]));
}
