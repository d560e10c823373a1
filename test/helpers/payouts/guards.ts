/** Guards of payments, all of them. `test/long/payouts/guards.test.ts` takes each out of a copy of the program, and sees its story end badly there. */
import type { Rule } from '../payer-model/rules.js';
import { AT_SIGNER } from './guards/at-signer.js';
import type { Guard, Stories } from './guards/guard.js';
import { IN_BOOKS } from './guards/in-books.js';
import { ON_CHAIN } from './guards/on-chain.js';

export type { Change, Stories } from './guards/guard.js';

export const STORIES: Stories = { ...IN_BOOKS, ...ON_CHAIN, ...AT_SIGNER };

/** Rules that `test/helpers/payer-model/without.ts` takes out of the ledger, or of what is simulated, in `test/payouts/payer-histories.test.ts`. */
export const MODELLED: readonly Rule[] = [
  ...(['comparesToken', 'covers', 'reopensDead', 'alwaysWaits', 'entersAlways', 'holderPauses'] as const),
  ...(['takesLater', 'waitsForAll', 'standsStill', 'readsAll', 'settlesSkipped'] as const),
];

const MAY_SIGN = 'src/payouts/signer/may-sign.ts';
const BOOK = 'src/payouts/signer/signed-book.ts';
const LOG = 'src/payouts/signer/signer-log.ts';

const PAYER_SQL = 'src/ledger/payer/payer.sql';
const TABLES = 'src/ledger/sql/tables.sql';
const TRANSACTIONS = 'src/ledger/payer/transactions.ts';
const ROLE = 'src/ledger/payer/role.ts';
const ORDERS = 'src/ledger/payer/orders.ts';
const NONE_ALIVE =
  "AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid'))";

const IN_LEDGER: readonly Guard[] = [
  {
    guard: 'a line has one transaction that is open or paid: a unique index',
    out: [[TABLES, 'CREATE UNIQUE INDEX chain_transaction_alive', 'CREATE INDEX chain_transaction_alive']],
    ...{ story: 'built twice', ends: 'paid twice' },
    // Looked at when lines are chosen, and in the commit.
    behind: [
      [PAYER_SQL, `${NONE_ALIVE}\nORDER BY`, 'ORDER BY'],
      [PAYER_SQL, `${NONE_ALIVE}\nFOR UPDATE OF n, b`, 'FOR UPDATE OF n, b'],
    ],
    caught: 'duplicate key',
  },
  {
    guard: 'a move of money has a cause, once',
    out: [[TABLES, 'PRIMARY KEY (code, of, time, debit, credit)', 'CHECK (true)']],
    ...{ story: 'the same move twice', ends: 'moved twice' },
  },
  {
    guard: 'commands of a block are looked at before its time is',
    out: [
      [
        TRANSACTIONS,
        'for (const command of commands) await',
        'await die(client, block); for (const command of commands) await',
      ],
    ],
    ...{ story: 'in the last block that may have it', ends: 'paid once, paused: paidAfterAll' },
  },
  {
    guard: 'dead only when its time is over',
    out: [[PAYER_SQL, 'until_micros <= $2', 'until_micros <= $2 + (SELECT validity_micros FROM payer)']],
    ...{ story: 'long on its way', ends: 'paid twice' },
  },
  {
    guard: 'facts win: what is found was not dead',
    out: [
      [
        TRANSACTIONS,
        "command.outcome === 'paid' && known.state !== 'paid'",
        "command.outcome === 'failed' && known.state === 'open'",
      ],
    ],
    ...{ story: 'found after all', ends: 'paid twice' },
    behind: [[PAYER_SQL, 'until_micros <= $2', 'until_micros <= $2 + (SELECT validity_micros FROM payer)']],
    caught: 'paid once, paused: paidAfterAll',
  },
  {
    guard: 'what is found beside another one has a line of its own',
    out: [[PAYER_SQL, `${NONE_ALIVE} FOR UPDATE OF n;`, 'FOR UPDATE OF n;']],
    ...{ story: 'paid beside another one', ends: 'cannot be booked' },
    behind: [
      [
        PAYER_SQL,
        'WHERE token = ANY ($1::uuid[]) RETURNING stranger',
        'WHERE $1::uuid[] IS NOT NULL RETURNING stranger',
      ],
    ],
    caught: 'paused for nothing',
  },
  {
    guard: 'what the books do not know is entered',
    out: [[TRANSACTIONS, 'if (isOurs) await meetUnknown', 'if (client === undefined) await meetUnknown']],
    ...{ story: 'lost by the books', ends: 'paid twice' },
  },
  {
    guard: 'who pays waits again where cursors are taken back',
    out: [
      [
        PAYER_SQL,
        'UPDATE payer SET is_ready = false WHERE is_ready;',
        'UPDATE payer SET is_ready = true WHERE is_ready;',
      ],
    ],
    ...{ story: 'taken back to before the wait was over', ends: 'paid twice' },
  },
  {
    guard: 'nothing is built while payments are paused',
    out: [[ROLE, 'if (await isPaused(client)) return;', '']],
    ...{ story: 'paused when it was to be built', ends: 'built 1' },
  },
  {
    guard: 'nothing is signed or sent for the first time while payments are paused',
    out: [[ROLE, 'if (await isPaused(client)) return false;', '']],
    ...{ story: 'paused when it was to be signed and sent', ends: 'asked true, sent true' },
  },
  {
    guard: 'what was rejected meanwhile is not built',
    out: [
      [
        PAYER_SQL,
        "WHERE n.id = ANY ($1::bigint[]) AND n.state = 'prepared'",
        'WHERE n.id = ANY ($1::bigint[])',
      ],
    ],
    ...{ story: 'rejected when it was to be built, and planned anew', ends: 'built 1' },
  },
  {
    guard: 'what is being paid cannot be rejected',
    out: [[ORDERS, 'if (isBuilt)', "if (isBuilt && name === '')"]],
    ...{ story: 'rejected while it is paid', ends: 'taken' },
  },
  {
    guard: 'accounts that people hold are not paid',
    out: [[PAYER_SQL, "n.state = 'prepared' AND a.held_why IS NULL AND", "n.state = 'prepared' AND"]],
    ...{ story: 'held after it was planned', ends: 'built 1' },
  },
  {
    guard: 'nothing is built before it is approved',
    out: [[PAYER_SQL, 'cardinality(approved_by) >= approvals AND EXISTS', 'EXISTS']],
    ...{ story: 'not approved yet', ends: 'built 1' },
  },
  {
    guard: 'approved are exactly these lines',
    out: [[PAYER_SQL, 'AND hash = payout_hash(id)', '']],
    ...{ story: 'approved, and changed then', ends: 'built 1' },
  },
  {
    guard: 'approved are lines as they were shown',
    out: [[ORDERS, 'if (payout.hash !== hash)', 'if (hash === "")']],
    ...{ story: 'approved as it was shown before', ends: 'taken' },
  },
  {
    guard: 'each person approves once',
    out: [[ORDERS, 'if (approvedBy.includes(by))', "if (by === '')"]],
    ...{ story: 'approved by one for two', ends: 'taken' },
  },
  {
    guard: 'a ledger pays from one account',
    out: [[ROLE, 'now.account !== account', "account === ''"]],
    ...{ story: 'by another account', ends: 'taken' },
  },
  {
    guard: 'a ledger pays from another account once nothing is open',
    out: [
      [
        PAYER_SQL,
        "WHERE NOT EXISTS (SELECT FROM chain_transaction WHERE state = 'open') RETURNING account",
        'RETURNING account',
      ],
    ],
    ...{ story: 'bound to another account while something is open', ends: 'taken' },
  },
  {
    guard: 'nobody takes the role of one who lives',
    out: [[ROLE, 'now?.holder && !now.isSilent', "now?.holder === ''"]],
    ...{ story: 'beside one who lives', ends: 'taken' },
  },
];

const FACTS = 'src/payouts/payer/facts.ts';
const NODES = 'src/payouts/payer/nodes.ts';
const ROOMS = 'src/payouts/payer/rooms.ts';
const BUILDING = 'src/payouts/payer/building.ts';
const FOLLOWER = 'src/node-client/following/chain-follower.ts';

const OF_PAYER: readonly Guard[] = [
  {
    guard: 'a block counts with the depth on top',
    out: [[FOLLOWER, 'other.links.length - 1 - at >= depth', 'other.links.length - 1 - at >= 0']],
    ...{ story: 'in a block of little depth', ends: '1 paid' },
  },
  {
    guard: 'a block counts by the word of as many nodes as are needed',
    out: [[FOLLOWER, 'having(deep).length >= needed', 'having(deep).length >= 1']],
    ...{ story: 'in a block by the word of one of two', ends: '1 paid' },
  },
  {
    guard: 'outputs hash into the payload',
    out: [
      [
        'src/chain/verify.ts',
        "compare('outputsHash', payload.outputsHash, toBase64Url(hashes.outputsHash));",
        '',
      ],
    ],
    ...{ story: 'outputs that a node alters', ends: '1 failed, paused: differs' },
  },
  {
    guard: 'blocks are read also while nobody pays',
    out: [
      [
        PAYER_SQL,
        '"chains" FROM payer p, ledger l;',
        '"chains" FROM payer p, ledger l WHERE p.holder IS NOT NULL;',
      ],
    ],
    ...{ story: 'in a block while nobody pays', ends: '1 open sent' },
  },
  {
    guard: 'what was in a block without its payload is for people',
    out: [[TRANSACTIONS, 'await leaveToPeople(client, block)', "await pauseFor(client, 'skipped', hash)"]],
    ...{ story: 'in a block whose payload is lost', ends: '1 dead, paused: skipped' },
  },
  {
    guard: 'no time ends what is for people',
    out: [[PAYER_SQL, 'AND NOT by_hand AND until_micros', 'AND until_micros']],
    ...{ story: 'in a block whose payload is lost', ends: '1 dead, paused: skipped' },
  },
  {
    guard: 'a command counts where it moves coins of the account that pays',
    out: [[TRANSACTIONS, 'from === account ||', "from !== '' ||"]],
    ...{ story: 'an id that somebody has copied', ends: '1 paid, paused: anotherPayer' },
  },
  {
    guard: 'payments pause where somebody else pays for this ledger',
    out: [[ROLE, 'if (held.stranger !== null)', "if (held.stranger === '')"]],
    ...{ story: 'a command of a copy', ends: '1 paid' },
  },
  {
    guard: 'a command counts where it is of this ledger',
    out: [[FACTS, 'attempt.ledgerId !== ledgerId', "attempt.ledgerId === ''"]],
    ...{ story: 'of another ledger', ends: 'paid' },
  },
  {
    guard: 'what leaves the account by anything else is seen',
    out: [[FACTS, 'debits.push(...debitsIn(cmd, read, payer.account))', 'debits.push()']],
    ...{ story: 'of another ledger', ends: 'nothing' },
  },
  {
    guard: 'what moved is what was signed',
    out: [[FACTS, 'only.amount !== amount', 'only.amount === undefined']],
    ...{ story: 'that moved more', ends: 'paid' },
  },
  {
    guard: 'an output is of its command',
    out: [[FACTS, "fields?.['reqKey'] !== requestKey", "fields?.['reqKey'] === ''"]],
    ...{ story: 'of another command', ends: 'paid' },
  },
  {
    guard: 'what failed moved nothing',
    out: [[FACTS, 'return left.length === 0', 'return left.length >= 0']],
    ...{ story: 'that failed, and moved coins', ends: 'failed' },
  },
  {
    guard: 'contracts that move coins are known',
    out: [[FACTS, '!KNOWN_CONTRACTS.has(moduleHash)', 'moduleHash === undefined']],
    ...{ story: 'by another contract', ends: 'paid' },
  },
  {
    guard: 'coins are there by the word of as many nodes as are needed',
    out: [[NODES, 'told.length < needed', 'told.length < 1']],
    ...{ story: 'coins by the word of one of two', ends: '1 open sent' },
  },
  {
    guard: 'a dry run is good where no node says otherwise',
    out: [[NODES, 'if (good && bad)', 'if (good && bad && good === bad)']],
    ...{ story: 'a dry run that one of two refuses', ends: '1 open sent' },
  },
  {
    guard: 'a line is tried before it is built',
    out: [[BUILDING, "if (tried.is === 'fine')", "if (tried.is !== 'unknown')"]],
    ...{ story: 'too little gas for anything', ends: '1 open sent' },
  },
  {
    guard: 'the account that pays has the guard that signs',
    out: [
      [
        ROOMS,
        "guard !== 'other' && guard.pred === from.predicate && guard.keys.join() === keys",
        "guard !== 'other' && keys !== ''",
      ],
    ],
    ...{ story: 'from an account that another key guards', ends: 'nothing' },
  },
  {
    guard: 'nothing is valid for longer than is waited for',
    out: [
      [
        BUILDING,
        'Math.min(Number(timeMicros / MICROS), Math.floor(nowMs / 1000))',
        'Number(timeMicros / MICROS)',
      ],
    ],
    ...{ story: 'by nodes that are an hour ahead', ends: 'longer than it may be waited for' },
  },
  {
    guard: 'gas has a highest price',
    out: [['src/payouts/payer/sending.ts', 'least <= terms.maxGasPrice', 'least > 0n']],
    ...{ story: 'at any price of gas', ends: '1 open sent' },
  },
  {
    guard: 'the reserve stays',
    out: [[ROOMS, '- rules.reserve', '']],
    ...{ story: 'from the reserve', ends: '1 open sent' },
  },
  {
    guard: 'what is on its way is not spent again',
    out: [[ROOMS, 'funds.balance - bespoken', 'funds.balance']],
    ...{ story: 'from what is on its way', ends: '1 open sent, 1 open sent, 1 open sent, 1 open sent' },
  },
  {
    guard: 'accounts are paid that are named by their key',
    out: [
      [
        'src/payouts/command/accounts.ts',
        'keyOfAccount(account) !== undefined) return undefined',
        "account !== '') return undefined",
      ],
    ],
    ...{ story: 'an account of any name', ends: 'paid' },
  },
  {
    guard: 'a day has a limit',
    out: [['src/payouts/plan/limits.ts', 'sum + lastDay', 'sum']],
    ...{ story: 'more than the limits of a day', ends: 'by itself' },
  },
];

const OF_SIGNER: readonly Guard[] = [
  {
    guard: 'the signer is of one network',
    out: [[MAY_SIGN, 'networkId !== rules.networkId', "networkId === ''"]],
    ...{ story: 'for another network', ends: 'signed' },
  },
  {
    guard: 'the signer pays from one account',
    out: [[MAY_SIGN, 'read.account !== rules.account', "read.account === ''"]],
    ...{ story: 'from another account', ends: 'signed' },
  },
  {
    guard: 'the signer has a limit of one payment',
    out: [[MAY_SIGN, 'read.amount > rules.line', 'read.amount < 0n']],
    ...{ story: 'more than the limit of one', ends: 'signed' },
  },
  {
    guard: 'the signer has a limit of gas',
    out: [[MAY_SIGN, 'gas > rules.gas', 'gas < 0n']],
    ...{ story: 'gas for all that there is', ends: 'signed' },
  },
  {
    guard: 'what is said of a command is what its text says',
    out: [[MAY_SIGN, 'request[key] !== read[key]', "key === ''"]],
    ...{ story: 'as another amount', ends: 'signed' },
  },
  {
    guard: 'a text counts only where it would be written so, to the byte',
    out: [['src/payouts/command/read.ts', 'written.cmd !== cmd', "cmd === ''"]],
    ...{ story: 'and for a new guard', ends: 'signed' },
  },
  {
    guard: 'a payment has one command that is not dead',
    out: [[BOOK, 'if (!last.isDead)', 'if (last === undefined)']],
    ...{ story: 'a second command', ends: 'signed' },
    behind: [[BOOK, 'if (attempt <= last.attempt)', 'if (attempt < last.attempt)']],
    caught: 'refused',
  },
  {
    guard: 'a payment has one command in a question',
    out: [[BOOK, 'if (beside)', "if (beside?.ledgerId === '')"]],
    ...{ story: 'two commands at once', ends: 'signed,signed' },
  },
  {
    guard: 'what is dead is not signed again',
    out: [[BOOK, 'same.isDead ?', "requestKey === '' ?"]],
    ...{ story: 'what is dead', ends: 'signed' },
  },
  {
    guard: 'attempts go on and never back',
    out: [[BOOK, 'if (attempt <= last.attempt)', 'if (attempt < 0)']],
    ...{ story: 'an earlier attempt', ends: 'signed' },
  },
  {
    guard: 'the signer has a sum of 24 hours',
    out: [[BOOK, 'sum + amount <= daySum', 'amount <= daySum']],
    ...{ story: 'more than a day', ends: 'signed' },
  },
  {
    guard: 'the sum of 24 hours counts what is dead, too',
    out: [
      [BOOK, 'for (const { atMs, amount }', 'for (const { atMs, amount, isDead }'],
      [BOOK, 'atMs > nowMs - DAY_MS', '!isDead && atMs > nowMs - DAY_MS'],
    ],
    ...{ story: 'more than a day', ends: 'signed' },
  },
  {
    guard: 'what is signed is in the log before',
    out: [[LOG, 'if (lines.length === 0)', 'if (lines.length >= 0)']],
    ...{ story: 'a second command, anew', ends: 'signed' },
  },
  {
    guard: 'each line of the log proves those before it',
    out: [['src/payouts/signer/log-lines.ts', 'if (line !==', "if (line === '' &&"]],
    ...{ story: 'a log without a line', ends: 'signed' },
  },
  {
    guard: 'nobody else can write the log',
    out: [['src/payouts/signer/private-file.ts', '(mode & 0o077) !== 0', 'mode === 0']],
    ...{ story: 'a log that others may write', ends: 'signed' },
  },
  {
    guard: 'one signs at a time with a key',
    out: [[LOG, 'lockFolder(dirname(path), SIGNER_LOCK)', '{ release() {} }']],
    ...{ story: 'two at one key', ends: 'signed' },
  },
  {
    guard: 'signatures are checked, whoever gave them',
    out: [
      ['src/payouts/command/envelope.ts', 'if (!isSignatureBy(signed, pubKey, small))', "if (small === '')"],
    ],
    ...{ story: 'any digits', ends: 'signed' },
  },
];

export const GUARDS: readonly Guard[] = [...IN_LEDGER, ...OF_PAYER, ...OF_SIGNER];
