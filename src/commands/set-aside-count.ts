import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { countSetAside } from '../ledger/set-aside.js';

const PATIENCE_MS = 300;

/** Parts that the database refused for their data; soon the last known number while it does not answer. */
export function rememberingSetAside(pool: pg.Pool): () => Promise<number> {
  let last = 0;
  let counting: Promise<void> | undefined;
  return async () => {
    counting ??= countSetAside(pool)
      .then((parts) => {
        last = parts;
      })
      .catch(() => {}) // the summary says by other means that the ledger is away
      .finally(() => {
        counting = undefined;
      });
    await Promise.race([counting, pause(PATIENCE_MS, undefined, { ref: false })]);
    return last;
  };
}
