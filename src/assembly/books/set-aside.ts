/** What ledger and queue have set aside, for who looks and decides. The queue is asked on a connection of its own, which ends with the question. */
import type pg from 'pg';
import { BooksAwayError } from '../../bridge/watch/books-watch.js';
import type { SetAsideWatch } from '../../bridge/watch/set-aside-watch.js';
import { type Log, tellUnanswered } from '../../core/names/log.js';
import { LedgerError } from '../../ledger/database/errors.js';
import { hasQueue } from '../../ledger/database/queue-tables.js';
import { giveUpEntry } from '../../ledger/recording/logs.js';
import { dropSetAside, listSetAside, retrySetAside } from '../../ledger/recording/set-aside.js';
import { answered } from '../../ledger/watch/orders.js';
import type { SetAsideEntry } from '../../operations/books/entries.js';
import type { Refused } from '../../operations/entry/operation.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';
import type { FailedEntries } from '../../queue/recording/failed-entries.js';
import { entryIdOf } from '../../queue/shipping/entry.js';

/** Of each of the two. */
const MOST = 10_000;
const QUEUE_AWAY = 'the queue cannot be asked now: what it could not read stays as it is';

/** Parts that the database refused have numbers, entries that cannot be read the names that the queue gave them. */
const NUMBER = /^\d{1,18}$/;

interface Settled {
  readonly id: string;
  readonly shares: number;
  readonly outcome: string;
  readonly isRefused?: true;
}

export function setAsideOf(pool: pg.Pool, connection: QueueConnection, log: Log): SetAsideWatch {
  const withQueue = <T>(act: (entries: FailedEntries | undefined) => Promise<T | Refused>) =>
    answered<T>(async () => {
      const entries = await failedEntries(pool, connection);
      try {
        return await act(entries);
      } finally {
        await entries?.close();
      }
    });
  const list = (entries: FailedEntries | undefined) => listAll(pool, entries, log);
  return {
    list: async () => {
      const found = await withQueue(list);
      if ('refused' in found) throw new BooksAwayError(found.why);
      return found;
    },
    orders: {
      retryEntries: ({ id }) =>
        withQueue(async (entries) => {
          const { items, isComplete } =
            id === undefined ? await list(entries) : { items: [{ id }], isComplete: true };
          const settled: Settled[] = [];
          for (const one of items) settled.push(await retry(pool, one.id, entries));
          return outcomeOf(settled, isComplete);
        }),
      dropEntry: ({ id }, by) =>
        withQueue(async (entries) => outcomeOf([await drop(pool, id, by, entries)], true)),
    },
  };
}

/** `undefined` where there is no queue yet: looking makes none. */
async function failedEntries(pool: pg.Pool, connection: QueueConnection): Promise<FailedEntries | undefined> {
  if (connection.backend === 'postgres' && !(await hasQueue(pool))) return undefined;
  // Loaded here: it takes longer than the rest of a command.
  const { FailedEntries } = await import('../../queue/recording/failed-entries.js');
  return new FailedEntries(connection);
}

async function listAll(
  pool: pg.Pool,
  entries: FailedEntries | undefined,
  log: Log,
): ReturnType<SetAsideWatch['list']> {
  const parts = await listSetAside(pool, MOST);
  // Whatever keeps the queue from answering, what the ledger has is there.
  const failed = await entries?.list(MOST).catch((error: Error) => {
    tellUnanswered(log, error, 'the queue does not say what it could not read');
    return undefined;
  });
  const items = [
    ...parts.map(({ setAsideAt, ...part }): SetAsideEntry => ({ ...part, since: setAsideAt })),
    ...(failed ?? []).map(({ id, shares, work, failedAt, error }): SetAsideEntry => {
      return { id, account: '', rig: '', shares, work, rejections: 0, since: failedAt, error };
    }),
  ];
  return { items, isComplete: entries === undefined || failed !== undefined };
}

function outcomeOf(settled: readonly Settled[], isComplete: boolean): { entries: Settled[] } | Refused {
  const entries = [...settled];
  const refused = settled.filter(({ isRefused }) => isRefused).map(({ outcome }) => outcome);
  if (!isComplete) refused.unshift(QUEUE_AWAY);
  if (refused.length === 0) return { entries };
  return { refused: 'busy', why: refused.join('; '), now: { entries } };
}

async function retry(pool: pg.Pool, id: string, entries: FailedEntries | undefined): Promise<Settled> {
  if (!NUMBER.test(id)) {
    const entry = await entries?.retry(id).catch(isAway);
    if (entry === AWAY) return away(id);
    return entry ? { id, shares: entry.shares, outcome: 'handed to the recorders again' } : unknown(id);
  }
  return orRefused(id, async () => ({
    id,
    shares: (await retrySetAside(pool, id)).shares,
    outcome: 'booked',
  }));
}

async function drop(
  pool: pg.Pool,
  id: string,
  by: string,
  entries: FailedEntries | undefined,
): Promise<Settled> {
  if (!NUMBER.test(id)) {
    const entry = await entries?.drop(id).catch(isAway);
    if (entry === AWAY) return away(id);
    if (!entry) return unknown(id);
    const named = entryIdOf(id);
    // What waits for it waits no longer, and no share log brings it again.
    if (named) await giveUpEntry(pool, named, { by, ...entry });
    return { id, shares: entry.shares, outcome: 'dropped' };
  }
  return orRefused(id, async () => ({
    id,
    shares: (await dropSetAside(pool, id, by)).shares,
    outcome: 'dropped',
  }));
}

/** Redis or database of the queue give no answer; a mistake of ours is one. */
const AWAY = Symbol('the queue is away');

function isAway(error: unknown): typeof AWAY {
  if (error instanceof TypeError || error instanceof RangeError) throw error;
  return AWAY;
}

function away(id: string): Settled {
  return { id, shares: 0, outcome: `${id}: ${QUEUE_AWAY}`, isRefused: true };
}

function unknown(id: string): Settled {
  return {
    id,
    shares: 0,
    outcome: `no entry ${id} is set aside: \`ledger entry list\` tells what is`,
    isRefused: true,
  };
}

async function orRefused(id: string, act: () => Promise<Settled>): Promise<Settled> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'refused') throw error;
    return { id, shares: 0, outcome: error.message, isRefused: true };
  }
}
