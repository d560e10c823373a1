/** `ledger adopt`: the shares here were written down for another ledger, and are not to be shipped to any. */
import { access, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { concerning } from '../../assembly/failures.js';
import { type Asked, CommandError } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { ConfigError } from '../../config/layers/config-error.js';
import { bridgeFoldersIn, lockBridgeFolder } from '../../files/bridge-folders.js';
import { syncFolder } from '../../files/sync-folder.js';
import { inTransaction } from '../../ledger/database/transaction.js';
import type { Ledger } from '../../ledger/ledger.js';
import { tellInBooks } from '../../ledger/timeline.js';
import type { Columns } from '../../operations/entry/columns.js';
import { markedLedger } from '../../queue/log/ledger-mark.js';
import { lookAtLog } from '../../queue/log/look.js';
import { onBooks } from './access.js';
import type { AdoptSettings } from './settings.js';
import { whoRuns } from './who.js';

interface Moved {
  readonly folder: string;
  readonly shares: number;
}

const MOVED: Columns<Moved> = {
  folder: { kind: 'text', importance: 1, heading: 'moved to' },
  shares: { kind: 'count', importance: 1, heading: 'shares not known to be booked' },
};

/** Moves the logs of the former ledger aside. Nothing of them is removed. */
export async function adopt(asked: Asked<AdoptSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, config, io }) => {
    const { dataDir, note } = config;
    if (note === '')
      throw new ConfigError(['ledger adopt: --note says why, for who reads the timeline later']);
    const moved: Moved[] = [];
    for (const folder of bridgeFoldersIn(dataDir)) moved.push(...(await adoptIn(folder, ledger, note)));
    if (moved.length === 0)
      throw new CommandError(
        `the shares in ${dataDir} are those of this ledger, ${await ledger.id()}: nothing is moved`,
      );
    return print(moved, MOVED, { config, io });
  });
}

/** @param own folder of a bridge. */
async function adoptIn(own: string, ledger: Ledger, note: string): Promise<Moved[]> {
  const lock = await concerning('dataDir', async () => lockBridgeFolder(own));
  try {
    const folder = join(own, 'shares');
    const former = await markedLedger(folder);
    if (former === undefined || former === (await ledger.id())) return [];
    const shares = await sharesIn(folder);
    const aside = await freeName(`${folder}-of-${former}`);
    await rename(folder, aside);
    await syncFolder(own);
    const says = `logs of the ledger ${former} were moved to ${aside}, with ${shares} shares that are not known to be booked there: ${note}`;
    await inTransaction(ledger.pool, (client) =>
      tellInBooks(client, 'ordered', { order: 'adopt', about: former }, whoRuns(), says),
    );
    return [{ folder: aside, shares }];
  } finally {
    lock.release();
  }
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
