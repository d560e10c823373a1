/** `ledger bridges end`: to wait for one that does not come back no longer. */
import { type Asked, CommandError, OK } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { LedgerError } from '../../ledger/database/errors.js';
import { endProducer } from '../../ledger/recording/producers.js';
import { ledgerLists } from '../../operations/ledger.js';
import { onBooks } from './access.js';
import type { LedgerSettings } from './settings.js';
import { whoRuns } from './who.js';

export async function end(asked: Asked<LedgerSettings>): Promise<number> {
  const [id = ''] = asked.words;
  return onBooks(asked, async ({ ledger, ...to }) => {
    const ended = await endProducer(ledger.pool, id, whoRuns()).catch((error: unknown) => {
      if (error instanceof LedgerError && error.code === 'refused') throw new CommandError(error.message);
      throw error;
    });
    print([ended], ledgerLists.bridges.columns, to);
    const booked = Date.parse(ended.watermark) > 0 ? `after ${ended.watermark}` : 'at all';
    const words = `blocks wait for it no longer: what it accepted ${booked} and did not bring counts for later blocks, if it comes`;
    to.io.stderr.write(`stratum-bridge: ${words}\n`);
    return OK;
  });
}
