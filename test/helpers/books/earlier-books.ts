/** What books would have of the hours before a test, put there by SQL: no test has to wait until it has come about. */
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { ask } from './ask-postgres.js';

/** A share a minute of the pool, of changing work and with gaps, from twenty hours ago to two, as upkeep has summed them up. */
export async function bookEarlierShares(database: string): Promise<void> {
  await ask(
    { connectionString: database },
    `WITH at AS MATERIALIZED (
       SELECT i, date_bin('10 minutes', now(), 'epoch') - i * interval '10 minutes' AS starts_at FROM generate_series(12, 120) i
       WHERE i % 5 NOT IN (0, 2))
     SELECT count(${SCHEMA}.need_partition('account_work', starts_at)) FROM at`,
  );
  await ask(
    { connectionString: database },
    `INSERT INTO ${SCHEMA}.account_work (starts_at, account_id, kind, seconds, submits, work, squares)
     SELECT date_bin('10 minutes', now(), 'epoch') - i * interval '10 minutes', 0, 0, 600, 10, (4 + i % 3) * 1e8, 3.6e16
     FROM generate_series(12, 120) i WHERE i % 5 NOT IN (0, 2) RETURNING 1`,
  );
}

/** A share of that rig, five hours ago. */
export async function bookEarlierRig(database: string, account: string, rig: string): Promise<void> {
  const config = { connectionString: database };
  await ask(config, `SELECT ${SCHEMA}.know_rigs('{${account}}', '{${rig}}')`);
  await ask(
    config,
    `UPDATE ${SCHEMA}.rig SET last_at = date_bin('1 minute', now(), 'epoch') - interval '5 hours' WHERE key = ${SCHEMA}.rig_key('${account}', '${rig}') RETURNING 1`,
  );
}

/** Half a minute apart, two hours ago and before. Others are confirmed in their place: nobody is paid for them. */
export async function bookEarlierBlocks(database: string, blocks: number): Promise<void> {
  await ask(
    { connectionString: database },
    `INSERT INTO ${SCHEMA}.block (pow_hash, hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig,
                                  found_at, said, state, slot, weighed_at)
     SELECT int8send(i), '', '', 0, 1, '', 0, 0, 1e9, 'http://node', 'k:earlier', 'rig', found_at, 'received', 'orphaned',
            date_bin('10 seconds', found_at, 'epoch'), now()
     FROM generate_series(${blocks}, 1, -1) i, LATERAL (SELECT now() - interval '2 hours' - i * interval '30 seconds' AS found_at) t RETURNING 1`,
  );
}
