/** Books of a test file: a ledger in a database of its own, from before the first test to after the last. */
import type pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { addressOf } from '../runner/shared.js';
import { createDatabase, dropDatabase, startTestPostgres, type TestPostgres } from './postgres.js';

export interface Books {
  readonly ledger: Ledger;
  readonly pool: pg.Pool;
  readonly connectionString: string;
  /** As on the first day, but for the names of rigs. */
  empty(): Promise<void>;
}

const DROP_PARTITIONS = `DO $$
  DECLARE v_name text;
  BEGIN
    FOR v_name IN SELECT p.name FROM unnest('{rig_work,account_work}'::text[]) t, partitions_of(t) p LOOP
      EXECUTE format('DROP TABLE %I', v_name);
    END LOOP;
  END $$`;

/** New files for each table and index, as TRUNCATE makes, took twenty times as long. Without triggers, which forbid some of it. */
const EMPTY = `SET LOCAL session_replication_role = replica;
  DO $$
  DECLARE v_name text;
  BEGIN
    FOREACH v_name IN ARRAY '{chain_block, chain, rules, account_fee, beneficiary, block, block_weight, transfer, balance, closed_day, correction, payout,
      payout_line, pps_period, root, rig_work, account_work, log, entry, unbooked, event, alert, alert_rig,
      freshness, owed, operator_order, bridge_view}'::text[] LOOP
      EXECUTE format('DELETE FROM %I', v_name);
    END LOOP;
  END $$;
  UPDATE account SET minimum_payout = NULL, note = '', wished_chain = NULL, wished_at = NULL, held_why = NULL;
  UPDATE settlement SET closed_until = 'epoch', periods_until = 'epoch', round_since = now(), round_until = 'epoch', round_accounts = '{}',
    round_work = '{}';
  UPDATE payer SET holder = NULL, heard_at = 'epoch';
  UPDATE rig SET last_at = NULL, best = 0, best_at = NULL`;

/**
 * To be called once, at the top of the file; what it gives is there once tests run.
 *
 * @param onOwnServer for tests that look at all connections or locks of a server, end them, or alter the server.
 */
export function useBooks({ onOwnServer = false } = {}): Books {
  let server: Server | undefined;
  let connectionString: string | undefined;
  let ledger: Ledger | undefined;
  const opened = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('the books are opened before the first test, not sooner');
    return one;
  };
  beforeAll(async () => {
    server = await (onOwnServer ? startTestPostgres() : sharedPostgres());
    connectionString = await createDatabase(server);
    ledger = await openLedger({ connectionString, log: SILENT });
  });
  afterAll(async () => {
    await ledger?.close();
    if (server && connectionString) await dropDatabase(server, connectionString);
    await server?.close();
  });
  return {
    get ledger() {
      return opened(ledger);
    },
    get pool() {
      return opened(ledger).pool;
    },
    get connectionString() {
      return opened(connectionString);
    },
    empty: async () => {
      await opened(ledger).pool.query(DROP_PARTITIONS);
      await opened(ledger).pool.query(EMPTY);
    },
  };
}

type Server = Pick<TestPostgres, 'connectionString' | 'close'>;

/** That of all files of the run (runner/shared-postgres.ts), which ends with the run. */
export async function sharedPostgres(): Promise<Server> {
  const connectionString = await addressOf('PostgreSQL', inject('sharedPostgres'));
  return { connectionString, close: async () => undefined };
}
