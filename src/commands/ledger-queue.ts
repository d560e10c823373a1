/** `ledger queue`: what recorders have set aside, and what becomes of it. */
import { randomUUID } from 'node:crypto';
import { ConfigError } from '../config/load.js';
import { LedgerError } from '../ledger/errors.js';
import type { Ledger } from '../ledger/ledger.js';
import { hasQueue } from '../ledger/queue-tables.js';
import { dropSetAside, listSetAside, retrySetAside, type SetAside } from '../ledger/set-aside.js';
import type { FailedEntries, FailedEntry } from '../queue/failed-entries.js';
import { queueConnectionFrom } from './book-settings.js';
import { CommandError, FAILED, OK } from './command.js';
import type { Action, Asked } from './ledger-asked.js';
import { print } from './ledger-print.js';

/** Parts that the database refused have numbers, entries that cannot be read the names that the queue gave them. */
const NUMBER = /^\d+$/;
const USAGE = 'ledger queue: list, retry [ID] (all without), or drop ID';

/** Reads the words after `queue`. Throws {@link ConfigError}. */
export function queueAction([verb = 'list', id, ...more]: readonly string[]): Action {
  const isGood =
    verb === 'retry' || (verb === 'list' && id === undefined) || (verb === 'drop' && id !== undefined);
  if (!isGood || more.length > 0) throw new ConfigError([USAGE]);
  return async (asked) => {
    const entries = await failedEntries(asked);
    try {
      if (verb === 'list') {
        const { rows, fault } = await findAll(asked, entries);
        print(rows, asked);
        return fault ? FAILED : OK;
      }
      return await settle(verb === 'drop' ? 'drop' : 'retry', id, asked, entries);
    } finally {
      await entries?.close();
    }
  };
}

/** `undefined` where there is no queue yet: looking makes none. */
async function failedEntries({ ledger, config }: Asked): Promise<FailedEntries | undefined> {
  const connection = queueConnectionFrom(config, config['ledger.databaseUrl'] || urlOf(ledger));
  if (connection.backend === 'postgres' && !(await hasQueue(ledger.pool))) return undefined;
  // Loaded here: it takes longer than the rest of the command.
  const { FailedEntries } = await import('../queue/failed-entries.js');
  return new FailedEntries(connection);
}

function urlOf({ pool }: Ledger): string {
  return pool.options.connectionString ?? '';
}

interface Listed {
  readonly id: string;
  readonly account: string;
  readonly rig: string;
  readonly shares: number;
  readonly work: string;
  readonly rejections: number;
  readonly since: string;
  readonly error: string;
}

interface Found {
  readonly rows: readonly Listed[];
  /** Why the queue cannot be asked; what the ledger has set aside is there all the same. */
  readonly fault: Error | undefined;
}

async function findAll({ ledger, config, io }: Asked, entries: FailedEntries | undefined): Promise<Found> {
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

function listed(parts: readonly SetAside[], failed: readonly FailedEntry[]): Listed[] {
  return [
    ...parts.map(({ setAsideAt, error, ...part }) => ({ ...part, since: setAsideAt, error })),
    ...failed.map(({ id, shares, failedAt, error }) => {
      return { id, account: '', rig: '', shares, work: '', rejections: 0, since: failedAt, error };
    }),
  ];
}

interface Outcome {
  readonly id: string;
  readonly shares: number;
  readonly outcome: string;
}

async function settle(
  verb: 'retry' | 'drop',
  id: string | undefined,
  asked: Asked,
  entries: FailedEntries | undefined,
): Promise<number> {
  const { rows = [], fault } = id === undefined ? await findAll(asked, entries) : {};
  const ids = id === undefined ? rows.map((one) => one.id) : [id];
  const outcomes: Outcome[] = [];
  for (const one of ids) outcomes.push(await settleOne(verb, one, asked, entries));
  print(outcomes, asked);
  return fault || outcomes.some(({ outcome }) => outcome.startsWith(REFUSED)) ? FAILED : OK;
}

const REFUSED = 'refused';

async function settleOne(
  verb: 'retry' | 'drop',
  id: string,
  { ledger }: Asked,
  entries: FailedEntries | undefined,
): Promise<Outcome> {
  if (!NUMBER.test(id)) {
    const entry = await (verb === 'retry' ? entries?.retry(id) : entries?.drop(id));
    if (!entry) throw new CommandError(`no entry ${id} is set aside: \`ledger queue list\` tells what is`);
    return {
      id,
      shares: entry.shares,
      outcome: verb === 'retry' ? 'handed to the recorders again' : 'dropped',
    };
  }
  try {
    const settling =
      verb === 'retry' ? retrySetAside(ledger.pool, id, randomUUID) : dropSetAside(ledger.pool, id);
    return { id, shares: (await settling).shares, outcome: verb === 'retry' ? 'booked' : 'dropped' };
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'refused') throw error;
    return { id, shares: 0, outcome: `${REFUSED}: ${error.message}` };
  }
}
