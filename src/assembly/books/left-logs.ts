/**
 * Share logs in folders of the data directory that no bridge has: of processes that are not started any more, as where four became two.
 * Whichever bridge finds one ships what is in it, and has its solutions answered. Until then blocks wait for those shares.
 */

import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { bridgeFoldersIn, lockBridgeFolder } from '../../files/bridge-folders.js';
import { FileError } from '../../files/file-error.js';
import type { FolderLock } from '../../files/folder-lock.js';
import { settleEarlierSolutions } from '../../queue/earlier-solutions.js';
import { startsIn } from '../../queue/log/look.js';
import { openShareQueue } from '../../queue/share-queue.js';
import type { Upstream } from '../../upstream/upstream.js';
import { bridgePlace, type Site } from '../site.js';
import type { Books } from './books.js';

const LOOK_MS = 10_000;
const BOOKED_MS = 500;

/** The question to all bridges of the machine which folder each has. */
const OWN_FOLDER = 'folder';

export function shipLeftLogs(site: Site, books: Books, upstream: Upstream): void {
  const { config, folder, machine } = site;
  machine.answer(OWN_FOLDER, () => resolve(folder));
  // Of one alone nobody makes another folder meanwhile.
  if (!machine.isOneOfSeveral && bridgeFoldersIn(config.dataDir).length < 2) return;
  const closing = new AbortController();
  const working = keepLooking(site, books, upstream, closing.signal);
  site.open.add('logs of bridges that are no more', async () => {
    closing.abort();
    await working;
  });
}

async function keepLooking(site: Site, books: Books, upstream: Upstream, signal: AbortSignal): Promise<void> {
  const { config, log, machine } = site;
  /** Free the last time: a process that has died is started again in its folder, and has its own log. */
  let free = new Set<string>();
  /** What lies there is booked: the logs that were there then. */
  const done = new Map<string, string>();
  const lookInto = async (folder: string, found: Set<string>): Promise<void> => {
    const logs = await logsIn(folder);
    if (logs === '' || logs === done.get(folder)) return;
    const lock = lockIfFree(folder);
    if (!lock) return;
    try {
      if (free.has(folder)) done.set(folder, await ship({ ...site, folder }, books, upstream, signal));
      else found.add(folder);
    } finally {
      lock.release();
    }
  };
  while (!signal.aborted) {
    await pause(LOOK_MS, undefined, { signal }).catch(() => {}); // ended, which the loop sees
    const found = new Set<string>();
    // To try a lock takes a process; these have theirs.
    const theirs = new Set(await machine.askAll(OWN_FOLDER));
    for (const folder of bridgeFoldersIn(config.dataDir)) {
      if (signal.aborted || theirs.has(resolve(folder))) continue;
      // Also of a lock that cannot be tried, as on a full disk: this bridge goes on.
      await lookInto(folder, found).catch(({ message }: Error) => {
        log.error(
          { folder, error: message },
          'a share log that no bridge has cannot be shipped; tried again',
        );
      });
    }
    free = found;
  }
}

async function logsIn(folder: string): Promise<string> {
  const logs = await startsIn(join(folder, 'shares')).catch(() => []);
  return logs.sort().join(' ');
}

function lockIfFree(folder: string): FolderLock | undefined {
  try {
    return lockBridgeFolder(folder);
  } catch (error) {
    if (error instanceof FileError && error.code === 'in-use') return undefined;
    throw error;
  }
}

/** Resolves with the logs that are left, once all is booked; with none where the queue has not taken the end of it. */
async function ship(
  site: Pick<Site, 'folder' | 'log'>,
  { ledger, queueConnection: connection, clock: { nowMs }, timeline }: Books,
  sink: Upstream,
  signal: AbortSignal,
): Promise<string> {
  const { folder, log } = site;
  const place = bridgePlace(site);
  const shares = await openShareQueue({
    connection,
    folder,
    ledger,
    place,
    log,
    newLogId: randomUUID,
    nowMs,
  });
  let isShipped = false;
  try {
    const onSettled = timeline.tellLate;
    await settleEarlierSolutions({ shares, sink, nowMs, log, onSettled, signal });
    while (!shares.isFormerBooked && !signal.aborted)
      await pause(BOOKED_MS, undefined, { signal }).catch(() => {}); // ended, which the loop sees
    if (shares.isFormerBooked)
      log.info({ event: 'left-log', folder }, 'what a bridge that is no more had written down is booked');
  } finally {
    isShipped = await shares.close();
  }
  return isShipped ? logsIn(folder) : '';
}
