/** `ledger bridges`: whose shares blocks wait for, and how to wait for one of them no longer. */

import { type Asked, CommandError, OK } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { LedgerError } from '../../ledger/database/errors.js';
import { endProducer, listWaitedFor, type WaitedFor } from '../../ledger/recording/producers.js';
import { onBooks } from './access.js';
import { BRIDGES, type BridgeRow } from './columns.js';
import type { LedgerSettings } from './settings.js';
import { whoRuns } from './who.js';

export async function list(asked: Asked<LedgerSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, ...to }) =>
    print((await listWaitedFor(ledger.pool)).map(rowFrom), BRIDGES, to),
  );
}

export async function end(asked: Asked<LedgerSettings>): Promise<number> {
  const [id = ''] = asked.words;
  return onBooks(asked, async ({ ledger, ...to }) => {
    const ended = await endProducer(ledger.pool, id, whoRuns()).catch((error: unknown) => {
      if (error instanceof LedgerError && error.code === 'refused') throw new CommandError(error.message);
      throw error;
    });
    print([rowFrom(ended)], BRIDGES, to);
    const booked = ended.watermark.getTime() > 0 ? `after ${ended.watermark.toISOString()}` : 'at all';
    const words = `blocks wait for it no longer: what it accepted ${booked} and did not bring counts for later blocks, if it comes`;
    to.io.stderr.write(`stratum-bridge: ${words}\n`);
    return OK;
  });
}

function rowFrom({ startedAt, heardAt, watermark, ...rest }: WaitedFor): BridgeRow {
  return {
    ...rest,
    startedAt: startedAt.toISOString(),
    heardAt: heardAt.toISOString(),
    watermark: watermark.toISOString(),
  };
}
