/** Guards of payments, all of them. `test/long/payouts/guards.test.ts` takes each out of a copy of the program, and sees its story end badly there. */
import type { Rule } from '../payer-model/rules.js';
import { AT_SIGNER } from './guards/at-signer.js';
import { BY_ITSELF } from './guards/by-itself.js';
import { IN_BOOKS } from './guards/in-books.js';
import { ON_CHAIN } from './guards/on-chain.js';
import type { Stories } from './guards/story.js';

/** By the file that tells them. */
export const STORIES: Readonly<Record<string, Stories>> = {
  'in-books': IN_BOOKS,
  'on-chain': ON_CHAIN,
  'by-itself': BY_ITSELF,
  'at-signer': AT_SIGNER,
};

/** Of a source what is another one without the guard. It stands there once. */
export type Change = readonly [file: string, text: string, instead: string];

export type Guard = readonly [
  guard: string,
  ...change: Change,
  story: string,
  /** What comes out without the guard. */
  ends: string,
  /** What stands before the guard, and is taken out too to see it work; what comes out by the guard alone. */
  behind?: readonly Change[],
  caught?: string,
];

/** Rules that `test/helpers/payer-model/without.ts` takes out of the ledger or of what is simulated, in `test/payouts/payer-histories.test.ts`. */
export const MODELLED: readonly Rule[] = [
  ...(['comparesToken', 'covers', 'reopensDead', 'alwaysWaits', 'entersAlways', 'holderPauses'] as const),
  ...(['takesLater', 'waitsForAll', 'standsStill', 'readsAll', 'settlesSkipped'] as const),
];

const PAYER_SQL = 'src/ledger/payer/payer.sql';
const TABLES = 'src/ledger/sql/tables.sql';
const BLOCKS = 'src/ledger/payer/transactions.ts';
const ROLE = 'src/ledger/payer/role.ts';
const ORDERS = 'src/ledger/payer/orders.ts';
const FOLLOWER = 'src/node-client/following/chain-follower.ts';
const FACTS = 'src/payouts/payer/facts.ts';
const NODES = 'src/payouts/payer/nodes.ts';
const ROOMS = 'src/payouts/payer/rooms.ts';
const BUILDING = 'src/payouts/payer/building.ts';
const MAY_SIGN = 'src/payouts/signer/may-sign.ts';
const BOOK = 'src/payouts/signer/signed-book.ts';
const LOG = 'src/payouts/signer/signer-log.ts';

const NONE_ALIVE =
  "AND NOT EXISTS (SELECT FROM chain_transaction t WHERE t.line_id = n.id AND t.state IN ('open', 'paid'))";
/** When lines are chosen, and in the commit. */
const LOOKED_AT: readonly Change[] = [
  [PAYER_SQL, `${NONE_ALIVE} ORDER BY`, 'ORDER BY'],
  [PAYER_SQL, `${NONE_ALIVE} FOR UPDATE OF n, b`, 'FOR UPDATE OF n, b'],
];
/** What is asked of a transaction in the commit in which it is signed or sent. */
const OPEN = " AND t.state = 'open' AND NOT t.by_hand";
const NOT_HELD = ' AND a.held_why IS NULL';
function dropped(when: 'asked' | 'sent', condition: string): Change {
  const asks = `SET ${when}_at = coalesce(t.${when}_at, now()) FROM payout_line n JOIN account a ON a.id = n.account_id WHERE t.id = ANY ($1::bigint[]) AND n.id = t.line_id${OPEN}${NOT_HELD};`;
  return [PAYER_SQL, asks, asks.replace(condition, '')];
}
const TOO_EARLY: Change = [
  PAYER_SQL,
  'until_micros <= $2',
  'until_micros <= $2 + (SELECT validity_micros FROM payer)',
];
const TOKEN: Change = [PAYER_SQL, 'token = ANY ($1::uuid[]) RETURNING', '$1::uuid[] IS NOT NULL RETURNING'];

// biome-ignore format: a table
export const GUARDS: readonly Guard[] = [
  // The ledger.
  ['a line has one transaction that is open or paid: a unique index', TABLES, 'CREATE UNIQUE INDEX chain_transaction_alive', 'CREATE INDEX chain_transaction_alive', 'built twice', 'paid twice', LOOKED_AT, 'duplicate key'],
  ['a move of money has a cause, once', TABLES, 'PRIMARY KEY (code, of, time, debit, credit)', 'CHECK (true)', 'the same move twice', 'moved twice'],
  ['commands of a block are looked at before its time is', BLOCKS, 'for (const command of commands)', 'await die(client, block); for (const command of commands)', 'in the last block that may have it', 'paid once, paused: paidAfterAll'],
  ['dead only when its time is over', ...TOO_EARLY, 'long on its way', 'paid twice'],
  ['facts win: what is found was not dead', BLOCKS, "command.outcome === 'paid' && known.state !== 'paid'", "command.outcome === 'failed' && known.state === 'open'", 'found after all', 'paid twice', [TOO_EARLY], 'paid once, paused: paidAfterAll'],
  ['what is found beside another one has a line of its own', PAYER_SQL, `${NONE_ALIVE} FOR UPDATE OF n;`, 'FOR UPDATE OF n;', 'paid beside another one', 'cannot be booked', [TOKEN], 'paused for nothing'],
  ['what the books do not know is entered', BLOCKS, 'if (isOurs) await meetUnknown', 'if (client === undefined) await meetUnknown', 'lost by the books', 'paid twice'],
  ['who pays waits again where cursors are taken back', PAYER_SQL, 'UPDATE payer SET is_ready = false WHERE is_ready;', 'UPDATE payer SET is_ready = true WHERE is_ready;', 'taken back to before the wait was over', 'paid twice'],
  ['of two attempts whose blocks are undone the newer one alone opens again', BLOCKS, "if (newer === 'reopened') continue;", '', 'undone together', 'duplicate key value violates unique constraint "chain_transaction_alive"'],
  ['nothing is built while payments are paused', ROLE, 'if (await isPaused(client)) return; const found', 'const found', 'paused when it was to be built', 'built 1'],
  ['nothing is signed or sent for the first time while payments are paused', ROLE, 'if (await isPaused(client)) return false;', '', 'paused when it was to be signed and sent', 'asked true, sent true'],
  ['what was rejected meanwhile is not built', PAYER_SQL, "WHERE n.id = ANY ($1::bigint[]) AND n.state = 'prepared'", 'WHERE n.id = ANY ($1::bigint[])', 'rejected when it was to be built, and planned anew', 'built 1'],
  ['what is being paid cannot be rejected', ORDERS, 'if (isBuilt)', "if (isBuilt && name === '')", 'rejected while it is paid', 'taken'],
  ['PA25: what is rejected is not being built at that moment', ORDERS, 'await run(client, SQL.roleNow);\n    const { id, name, isBuilt }', 'const { id, name, isBuilt }', 'rejected while it is built', 'built 1, taken'],
  ['PA25: what was settled is not signed', ...dropped('asked', OPEN), 'settled as not paid when it was to be signed and sent', 'asked true, sent false'],
  ['PA25: what was settled is not sent', ...dropped('sent', OPEN), 'settled as not paid when it was to be signed and sent', 'asked false, sent true'],
  ['a chain that is begun anew leaves to people what is open', 'src/ledger/chains/orders.ts', 'for (const reader of readers) await reader.forget?.(client, { chainId, ...target });', '', 'open where its chain is begun anew', 'open, line prepared, paused: '],
  ['what an account is held for is not signed', ...dropped('asked', NOT_HELD), 'held when it was to be signed and sent', 'asked true, sent false'],
  ['what an account is held for is not sent', ...dropped('sent', NOT_HELD), 'held when it was to be signed and sent', 'asked false, sent true'],
  ['accounts that people hold are not paid', PAYER_SQL, "n.state = 'prepared' AND a.held_why IS NULL AND", "n.state = 'prepared' AND", 'held after it was planned', 'built 1'],
  ['nothing is built before it is approved', PAYER_SQL, 'cardinality(approved_by) >= approvals AND EXISTS', 'EXISTS', 'not approved yet', 'built 1'],
  ['approved are exactly these lines', PAYER_SQL, 'AND hash = payout_hash(id)', '', 'approved, and changed then', 'built 1'],
  ['approved are lines as they were shown', ORDERS, 'if (payout.hash !== hash)', 'if (hash === "")', 'approved as it was shown before', 'taken'],
  ['each person approves once', ORDERS, 'if (approvedBy.includes(by))', "if (by === '')", 'approved by one for two', 'taken'],
  ['a ledger pays from one account', ROLE, 'now.account !== account', "account === ''", 'by another account', 'taken'],
  ['a ledger pays from another account once nothing is open', PAYER_SQL, "WHERE NOT EXISTS (SELECT FROM chain_transaction WHERE state = 'open') RETURNING account", 'RETURNING account', 'bound to another account while something is open', 'taken'],
  ['nobody takes the role of one who lives', ROLE, 'now?.holder && !now.isSilent', "now?.holder === ''", 'beside one who lives', 'taken'],
  // What blocks and nodes say.
  ['a block counts with the depth on top', FOLLOWER, 'other.links.length - 1 - at >= depth', 'other.links.length - 1 - at >= 0', 'in a block of little depth', '1 paid'],
  ['a block counts by the word of as many nodes as are needed', FOLLOWER, 'having(deep).length >= needed', 'having(deep).length >= 1', 'in a block by the word of one of two', '1 paid'],
  ['outputs hash into the payload', 'src/chain/verify.ts', "compare('outputsHash', payload.outputsHash, toBase64Url(hashes.outputsHash));", '', 'outputs that a node alters', '1 failed, paused: differs'],
  ['blocks are read also while nobody pays', PAYER_SQL, '"chains" FROM payer p, ledger l;', '"chains" FROM payer p, ledger l WHERE p.holder IS NOT NULL;', 'in a block while nobody pays', '1 open sent'],
  ['what was in a block without its payload is for people', BLOCKS, 'await leaveToPeople(client, block)', "await pauseFor(client, 'skipped', hash)", 'in a block whose payload is lost', '1 dead, paused: skipped'],
  ['no time ends what is for people', PAYER_SQL, 'AND NOT by_hand AND until_micros', 'AND until_micros', 'in a block whose payload is lost', '1 dead, paused: skipped'],
  ['a command counts where it moves coins of the account that pays', BLOCKS, 'from === account ||', "from !== '' ||", 'an id that somebody has copied', '1 paid'],
  ['payments pause where somebody else pays for this ledger', ROLE, 'if (held.stranger !== null)', "if (held.stranger === '')", 'a command of a copy', '1 paid'],
  ['a command counts where it is of this ledger', FACTS, 'attempt.ledgerId !== ledgerId', "attempt.ledgerId === ''", 'of another ledger', 'paid'],
  ['what leaves the account by anything else is seen', FACTS, 'debits.push(...debitsIn(cmd, read, payer.account))', 'debits.push()', 'of another ledger', 'nothing'],
  ['what moved is what was signed', FACTS, 'only.amount !== amount', 'only.amount === undefined', 'that moved more', 'paid'],
  ['an output is of its command', FACTS, "fields?.['reqKey'] !== requestKey", "fields?.['reqKey'] === ''", 'of another command', 'paid'],
  ['what failed moved nothing', FACTS, 'return left.length === 0', 'return left.length >= 0', 'that failed, and moved coins', 'failed'],
  ['contracts that move coins are known', FACTS, '!KNOWN_CONTRACTS.has(moduleHash)', 'moduleHash === undefined', 'by another contract', 'paid'],
  ['coins are there by the word of as many nodes as are needed', NODES, 'told.length < needed', 'told.length < 1', 'coins by the word of one of two', '1 open sent'],
  ['a dry run is good where no node says otherwise', NODES, 'if (good && bad)', 'if (good && bad && good === bad)', 'a dry run that one of two refuses', '1 open sent'],
  ['a line is tried before it is built', BUILDING, "if (tried.is === 'fine')", "if (tried.is !== 'unknown')", 'too little gas for anything', '1 open sent'],
  ['the account that pays has the guard that signs', ROOMS, "guard !== 'other' && guard.pred === from.predicate && guard.keys.join() === keys", "guard !== 'other' && keys !== ''", 'from an account that another key guards', 'nothing'],
  ['nothing is valid for longer than is waited for', BUILDING, 'Math.min(Number(timeMicros / MICROS), Math.floor(nowMs / 1000))', 'Number(timeMicros / MICROS)', 'by nodes that are an hour ahead', 'longer than it may be waited for'],
  ['gas has a highest price', 'src/payouts/payer/sending.ts', 'least <= terms.maxGasPrice', 'least > 0n', 'at any price of gas', '1 open sent'],
  ['the reserve stays', ROOMS, '- rules.reserve', '', 'from the reserve', '1 open sent'],
  ['what is on its way is not spent again', ROOMS, 'funds.balance - bespoken', 'funds.balance', 'from what is on its way', '1 open sent, 1 open sent, 1 open sent, 1 open sent'],
  ['accounts are paid that are named by their key', 'src/core/names/payable.ts', 'keyOfAccount(account) !== undefined) return undefined', "account !== '') return undefined", 'an account of any name', 'paid'],
  ['a day has a limit', 'src/payouts/plan/limits.ts', 'sum + lastDay', 'sum', 'more than the limits of a day', 'by itself'],
  // Who signs.
  ['the signer is of one network', MAY_SIGN, 'networkId !== rules.networkId', "networkId === ''", 'for another network', 'signed'],
  ['the signer pays from one account', MAY_SIGN, 'read.account !== rules.account', "read.account === ''", 'from another account', 'signed'],
  ['the signer has a limit of one payment', MAY_SIGN, 'read.amount > rules.line', 'read.amount < 0n', 'more than the limit of one', 'signed'],
  ['the signer has a limit of gas', MAY_SIGN, 'gas > rules.gas', 'gas < 0n', 'gas for all that there is', 'signed'],
  ['what is said of a command is what its text says', MAY_SIGN, 'request[key] !== read[key]', "key === ''", 'as another amount', 'signed'],
  ['a text counts only where it would be written so, to the byte', 'src/payouts/command/read.ts', 'written.cmd !== cmd', "cmd === ''", 'and for a new guard', 'signed'],
  ['a payment has one command that is not dead', BOOK, 'if (!last.isDead)', 'if (last === undefined)', 'a second command', 'signed', [[BOOK, 'attempt <= last.attempt', 'attempt < last.attempt']], 'refused'],
  ['a payment has one command in a question', BOOK, 'if (beside)', "if (beside?.ledgerId === '')", 'two commands at once', 'signed,signed'],
  ['what is dead is not signed again', BOOK, 'same.isDead ?', "requestKey === '' ?", 'what is dead', 'signed'],
  ['attempts go on and never back', BOOK, 'if (attempt <= last.attempt)', 'if (attempt < 0)', 'an earlier attempt', 'signed'],
  ['the signer has a sum of 24 hours', BOOK, 'sum + amount <= daySum', 'amount <= daySum', 'more than a day', 'signed'],
  ['the sum of 24 hours counts what is dead, too', BOOK, 'amount } of this.#commands.values()) if (atMs', 'amount, isDead } of this.#commands.values()) if (!isDead && atMs', 'more than a day', 'signed'],
  ['what is signed is in the log before', LOG, 'if (lines.length === 0)', 'if (lines.length >= 0)', 'a second command, anew', 'signed'],
  ['each line of the log proves those before it', 'src/payouts/signer/log-lines.ts', 'if (line !==', "if (line === '' &&", 'a log without a line', 'signed'],
  ['nobody else can write the log', 'src/payouts/signer/private-file.ts', '(mode & 0o077) !== 0', 'mode === 0', 'a log that others may write', 'signed'],
  ['one signs at a time with a key', LOG, 'lockFolder(dirname(path), SIGNER_LOCK)', '{ release() {} }', 'two at one key', 'signed'],
  ['signatures are checked, whoever gave them', 'src/chain/transfers/envelope.ts', 'if (!isSignatureBy(signed, pubKey, small))', "if (small === '')", 'any digits', 'signed'],
];
