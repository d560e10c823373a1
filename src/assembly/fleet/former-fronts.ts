/**
 * What fronts of an earlier start left behind where there is no front any more: their shares go to the books, their solutions to
 * the nodes.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createBridgeEvents } from '../../bridge/events.js';
import type { SolutionSender } from '../../bridge/solution-sender.js';
import { CloseStack } from '../../cli/service/stop.js';
import { FrontPosts } from '../../fleet/hub/front-posts.js';
import { SolutionDesk } from '../../fleet/hub/solution-desk.js';
import { LedgerError } from '../../ledger/database/errors.js';
import { lockFolder } from '../../ledger/folder/folder-lock.js';
import type { ShareQueue } from '../../queue/share-queue.js';
import type { Books } from '../books/books.js';
import { openShareLog, sharesGoTo } from '../books/queue.js';
import { concerning } from '../failures.js';
import type { Site } from '../site.js';
import { openGate } from './gate.js';
import { keepSolutions, keptSolutions } from './unsent.js';

export interface FormerParts {
  readonly books: Pick<Books, 'ledger' | 'clock' | 'connection'>;
  readonly sender: Pick<SolutionSender, 'send'>;
}

const LOOK_MS = 1_000;
/** Of a stop at least: its shares are on the disk, for the next start. */
const CLOSE_MS = 300;

/** @param isAlive of a front by its number: what it has is its own. */
export async function shipFormer(
  site: Site,
  parts: FormerParts,
  isAlive: (index: number) => boolean,
): Promise<void> {
  const { dataDir } = site.config;
  for (const index of await formerFronts(dataDir)) {
    // One that goes on without its hub ships what it has itself.
    if (!isAlive(index) && (await isFree(frontDir(dataDir, index)))) await shipLeft(site, parts, index);
  }
}

/** Where one process has the rigs now: fronts that have gone on without their hub end, and what they have left is shipped. */
export async function endFormer(site: Site, parts: FormerParts): Promise<void> {
  const { config, log, open } = site;
  const all = (await namesIn(join(config.dataDir, 'fronts'))).filter(isFront).map(Number);
  if (all.length === 0) return;
  await openGate(site, { refusal: () => 'one process has the rigs now', adopt: (_, wire) => wire.close() });
  await shipFormer(site, parts, () => false);
  const left = new Set(await busyOf(config.dataDir, all));
  const look = async (): Promise<void> => {
    for (const index of left) {
      if (!(await isFree(frontDir(config.dataDir, index)))) continue;
      left.delete(index);
      await shipLeft(site, parts, index);
    }
    if (left.size === 0) clearInterval(timer);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: Error) => {
        log.warn({ error: error.message }, 'what fronts of before have left is shipped by the next start');
      })
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS);
  open.add('look for fronts of before', () => clearInterval(timer));
}

async function busyOf(dataDir: string, fronts: readonly number[]): Promise<number[]> {
  const areFree = await Promise.all(fronts.map((index) => isFree(frontDir(dataDir, index))));
  return fronts.filter((_, i) => !areFree[i]);
}

/** What the front of this number has left, which is no more. Rejects while its process still stops. */
export async function shipLeft(site: Site, parts: FormerParts, index: number): Promise<void> {
  const { log } = site;
  const dataDir = frontDir(site.config.dataDir, index);
  const open = new CloseStack();
  site.open.add(`front ${index} of before`, (withinMs) => open.close(log, withinMs), CLOSE_MS);
  const lock = await concerning('dataDir', () => lockFolder(dataDir, 'bridge'));
  open.add('data directory', () => lock.release());
  log.info({ event: 'former-front', front: index }, `what front ${index} has left is shipped`);
  const isSent = await sendSolutions({ ...site, open }, parts, dataDir);
  const shares = await sharesIn({ ...site, open }, parts, dataDir);
  const look = (): void => {
    if (shares.held.unshipped > 0 || !isSent()) return;
    clearInterval(timer);
    void open.close(log);
  };
  const timer = setInterval(look, LOOK_MS);
  open.add('look for what is left', () => clearInterval(timer));
}

/** Nobody works in that folder, which is there. */
export async function isFree(dataDir: string): Promise<boolean> {
  try {
    await (await lockFolder(dataDir, 'bridge')).release();
    return true;
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'in-use') return false;
    throw error;
  }
}

export function frontDir(dataDir: string, index: number): string {
  return join(dataDir, 'fronts', String(index));
}

/** Those that have left shares or solutions. */
async function formerFronts(dataDir: string): Promise<number[]> {
  const names = await namesIn(join(dataDir, 'fronts'));
  const left: number[] = [];
  for (const name of names.filter(isFront)) {
    const front = frontDir(dataDir, Number(name));
    const logs = await namesIn(join(front, 'shares'));
    if (logs.length > 0 || (await keptSolutions(front)).length > 0) left.push(Number(name));
  }
  return left;
}

const isFront = (name: string): boolean => /^[1-9]\d{0,2}$/.test(name);

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/** Resolves with who tells whether all of them are in the journal. */
async function sendSolutions(
  { log, open, events }: Site,
  { sender }: FormerParts,
  dataDir: string,
): Promise<() => boolean> {
  const solutions = await concerning('dataDir', () => keptSolutions(dataDir));
  let isSent = solutions.length === 0;
  const send: SolutionSender['send'] = (...found) => sender.send(...found);
  const desk = new SolutionDesk({ send, events, posts: new FrontPosts() });
  open.add('solutions of former fronts', () => desk.close());
  void Promise.all(solutions.map((solution) => desk.take(solution)))
    .then(() => keepSolutions(dataDir, []))
    .then(() => {
      isSent = true;
    })
    .catch((error: Error) => {
      const words = 'solutions of a front of before are not taken; the next start tells of them again';
      log.warn({ error: error.message }, words);
    });
  return () => isSent;
}

async function sharesIn(site: Site, { books }: FormerParts, dataDir: string): Promise<ShareQueue> {
  const { connection, ledger, clock } = books;
  return openShareLog(
    { ...site, events: createBridgeEvents() },
    {
      ...{ connection, dataDir, books: sharesGoTo(ledger), processes: 1 },
      nowMs: () => clock.nowMs(),
    },
  );
}
