/** `ledger adopt`: the shares here were written down for another ledger, and are not to be shipped to any. */
import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { concerning } from '../../assembly/failures.js';
import { type Asked, CommandError } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { lockFolder } from '../../files/folder-lock.js';
import { syncFolder } from '../../files/sync-folder.js';
import { inTransaction } from '../../ledger/database/transaction.js';
import { tellInBooks } from '../../ledger/timeline.js';
import type { Columns } from '../../operations/entry/columns.js';
import { markedLedger } from '../../queue/log/ledger-mark.js';
import { lookAtLog } from '../../queue/log/look.js';
import { onBooks } from './access.js';
import type { AdoptSettings } from './settings.js';
import { whoRuns } from './who.js';

const MOVED: Columns<{ readonly folder: string; readonly shares: number }> = {
  folder: { kind: 'text', importance: 1, heading: 'moved to' },
  shares: { kind: 'count', importance: 1, heading: 'shares not known to be booked' },
};

/** Moves the logs of the former ledger aside. Nothing of them is removed. */
export async function adopt(asked: Asked<AdoptSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, config, io }) => {
    const { dataDir, note } = config;
    if (note === '')
      throw new ConfigError(['ledger adopt: --note says why, for who reads the timeline later']);
    const lock = await concerning('dataDir', async () => lockFolder(dataDir, 'bridge'));
    try {
      const [folder, id] = [join(dataDir, 'shares'), await ledger.id()];
      const former = await markedLedger(folder);
      if (former === undefined || former === id)
        throw new CommandError(`the shares in ${folder} are those of this ledger, ${id}: nothing is moved`);
      const shares = await sharesIn(folder);
      const aside = await freeName(`${folder}-of-${former}`);
      await rename(folder, aside);
      await syncFolder(dataDir);
      const says = `logs of the ledger ${former} were moved to ${aside}, with ${shares} shares that are not known to be booked there: ${note}`;
      await inTransaction(ledger.pool, (client) =>
        tellInBooks(client, 'ordered', { order: 'adopt', about: former }, whoRuns(), says),
      );
      return print([{ folder: aside, shares }], MOVED, { config, io });
    } finally {
      lock.release();
    }
  });
}

/** What of them the former ledger has booked nobody says here. */
async function sharesIn(folder: string): Promise<number> {
  const logs = await lookAtLog(folder);
  const cut = logs
    .flatMap(({ cuts }) => [...cuts.values()])
    .reduce((sum, { ownShares }) => sum + ownShares, 0);
  return logs.reduce((sum, { uncut }) => sum + uncut, cut);
}

async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? path : `${path}-${number}`;
    const isFree = await access(free).then(
      () => false,
      () => true,
    );
    if (isFree) return free;
  }
}
