/** Of the ledger: histories of the payer's model, and what somebody does just when it must not be. */
import type pg from 'pg';
import { type PayerRole, RoleLostError, type Taking } from '../../../../src/bridge/payouts/payer-books.js';
import { SILENT } from '../../../../src/core/names/log.js';
import { BEGINNING, beginChain, SQL as CHAIN_SQL } from '../../../../src/ledger/chains/cursor.js';
import { undoBlocks } from '../../../../src/ledger/chains/orders.js';
import { LedgerError } from '../../../../src/ledger/database/errors.js';
import { run } from '../../../../src/ledger/database/statements.js';
import { inTransaction } from '../../../../src/ledger/database/transaction.js';
import { openLedger } from '../../../../src/ledger/ledger.js';
import {
  approvePayout,
  holdAccount,
  pausePayments,
  rebindPayer,
  rejectPayout,
  settleLine,
} from '../../../../src/ledger/payer/orders.js';
import { payerBooks } from '../../../../src/ledger/payer/role.js';
import { forgetTransactions, revertTransactions } from '../../../../src/ledger/payer/transactions.js';
import { REWARD_RULES } from '../../../../src/ledger/rules/rule-table.js';
import { OPERATOR_ID, transfer } from '../../../../src/ledger/settlement/transfers.js';
import { sharedPostgres } from '../../books/books.js';
import { expectProved, giveMoney } from '../../books/money.js';
import { createDatabase, dropDatabase } from '../../books/postgres.js';
import { steerTime } from '../../books-model/ledger-time.js';
import { Driven } from '../../payer-model/driven.js';
import { storyOf } from '../../payer-model/histories.js';
import { installCopies } from '../../payer-model/kept-books.js';
import { BESIDE, FAULTS, READY, WITHOUT } from '../../payer-model/stories.js';
import { until } from '../../until.js';
import type { Stories, Story } from './story.js';

const BY = { note: 'a test', by: 'a test' };
const COIN = 10n ** 12n;
const MINER = `k:${'b'.repeat(64)}`;
const TAKING: Taking = {
  ...{ place: 'here', account: 'k:payer', validityMicros: 900_000_000n },
  ...{ seenMicros: 0n, isNewLedger: true, warning: '' },
};

async function inBooks(tell: (pool: pg.Pool) => Promise<string>): Promise<string> {
  const server = await sharedPostgres();
  const connectionString = await createDatabase(server);
  const ledger = await openLedger({ connectionString, log: SILENT });
  try {
    return await tell(ledger.pool);
  } finally {
    await ledger.close();
    await dropDatabase(server, connectionString);
  }
}

/** Lived by the books, to its end: all is paid, once, and for what payments were paused on the way. */
function history(text = ''): Story {
  const tell = (): Promise<string> =>
    inBooks(async (pool) => {
      const around = { pool, setTime: await steerTime(pool) };
      await installCopies(pool);
      await Driven.prepare(around);
      const driven = await Driven.begin(around);
      try {
        for (const { method, values } of storyOf(text))
          await (driven[method] as (...given: readonly unknown[]) => Promise<void>).call(driven, ...values);
        const { rows } = await pool.query<{ reason: string }>('SELECT reason FROM pause ORDER BY reason');
        await driven.finish();
        await expectProved(pool);
        return ['paid once', ...rows.map(({ reason }) => `paused: ${reason}`)].join(', ');
      } catch (error) {
        return (error as Error).message.split(': ', 1)[0] ?? '';
      }
    });
  return { well: 'paid once', tell };
}

interface Paying {
  readonly pool: pg.Pool;
  readonly role: PayerRole;
  /** The one line of five coins that is planned, as far as it is to be paid now. */
  readonly lines: () => ReturnType<typeof linesOf>;
  /** Resolves with how many transactions there are then. */
  readonly build: (lines: Awaited<ReturnType<typeof linesOf>>) => Promise<string>;
  readonly plan: () => Promise<void>;
  readonly payout: () => Promise<{ readonly id: string; readonly hash: string }>;
}

async function linesOf(role: PayerRole) {
  return (await role.state()).lines;
}

/** Somebody pays, and has planned one line. */
function paying(well: string, tell: (paying: Paying) => Promise<string>, approvals = 0): Story {
  const begin = (): Promise<string> =>
    inBooks(async (pool) => {
      const first = { height: 1, hash: 'a', weight: 1n, work: 1n, timeMicros: 1n, epochStartMicros: 0n };
      await run(pool, CHAIN_SQL.know, [0, 'test', '1']);
      await beginChain(pool, 0, first, first);
      await giveMoney(pool, MINER, 5n * COIN);
      const role = await payerBooks(pool).take(TAKING);
      if (!role) throw new Error('somebody else pays');
      const plan = async (): Promise<void> => {
        const [due] = await role.due(COIN);
        const line = { accountId: due?.id ?? 0, account: MINER, chainId: 0, amount: 5n * COIN };
        await role.plan({
          minimum: COIN,
          lines: [line],
          approvals,
          approvalWhy: '',
          waitingWhy: '',
          isPutOff: false,
        });
      };
      await plan();
      return tell({
        ...{ pool, role, plan, lines: () => linesOf(role) },
        build: async (lines) => {
          const rest = { cmd: '', untilMicros: 900_000_000n, gas: 1n };
          await role.build(
            lines.map(({ id, attempt }) => ({
              lineId: id,
              attempt,
              requestKey: `${id} ${attempt}`,
              ...rest,
            })),
          );
          return `built ${(await pool.query('SELECT FROM chain_transaction')).rowCount}`;
        },
        payout: async () => {
          const { rows } = await pool.query<{ id: string; hash: string }>(
            'SELECT id::text, hash FROM payout',
          );
          return rows[0] ?? { id: '', hash: '' };
        },
      });
    });
  return { well, tell: begin };
}

/** Until so many wait for what others have locked. */
const lockWaits = (pool: pg.Pool, count: number): Promise<boolean> =>
  until(`${count} wait for a lock`, async () => {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rowCount === count;
  });

/** Whether that is taken. */
const isTaken = (order: Promise<unknown>): Promise<string> =>
  order.then(
    (done) => (done === undefined ? 'refused' : 'taken'),
    (error: Error) => {
      if (error instanceof LedgerError || error instanceof RoleLostError) return 'refused';
      throw error;
    },
  );
const done = (order: Promise<unknown>): Promise<string> => isTaken(order.then(() => true));

export const IN_BOOKS: Stories = {
  'built twice': history(`${READY} | pay 0 0 | pay 0 0 | mine 0 1 all`),
  'in the last block that may have it': history(
    `${READY} | pay 0 0 | mine 0 7 all${' | mine 0 1 nothing'.repeat(2)} | follow 0`,
  ),
  'long on its way': history(
    `${READY} | pay 0 0${' | mine 0 1 nothing'.repeat(3)} | follow 0 | pay 0 0 | mine 0 1 all`,
  ),
  'found after all': history(
    `${READY} | pay 0 0${' | mine 0 1 nothing'.repeat(3)} | follow 0 | mine 0 1 all${' | mine 0 1 nothing'.repeat(2)} | follow 0`,
  ),
  'paid beside another one': history(BESIDE),
  'lost by the books': history(WITHOUT.find(([rule]) => rule === 'entersAlways')?.[2]),
  'taken back to before the wait was over': history(
    FAULTS.find(([what]) => what.startsWith('waits once more'))?.[1],
  ),
  'undone together': history(
    `${READY}${` | pay 0 0${' | mine 0 4 nothing'.repeat(4)} | follow 0`.repeat(2)} | reorganise 0 9 1 nothing | undo 0`,
  ),
  'the same move twice': paying('moved once', async ({ pool }) => {
    const move = { code: 'gas', of: 1n, time: 1, debit: OPERATOR_ID, credit: -1, amount: COIN } as const;
    const moves = (): Promise<string> =>
      inTransaction(pool, (client) => transfer(client, [move])).then(
        () => 'moved twice',
        () => 'moved once',
      );
    await moves();
    return moves();
  }),
  'paused when it was to be built': paying('built 0', async ({ pool, lines, build }) => {
    const some = await lines();
    await pausePayments(pool, BY);
    return build(some);
  }),
  'paused when it was to be signed and sent': paying(
    'asked false, sent false',
    async ({ pool, role, lines, build }) => {
      await build(await lines());
      const ids = (await role.state()).open.map(({ id }) => id);
      await pausePayments(pool, BY);
      return `asked ${await role.asking(ids)}, sent ${await role.sending(ids)}`;
    },
  ),
  'rejected when it was to be built, and planned anew': paying(
    'built 0',
    async ({ pool, lines, build, payout, plan }) => {
      const some = await lines();
      await rejectPayout(pool, (await payout()).id, BY);
      await plan();
      return build(some);
    },
  ),
  'rejected while it is paid': paying('refused', async ({ pool, lines, build, payout }) => {
    await build(await lines());
    return isTaken(rejectPayout(pool, (await payout()).id, BY));
  }),
  'rejected while it is built': paying('built 1, refused', async ({ pool, lines, build, payout }) => {
    const [some, { id }] = [await lines(), await payout()];
    const client = await pool.connect();
    await client.query('BEGIN; SELECT FROM balance FOR UPDATE');
    const built = build(some);
    await lockWaits(pool, 1);
    const rejected = isTaken(rejectPayout(pool, id, BY));
    await lockWaits(pool, 2);
    await client.query('ROLLBACK');
    client.release();
    return `${await built}, ${await rejected}`;
  }),
  'settled as not paid when it was to be signed and sent': paying(
    'asked false, sent false',
    async ({ pool, role, lines, build }) => {
      await build(await lines());
      const { open } = await role.state();
      const ids = open.map(({ id }) => id);
      await settleLine(pool, open[0]?.lineId ?? '', { ...BY, requestKey: undefined });
      return `asked ${await role.asking(ids)}, sent ${await role.sending(ids)}`;
    },
  ),
  'held when it was to be signed and sent': paying(
    'asked false, sent false',
    async ({ pool, role, lines, build }) => {
      await build(await lines());
      const ids = (await role.state()).open.map(({ id }) => id);
      await holdAccount(pool, MINER, BY);
      return `asked ${await role.asking(ids)}, sent ${await role.sending(ids)}`;
    },
  ),
  'open where its chain is begun anew': paying(
    'left to people, line unknown, paused: skipped',
    async ({ pool, lines, build }) => {
      await build(await lines());
      const readers = [{ revert: revertTransactions, forget: forgetTransactions }];
      await undoBlocks(pool, { chainId: 0, to: BEGINNING, ...BY }, readers, async () => REWARD_RULES);
      const { rows } = await pool.query(
        'SELECT by_hand, n.state, ARRAY(SELECT reason FROM pause) AS pauses FROM chain_transaction t JOIN payout_line n ON n.id = t.line_id',
      );
      const { by_hand, state, pauses } = rows[0];
      return `${by_hand ? 'left to people' : 'open'}, line ${state}, paused: ${pauses}`;
    },
  ),
  'held after it was planned': paying('built 0', async ({ pool, lines, build }) => {
    await holdAccount(pool, MINER, BY);
    return build(await lines());
  }),
  'not approved yet': paying('built 0', async ({ lines, build }) => build(await lines()), 1),
  'approved, and changed then': paying(
    'built 0',
    async ({ pool, lines, build, payout }) => {
      const { id, hash } = await payout();
      await approvePayout(pool, id, { hash, by: 'alice' });
      await pool.query('UPDATE payout_line SET amount = amount - 1');
      return build(await lines());
    },
    1,
  ),
  'approved as it was shown before': paying(
    'refused',
    async ({ pool, payout }) =>
      isTaken(approvePayout(pool, (await payout()).id, { hash: 'another', by: 'alice' })),
    1,
  ),
  'approved by one for two': paying(
    'refused',
    async ({ pool, payout }) => {
      const { id, hash } = await payout();
      await approvePayout(pool, id, { hash, by: 'alice' });
      return isTaken(approvePayout(pool, id, { hash, by: 'alice' }));
    },
    2,
  ),
  'by another account': paying('refused', async ({ pool, role }) => {
    await role.leave();
    return isTaken(payerBooks(pool).take({ ...TAKING, account: 'k:another' }));
  }),
  'bound to another account while something is open': paying('refused', async ({ pool, lines, build }) => {
    await build(await lines());
    return done(rebindPayer(pool, 'k:another', BY));
  }),
  'beside one who lives': paying('refused', async ({ pool }) =>
    isTaken(payerBooks(pool).take({ ...TAKING, place: 'there' })),
  ),
};
