/**
 * What the rules of the ledger are to a bridge: it goes by them whatever its settings say, and says where those say otherwise. On books
 * that have none its settings become the first version.
 */
import type pg from 'pg';
import type { Log } from '../../core/names/log.js';
import { LedgerError } from '../database/errors.js';
import type { RewardRules } from '../rules/rule-table.js';
import {
  differences,
  type OwnSettings,
  type RulesInForce,
  rulesAt,
  rulesNow,
  writeFirstRules,
} from './rules.js';

/**
 * In force at a time, or now, by the database's clock.
 *
 * @param client of the transaction that asks: one that holds a lock does not wait for a second connection.
 */
export type RulesSource = (at?: Date, client?: pg.ClientBase) => Promise<RewardRules>;

/** @param by who starts here, as `rules` names who made a version. */
export function rulesFor(
  pool: pg.Pool,
  settings: RewardRules,
  by: string,
): (at?: Date, client?: pg.ClientBase) => Promise<RulesInForce> {
  const inForce = (at: Date | undefined, client: pg.ClientBase | pg.Pool) =>
    at ? rulesAt(client, at) : rulesNow(client);
  return async (at, client) => {
    const asked = client ?? pool;
    try {
      return await inForce(at, asked);
    } catch (error) {
      if (!(error instanceof LedgerError && error.code === 'no-rules')) throw error;
      await writeFirstRules(pool, settings, by);
      return inForce(at, asked);
    }
  };
}

interface RulesWatchOptions {
  readonly rules: (at?: Date) => Promise<RulesInForce>;
  /** Those that an operator has set for this bridge. */
  readonly own: OwnSettings;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface RulesWatch {
  look(): Promise<void>;
  /** `undefined` before they were read. */
  inForce(): RulesInForce | undefined;
  /** Settings that say otherwise than the rules in force, in words; `undefined` before these were read. */
  differing(): readonly string[] | undefined;
  close(): Promise<void>;
}

const INTERVAL_MS = 30_000;

/** Tells when the ledger's rules become others, and which settings say otherwise. */
export function startRulesWatch({
  rules,
  own,
  log,
  intervalMs = INTERVAL_MS,
}: RulesWatchOptions): RulesWatch {
  let told: { holds: RulesInForce; differing: readonly string[] } | undefined;
  let looking: Promise<void> | undefined;
  const compare = async (): Promise<void> => {
    const holds = await rules();
    const found = { holds, differing: differences(holds, own) };
    const before = told;
    told = found;
    if (before?.holds.version !== holds.version)
      log.info({ version: holds.version, scheme: holds.scheme }, 'the ledger has these rules in force');
    const differing = found.differing.join('; ');
    if (differing !== '' && differing !== before?.differing.join('; '))
      log.warn({ differing }, `${DIFFERING}: ${differing}`);
  };
  const look = (): Promise<void> => {
    looking ??= compare()
      .catch((error: Error) => log.debug({ error: error.message }, 'the rules cannot be read now'))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const timer = setInterval(() => void look(), intervalMs);
  void look();
  return {
    look,
    inForce: () => told?.holds,
    differing: () => told?.differing,
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}

const DIFFERING =
  'settings of this bridge are not the rules that are in force, and are passed over (`ledger rules` shows those, `ledger rules set` changes them)';
