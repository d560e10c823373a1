/** Guards of the payer: what it may begin, and for whom. */
import type { Guard } from './guard.js';

const PAYER = 'src/payouts/payer/payer.ts';
const IS_PAUSED = 'if ((await seat.state()).pause !== undefined || signal.aborted) return;';
const pieces = (title: string) => ['test/long/payouts/payer/pieces.test.ts', title] as const;
const lines = (title: string) => ['test/long/payouts/payer/lines.test.ts', title] as const;
const ROOMS = 'src/payouts/payer/rooms.ts';
const rooms = (title: string) => ['test/long/payouts/payer/rooms.test.ts', title] as const;

export const OF_THE_PAYER: readonly Guard[] = [
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
    test: ['test/long/payouts/payer/wrong-books.test.ts', 'are found with the first round of a start'],
  },
  {
    name: 'that coins which lines were planned with are there',
    file: PAYER,
    with: 'if (areAllRead && (await pauseFor(round, coinsMissing(round, chains, now, await seat.bespoken())))) return;',
    without: '',
    test: lines('that were there when the lines were planned, and are gone'),
  },
  {
    name: 'that no coins are missed while blocks are to be read',
    file: PAYER,
    with: 'const areAllRead = round.memory.reading.size === 0;',
    without: 'const areAllRead = round.memory.reading.size >= 0;',
    test: pieces('coins that came later do not look as if they were gone'),
  },
  {
    name: 'that the account is read at the depth of the whole chain first',
    file: 'src/payouts/payer/look.ts',
    with: 'if (!former) return isWhole ? firstRead(round, sight) : { account: undefined };',
    without: 'if (!former) return firstRead(round, sight);',
    test: pieces('begins with the balance at the depth of the whole chain'),
  },
  {
    name: 'that a batch waits until all is read',
    file: 'src/payouts/payer/batches.ts',
    with: "if (reading !== '') {",
    without: "if (reading === 'no') {",
    test: pieces('was away: the account is read on from round to round'),
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
    test: ['test/long/payouts/payer/batches.test.ts', 'counts against the day'],
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
    with: 'for (const pause of foreignDebits(sight, fromHeight, memory.expected)) await pauseFor(round, pause);',
    without: 'foreignDebits(sight, fromHeight, memory.expected);',
    test: lines('pauses payouts, with who, how much and where'),
  },
  {
    name: 'that the blocks of the paying account follow on what was read',
    file: 'src/payouts/payer/account-watch.ts',
    with: 'if (first.parent !== former.read.hash) {',
    without: "if (first.parent === '') {",
    test: ['test/long/payouts/payer/account-watch.test.ts', 'where another block is below'],
  },
  {
    name: 'that as many nodes agree as are asked for, before the books are moved',
    file: 'src/payouts/payer/look.ts',
    with: '= tooFew(round, sight) === undefined ? found : NOTHING;',
    without: '= found;',
    test: ['test/long/payouts/reorganisations.test.ts', 'move nothing in the books'],
  },
];
