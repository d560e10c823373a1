/**
 * The guards of payouts, what takes each of them out, and a test that is run against the sources without it and has to fail there:
 * `npm run test:long` sees to it.
 */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands in the file once. */
  readonly with: string;
  readonly without: string;
  /** A file, and a part of titles in it. */
  readonly test: readonly [file: string, title: string];
}

const TABLES = 'src/ledger/sql/tables/0002_paying.sql';
const WRITES = 'src/ledger/transactions/transactions.sql';
const JUDGE = 'src/payouts/evidence/judge.ts';
const RECONCILE = 'src/payouts/payer/reconcile.ts';
const PAYER = 'src/payouts/payer/payer.ts';
const IS_PAUSED = 'if ((await seat.state()).pause !== undefined || signal.aborted) return;';
const payerBooks = (title: string) => ['test/ledger/transactions/payer-books.test.ts', title] as const;
const reconciled = (title: string) => ['test/payouts/payer/reconcile.test.ts', title] as const;
const orders = (title: string) => ['test/ledger/transactions/orders.test.ts', title] as const;
const lines = (title: string) => ['test/payouts/payer/lines.test.ts', title] as const;
const ROOMS = 'src/payouts/payer/rooms.ts';
const rooms = (title: string) => ['test/payouts/payer/rooms.test.ts', title] as const;
const judged = (title: string) => ['test/payouts/evidence/judge.test.ts', title] as const;
const liars = (title: string) => ['test/payouts/evidence/liars.test.ts', title] as const;
const signer = (title: string) => ['test/payouts/signer/file-signer.test.ts', title] as const;
const TREES = judged('is never more than the blocks prove');

const IN_THE_BOOKS: readonly Guard[] = [
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
    with: 'SELECT fence = $1::bigint AS has,',
    without: 'SELECT fence >= $1::bigint AS has,',
    test: payerBooks('give the seat to one, and refuse who has lost it'),
  },
  {
    name: 'the lock of the seat',
    file: WRITES,
    with: 'SELECT pg_try_advisory_lock($1::bigint) AS leads;',
    without: 'SELECT $1::bigint IS NOT NULL AS leads;',
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
    with: "t.sent_at > now() - interval '1 day'",
    without: 't.sent_at > now()',
    test: payerBooks('count what was sent within a day against the limits'),
  },
];

const AFTER_A_RESTORE: readonly Guard[] = [
  {
    name: 'the time that has to pass after a restore',
    file: RECONCILE,
    with: 'return believedS !== undefined && believedS >= untilS ? undefined : untilS;',
    without: 'return believedS !== undefined ? undefined : untilS;',
    test: reconciled('knows after a comparison what was paid since'),
  },
  {
    name: 'that what the signer log has is waited for',
    file: RECONCILE,
    with: '.filter(({ untilS }) => believedS === undefined || believedS < untilS);',
    without: '.filter(() => believedS === undefined);',
    test: reconciled('names what was signed and neither books nor chain know'),
  },
  {
    name: 'that all blocks which are asked for were compared',
    file: RECONCILE,
    with: 'if (lowest && lowest.height <= since) return undefined;',
    without: 'if (lowest) return undefined;',
    test: reconciled('what was not read is named, and nothing is done'),
  },
];

const OF_THE_SIGNER: readonly Guard[] = [
  {
    name: "the signer log's refusal of a second command",
    file: 'src/payouts/signer/signed-book.ts',
    with: 'if (!held.isDead)',
    without: 'if (held === undefined)',
    test: signer('refuses a second command of a payment until'),
  },
  {
    name: "the signer log's sum of 24 hours",
    file: 'src/payouts/signer/signed-book.ts',
    with: 'sum + amount <= daySum',
    without: 'amount <= daySum',
    test: signer('signs no more than its sum in any 24 hours'),
  },
  {
    name: 'that what is signed stands in the log',
    file: 'src/payouts/signer/signer-log.ts',
    with: 'await this.#write(fresh.map((one) => signedText(one, nowMs)));',
    without: '',
    test: signer('refuses a second command of a payment until'),
  },
  {
    name: "the comparison of what is asked for with the command's text",
    file: 'src/payouts/signer/file-signer.ts',
    with: 'if (fault !== undefined) return',
    without: 'if (fault === null) return',
    test: signer('refuses: asked for as amount'),
  },
  {
    name: 'the check of signatures before they are kept',
    file: 'src/payouts/command/envelope.ts',
    with: 'if (!isSignedBy(cmd, pubKey, small))',
    without: "if (small === '')",
    test: ['test/payouts/signer/command-signer.test.ts', 'with the wrong key is not believed'],
  },
  {
    name: 'the dry run',
    file: 'src/payouts/payer/sign.ts',
    with: "if (tried.kind === 'success') good.push(one);",
    without: 'good.push(one);',
    test: lines('with another guard on its chain is held alone'),
  },
  {
    name: 'that the paying account has the guard that signs',
    file: 'src/payouts/payer/sign.ts',
    with: 'if (isOurs) continue;',
    without: 'if (value) continue;',
    test: lines('that another key guards on its chain pauses'),
  },
];

const OF_THE_PAYER: readonly Guard[] = [
  {
    name: 'the pause, before something is built',
    file: PAYER,
    with: `await sendAgain(round, chains);\n  ${IS_PAUSED}`,
    without: 'await sendAgain(round, chains);',
    test: lines('is followed what is on its way, and nothing else is begun'),
  },
  {
    name: 'the pause, before something is sent',
    file: PAYER,
    with: `  ${IS_PAUSED}\n  if ((await sendSigned`,
    without: '  if ((await sendSigned',
    test: lines('that refuses one stops the others too'),
  },
  {
    name: 'the look at the books before anything is signed',
    file: PAYER,
    with: 'round.memory.areBooksChecked = true;\n    if (await pausedByBooks(round)) return;',
    without: 'round.memory.areBooksChecked = true;',
    test: ['test/payouts/payer/wrong-books.test.ts', 'are found with the first round of a start'],
  },
  {
    name: 'that coins which lines were planned with are there',
    file: PAYER,
    with: 'if (await pauseFor(round, coinsMissing(round, chains, now, await seat.bespoken()))) return;',
    without: '',
    test: lines('that were there when the lines were planned, and are gone'),
  },
  {
    name: 'the reserve',
    file: ROOMS,
    with: 'account.balance - cost - terms.reserve',
    without: 'account.balance - cost',
    test: rooms('has its balance without the reserve'),
  },
  {
    name: 'that what is under way is not spent again',
    file: ROOMS,
    with: 'account.balance - cost - terms.reserve',
    without: 'account.balance - terms.reserve',
    test: rooms('has not what is under way'),
  },
  {
    name: 'the limit of 24 hours',
    file: 'src/payouts/plan/limits.ts',
    with: "['day', sum + lastDay,",
    without: "['day', sum,",
    test: ['test/payouts/payer/batches.test.ts', 'counts against the day'],
  },
  {
    name: 'the check of names',
    file: 'src/payouts/command/accounts.ts',
    with: 'if (keyOfAccount(account) !== undefined) return undefined;',
    without: 'if (keyOfAccount(account) !== null) return undefined;',
    test: lines('that is named by no key is held'),
  },
  {
    name: 'that a key in a name has 64 digits',
    file: 'src/payouts/command/accounts.ts',
    with: 'const ONE_KEY = /^k:([0-9a-f]{64})$/;',
    without: 'const ONE_KEY = /^k:([0-9a-f]{64,})$/;',
    test: ['test/payouts/command/transfer.test.ts', 'of one key are paid'],
  },
  {
    name: 'that the paying account pays not itself',
    file: 'src/payouts/payer/send.ts',
    with: 'if (account === terms.from.account) return',
    without: "if (account === '') return",
    test: rooms('nothing is paid to the account that pays'),
  },
  {
    name: 'the watch for debits that are none of ours',
    file: 'src/payouts/payer/look.ts',
    with: 'await pauseFor(round, foreignDebit(sight, read.height + 1, memory.known));',
    without: 'foreignDebit(sight, read.height + 1, memory.known);',
    test: lines('pauses payouts, with who, how much and where'),
  },
  {
    name: 'that the blocks of the paying account follow on what was read',
    file: 'src/payouts/payer/account-watch.ts',
    with: 'if (first.parent !== former.read.hash) {',
    without: "if (first.parent === '') {",
    test: ['test/payouts/payer/account-watch.test.ts', 'where another block is below'],
  },
];

const OF_THE_EVIDENCE: readonly Guard[] = [
  {
    name: 'the search of every block before a line is expired',
    file: JUDGE,
    with: 'const found = findIn(blocks, tx.requestKey);',
    without: 'const found = findIn(blocks.slice(-1), tx.requestKey);',
    test: TREES,
  },
  {
    name: 'that every block down to the birth was read',
    file: JUDGE,
    with: "if (typeof before === 'number') return { kind: 'blind', fromHeight: before };",
    without:
      "if (typeof before === 'number') return (blocks[0] && expiryOf(tx, blocks, blocks[0], head.height - depths.depth)) ?? { kind: 'waiting' };",
    test: TREES,
  },
  {
    name: 'the depth of a block that pays',
    file: JUDGE,
    with: "if (onTop < depth) return { kind: 'included', place, result: status };",
    without: '',
    test: TREES,
  },
  {
    name: 'the depth of the block that proves an expiry',
    file: JUDGE,
    with: 'if (!last || last.height > believed) return undefined;',
    without: 'if (!last || believed < 0) return undefined;',
    test: TREES,
  },
  {
    name: 'the last second in which a block may have it',
    file: JUDGE,
    with: 'timeS >= creationTimeS + ttlS',
    without: 'timeS >= creationTimeS + ttlS - 1',
    test: judged('is proven by a block of that very second'),
  },
  {
    name: 'that a block leaves the chain',
    file: JUDGE,
    with: 'if (gone) return gone;',
    without: '',
    test: TREES,
  },
  {
    name: 'that nothing is concluded where nodes disagree',
    file: JUDGE,
    with: 'if (disagree) return',
    without: 'if (disagree === null) return',
    test: judged('nothing is concluded where nodes disagree'),
  },
  {
    name: 'that what happened is the line',
    file: JUDGE,
    with: "if (status === 'success' && !isLine(transfers, line)) return",
    without: 'if (isLine([], line)) return',
    test: judged('differs: another amount'),
  },
  {
    name: 'the proof of work on headers',
    file: 'src/chain/verify.ts',
    with: 'if (!this.#needsWork || isGenesis(fields)',
    without: 'if (this.#needsWork || isGenesis(fields)',
    test: liars('with a chain of its own that took no work'),
  },
  {
    name: 'that weights are added up',
    file: 'src/payouts/evidence/window.ts',
    with: 'child.weight !== parent.weight + child.work',
    without: 'child.weight < parent.weight',
    test: ['test/payouts/evidence/window.test.ts', 'is forged that claims more weight'],
  },
  {
    name: 'that a payload hashes into its header',
    file: 'src/chain/verify.ts',
    with: "compare('outputsHash', payload.outputsHash, toBase64Url(hashes.outputsHash));",
    without: '',
    test: liars('with altered outputs it is found out'),
  },
  {
    name: 'that all nodes have the same block at the depth',
    file: 'src/payouts/evidence/chain-look.ts',
    with: '(met.branch.length > 0 && met.fork < agreed)',
    without: '(met.branch.length > 0 && met.fork < 0)',
    test: ['test/payouts/evidence/forks.test.ts', '17: at the depth they have different blocks'],
  },
];

export const GUARDS: readonly Guard[] = [
  ...IN_THE_BOOKS,
  ...AFTER_A_RESTORE,
  ...OF_THE_SIGNER,
  ...OF_THE_PAYER,
  ...OF_THE_EVIDENCE,
];
