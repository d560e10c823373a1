/** `ledger export journal`. */

import { once } from 'node:events';
import { type Asked, OK } from '../../cli/line/command.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { journal } from '../../ledger/statements/journal.js';
import type { Span } from '../../ledger/statements/statement.js';
import type { ConfigOf } from '../../values/setting.js';
import { onBooks } from './access.js';
import type { SpanSettings } from './settings.js';

export async function exportJournal(asked: Asked<SpanSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, config, io: { stdout } }) => {
    // Who reads it may be slower than the database.
    for await (const text of journal(ledger.pool, spanOf(config)))
      if (!stdout.write(text)) await once(stdout, 'drain');
    return OK;
  });
}

export function spanOf({ from, to }: Pick<ConfigOf<SpanSettings>, 'from' | 'to'>): Span {
  const span = { from: from === 'ever' ? undefined : from, to: to === 'now' ? undefined : to };
  if (span.from && span.to && span.from > span.to)
    throw new ConfigError([`from: ${span.from.toISOString()} is after to, ${span.to.toISOString()}`]);
  return span;
}
