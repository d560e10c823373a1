/** `ledger queue`: what recorders have set aside, and what becomes of it. */

import { queueConnectionFrom } from '../../assembly/books/book-settings.js';
import { type Asked, CommandError, FAILED, OK } from '../../cli/line/command.js';
import { print } from '../../cli/screen/print.js';
import { LedgerError } from '../../ledger/database/errors.js';
import { hasQueue } from '../../ledger/database/queue-tables.js';
import type { Ledger } from '../../ledger/ledger.js';
import { giveUpEntry } from '../../ledger/recording/producers.js';
import {
  dropSetAside,
  listSetAside,
  retrySetAside,
  type SetAside,
} from '../../ledger/recording/set-aside.js';
import type { Columns } from '../../operations/entry/columns.js';
import type { FailedEntries, FailedEntry } from '../../queue/recording/failed-entries.js';
import { entryIdOf } from '../../queue/shipping/entry.js';
import { type OnBooks, onBooks } from './access.js';
import type { QueueSettings } from './settings.js';
import { whoRuns } from './who.js';

interface SetAsideRow {
  readonly id: string;
  readonly account: string;
  readonly rig: string;
  readonly shares: number;
  readonly work: string;
  readonly rejections: number;
  readonly since: string;
  readonly error: string;
}

export const SET_ASIDE: Columns<SetAsideRow> = {
  id: { kind: 'name', importance: 1 },
  since: { kind: 'time', importance: 4, heading: 'since (UTC)' },
  account: { kind: 'name', importance: 3 },
  rig: { kind: 'name', importance: 5 },
  shares: { kind: 'count', importance: 2 },
  work: { kind: 'hashes', importance: 5 },
  rejections: { kind: 'count', importance: 6 },
  error: { kind: 'text', importance: 1 },
};

interface OutcomeRow {
  readonly id: string;
  readonly shares: number;
  readonly outcome: string;
}

const OUTCOMES: Columns<OutcomeRow> = {
  id: { kind: 'name', importance: 1 },
  shares: { kind: 'count', importance: 2 },
  outcome: { kind: 'text', importance: 1 },
};

/** Parts that the database refused have numbers, entries that cannot be read the names that the queue gave them. */
const NUMBER = /^\d+$/;

export async function list(asked: Asked<QueueSettings>): Promise<number> {
  return onQueue(asked, async (to, entries) => {
    const { rows, fault } = await findAll(to, entries);
    print(rows, SET_ASIDE, to);
    return fault ? FAILED : OK;
  });
}

export async function retry(asked: Asked<QueueSettings>): Promise<number> {
  return onQueue(asked, (to, entries) => settle('retry', asked.words[0], to, entries));
}

export async function drop(asked: Asked<QueueSettings>): Promise<number> {
  return onQueue(asked, (to, entries) => settle('drop', asked.words[0], to, entries));
}

type OnList = OnBooks<QueueSettings>;

async function onQueue(
  asked: Asked<QueueSettings>,
  act: (to: OnList, entries: FailedEntries | undefined) => Promise<number>,
): Promise<number> {
  return onBooks(asked, async (to) => {
    const entries = await failedEntries(to);
    try {
      return await act(to, entries);
    } finally {
      await entries?.close();
    }
  });
}

/** `undefined` where there is no queue yet: looking makes none. */
async function failedEntries({ ledger, config }: OnList): Promise<FailedEntries | undefined> {
  const connection = queueConnectionFrom(config, config['ledger.databaseUrl'] || urlOf(ledger));
  if (connection.backend === 'postgres' && !(await hasQueue(ledger.pool))) return undefined;
  // Loaded here: it takes longer than the rest of the command.
  const { FailedEntries } = await import('../../queue/recording/failed-entries.js');
  return new FailedEntries(connection);
}

function urlOf({ pool }: Ledger): string {
  return pool.options.connectionString ?? '';
}

interface Found {
  readonly rows: readonly SetAsideRow[];
  /** Why the queue cannot be asked; what the ledger has set aside is there all the same. */
  readonly fault: Error | undefined;
}

async function findAll({ ledger, config, io }: OnList, entries: FailedEntries | undefined): Promise<Found> {
  const parts = await listSetAside(ledger.pool, config.limit);
  let fault: Error | undefined;
  const failed = await entries?.list(config.limit).catch((error: Error) => {
    fault = error;
    const words =
      'the queue cannot be asked what it could not read, so this is what the ledger has set aside';
    io.stderr.write(
      `stratum-bridge: ${words}: ${error.message || error.name}; does its Redis or database run?\n`,
    );
    return [];
  });
  return { rows: listed(parts, failed ?? []), fault };
}

function listed(parts: readonly SetAside[], failed: readonly FailedEntry[]): SetAsideRow[] {
  return [
    ...parts.map(({ setAsideAt, error, ...part }) => ({ ...part, since: setAsideAt, error })),
    ...failed.map(({ id, shares, work, failedAt, error }) => {
      return { id, account: '', rig: '', shares, work, rejections: 0, since: failedAt, error };
    }),
  ];
}

async function settle(
  verb: 'retry' | 'drop',
  id: string | undefined,
  asked: OnList,
  entries: FailedEntries | undefined,
): Promise<number> {
  const { rows = [], fault } = id === undefined ? await findAll(asked, entries) : {};
  const ids = id === undefined ? rows.map((one) => one.id) : [id];
  const outcomes: OutcomeRow[] = [];
  for (const one of ids) outcomes.push(await settleOne(verb, one, asked, entries));
  print(outcomes, OUTCOMES, asked);
  return fault || outcomes.some(({ outcome }) => outcome.startsWith(REFUSED)) ? FAILED : OK;
}

const REFUSED = 'refused';

async function settleOne(
  verb: 'retry' | 'drop',
  id: string,
  { ledger }: OnList,
  entries: FailedEntries | undefined,
): Promise<OutcomeRow> {
  if (!NUMBER.test(id)) {
    const entry = await (verb === 'retry' ? entries?.retry(id) : entries?.drop(id));
    if (!entry) throw new CommandError(`no entry ${id} is set aside: \`ledger queue list\` tells what is`);
    const named = entryIdOf(id);
    // What waits for it waits no longer, and no share log brings it again.
    if (verb === 'drop' && named) await giveUpEntry(ledger.pool, named, { by: whoRuns(), ...entry });
    return {
      id,
      shares: entry.shares,
      outcome: verb === 'retry' ? 'handed to the recorders again' : 'dropped',
    };
  }
  try {
    const settling =
      verb === 'retry' ? retrySetAside(ledger.pool, id) : dropSetAside(ledger.pool, id, whoRuns());
    return { id, shares: (await settling).shares, outcome: verb === 'retry' ? 'booked' : 'dropped' };
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'refused') throw error;
    return { id, shares: 0, outcome: `${REFUSED}: ${error.message}` };
  }
}
