/** Guards that the books keep, and those of books that were restored. */
import type { Guard } from './guard.js';

const TABLES = 'src/ledger/sql/tables.sql';
const WRITES = 'src/ledger/transactions/transactions.sql';
const RECONCILE = 'src/payouts/payer/reconcile.ts';
const payerBooks = (title: string) => ['test/ledger/transactions/payer-books.test.ts', title] as const;
const reconciled = (title: string) => ['test/long/payouts/reconcile.test.ts', title] as const;
const orders = (title: string) => ['test/ledger/transactions/orders.test.ts', title] as const;
const lines = (title: string) => ['test/long/payouts/payer/lines.test.ts', title] as const;

export const IN_THE_BOOKS: readonly Guard[] = [
  {
    name: 'the unique index of transactions that live',
    file: TABLES,
    with: 'CREATE UNIQUE INDEX transaction_alive',
    without: 'CREATE INDEX transaction_alive',
    test: payerBooks('keep the bytes of a transaction, and one that lives'),
  },
  {
    name: "the trigger that keeps a transaction's bytes",
    file: TABLES,
    with: 'attempt, chain_id, cmd, request_key, creation_time, ttl ON transaction',
    without: 'attempt, chain_id, request_key, creation_time, ttl ON transaction',
    test: payerBooks('keep the bytes of a transaction, and one that lives'),
  },
  {
    name: 'the trigger that keeps what happened',
    file: TABLES,
    with: 'CREATE TRIGGER keep_event BEFORE UPDATE OR DELETE ON payment_event',
    without: 'CREATE TRIGGER keep_event BEFORE UPDATE ON payment_event',
    test: payerBooks('keep the bytes of a transaction, and one that lives'),
  },
  {
    name: 'the names of moves of money',
    file: 'src/ledger/transactions/findings/moves.ts',
    with: 'if (former) throw',
    without: 'if (former === null) throw',
    test: payerBooks('make a move of money once'),
  },
  {
    name: 'the states from which a finding moves',
    file: 'src/ledger/transactions/findings/findings.ts',
    with: 'moves.filter(({ finding, taken }) => FROM[finding.now].includes(taken.state));',
    without: 'moves.filter(({ finding }) => FROM[finding.now] !== undefined);',
    test: payerBooks('moves once, however often it is found'),
  },
  {
    name: 'the fence',
    file: WRITES,
    with: 'SELECT fence = $1::bigint AS "has!",',
    without: 'SELECT fence >= $1::bigint AS "has!",',
    test: payerBooks('give the seat to one, and refuse who has lost it'),
  },
  {
    name: 'the lock of the seat',
    file: WRITES,
    with: 'SELECT pg_try_advisory_lock($1::bigint) AS "leads!";',
    without: 'SELECT $1::bigint IS NOT NULL AS "leads!";',
    test: payerBooks('give the seat to one, and refuse who has lost it'),
  },
  {
    name: 'that balances still are what was planned with',
    file: 'src/ledger/transactions/batches.ts',
    with: '.filter((row) => amountOf(row.amount) >= (planned.get(row.name) ?? 0n))',
    without: '',
    test: payerBooks('prepare nothing of balances that are not what was planned with'),
  },
  {
    name: 'that an approval is of what stands in the batch',
    file: WRITES,
    with: 'FROM payout_approval p WHERE p.payout_id = b.id AND p.content_hash = b.content_hash)',
    without: 'FROM payout_approval p WHERE p.payout_id = b.id)',
    test: payerBooks('wait for approvals of what stands in the batch'),
  },
  {
    name: 'the pause, in the books',
    file: 'src/ledger/transactions/payer-books.ts',
    with: "if (await refuseOthers(client, fence)) throw new LedgerError('refused', 'payouts are paused');",
    without: 'await refuseOthers(client, fence);',
    test: orders('stops all that is new, whatever the payer has begun'),
  },
  {
    name: 'that nothing is built for a line that was rejected or held meanwhile',
    file: WRITES,
    with: `JOIN payment l ON l.id = t."paymentId" WHERE l.state = 'prepared'\nRETURNING`,
    without: 'JOIN payment l ON l.id = t."paymentId"\nRETURNING',
    test: orders('between two steps of the payer leaves nothing to be signed'),
  },
  {
    name: 'that what somebody may have signed is not dropped',
    file: 'src/ledger/transactions/orders.sql',
    with: "t.state = 'built' AND t.asked_at IS NULL;",
    without: "t.state = 'built';",
    test: lines('that refuses a line for ever'),
  },
  {
    name: 'what was sent in 24 hours',
    file: WRITES,
    with: "sent_at > now() - interval '1 day'",
    without: 'sent_at > now()',
    test: payerBooks('count what was sent within a day against the limits'),
  },
];

export const AFTER_A_RESTORE: readonly Guard[] = [
  {
    name: 'that a found attempt waits for an earlier one of its line',
    file: 'src/ledger/transactions/take-over.ts',
    with: 'if (await hasEarlier(client, payment)) left++;',
    without: 'if (payment.attempt < 0 && (await hasEarlier(client, payment))) left++;',
    test: ['test/ledger/transactions/take-over.test.ts', 'waits with an attempt that is found'],
  },
  {
    name: 'the time that has to pass after a restore',
    file: RECONCILE,
    with: 'return believedS !== undefined && believedS >= untilS ? undefined : untilS;',
    without: 'return believedS !== undefined ? undefined : untilS;',
    test: reconciled('knows after a comparison what was paid since'),
  },
  {
    name: 'that what the signer log has is waited for',
    file: 'src/payouts/payer/signed-before.ts',
    with: '} else coming.push(late);',
    without: '}',
    test: reconciled('names what was signed and neither books nor chain know'),
  },
  {
    name: 'that all blocks which are asked for were compared',
    file: RECONCILE,
    with: 'if (lowest && lowest.height <= since) return undefined;',
    without: 'if (lowest) return undefined;',
    test: reconciled('what was not read is named, and nothing is done'),
  },
  {
    name: 'what was refused in a block that has left the chain',
    file: 'src/ledger/transactions/findings/findings.ts',
    with: "sent: ['included', 'confirmed', 'refused'],",
    without: "sent: ['included', 'confirmed'],",
    test: ['test/long/payouts/reorganisations.test.ts', 'the books take the refusal back'],
  },
];
