/** `ledger payout` of payments on chain: its words, what it refuses, and its exit codes. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PayerSeat } from '../../src/bridge/payouts/payer-books.js';
import { sentencesOf } from '../../src/commands/ledger/payout/reconcile.js';
import { contentHash } from '../../src/payouts/plan/content-hash.js';
import { useBooks } from '../helpers/books/books.js';
import { coinsIn } from '../helpers/books/money.js';
import { temporaryFolder } from '../helpers/folder.js';
import { coins, earn, paid, prepareAll, sendAll, takeSeat } from '../helpers/payouts/chain-payments.js';
import { runHere } from '../helpers/processes/command.js';
import { until } from '../helpers/until.js';

const books = useBooks();
beforeEach(() => books.empty());

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const OTHER = `k:${'cd'.repeat(32)}`;
/** Of what they are paid here. */
const HASH = contentHash([
  { account: ACCOUNT, chainId: 0, amount: coins('5') },
  { account: OTHER, chainId: 0, amount: coins('4') },
]);

async function payout(words: string | readonly string[], columns?: number) {
  const argv = typeof words === 'string' ? words.split(' ') : words;
  const where = ['--ledger-database-url', books.connectionString];
  return runHere(
    'ledger',
    ['payout', ...argv, ...where],
    {},
    columns === undefined ? undefined : { columns },
  );
}

/** Exit code, and what is said. */
async function says(words: string | readonly string[]): Promise<[code: number, stderr: string]> {
  const { code, stderr } = await payout(words);
  return [code, stderr];
}

async function json(words: string | readonly string[], code = 0) {
  const answer = await payout(words);
  expect([answer.code, answer.stderr]).toEqual([code, expect.any(String)]);
  return JSON.parse(answer.text);
}

async function prepared(approvalsNeeded = 0): Promise<{ readonly seat: PayerSeat; readonly name: string }> {
  await earn(books.pool, { [ACCOUNT]: '5', [OTHER]: '4' });
  const seat = await takeSeat(books.pool);
  await seat.bind(`k:${'ff'.repeat(32)}`, 'development');
  const approvalFor = approvalsNeeded > 0 ? 'the first three batches do' : undefined;
  const name = await prepareAll(seat, { approvalsNeeded, approvalFor, contentHash: HASH });
  return { seat, name: name ?? expect.fail('nothing prepared') };
}

describe('ledger payout status', () => {
  it('of books that pay nothing on chain is settled, and says that payouts are by hand', async () => {
    expect(await json('status')).toMatchObject({
      ...{ state: 'settled', paused: null, isPaying: false, lastRun: null, nextRun: null },
      ...{ chains: [], payouts: [], holds: [] },
    });
    expect((await payout('status', 80)).text).toBe(
      'payouts are by hand: `ledger payout prepare` makes one of what is due',
    );
  });

  it('tells a batch from its approval to its end, line by line', async () => {
    const { seat, name } = await prepared(1);
    const waits = await json(`status ${name} --lines`, 3);
    expect(waits).toMatchObject({
      ...{ state: 'under way', isPaying: true, place: 'here' },
      payouts: [
        {
          name,
          approval: { given: 0, needed: 1 },
          contentHash: HASH,
          total: '9.000000000000',
        },
      ],
      next: [expect.stringContaining(`ledger payout approve ${name} --hash ${HASH}`)],
      payments: [
        { account: ACCOUNT, state: 'prepared', transaction: null, requestKey: null },
        { account: OTHER, state: 'prepared' },
      ],
    });
    const seen = await payout('status', 100);
    expect(seen.code).toBe(3);
    expect(seen.text).toContain(`ledger payout approve ${name} --hash ${HASH}`);
    await payout(`approve ${name} --hash ${HASH}`);
    const sent = await sendAll(seat);
    await seat.found(sent.map(({ id }) => paid(id)));
    const settled = await json(`status ${name} --lines`);
    expect(settled).toMatchObject({
      ...{ state: 'settled', payouts: [{ isSettled: true, payments: { confirmed: 2 } }] },
      payments: [{ state: 'confirmed', blockHeight: 7, blockHash: 'h7', gasPaid: '0.000010000000' }, {}],
    });
    expect((await json('status')).payouts).toEqual([]);
    expect((await payout(`status ${name} --lines --csv`)).text.split('\r\n')).toHaveLength(3);
  });

  it('says why payouts are paused and what to do, with exit code 4', async () => {
    const { seat } = await prepared();
    await seat.pause({ kind: 'foreign-debit', says: '3 left the account', evidence: { height: 9 } });
    expect(await json('status', 4)).toMatchObject({
      state: 'paused',
      paused: { kind: 'foreign-debit', says: '3 left the account', by: 'the payer', evidence: { height: 9 } },
    });
    const { code, text } = await payout('status', 100);
    expect(code).toBe(4);
    expect(text).toMatch(
      /by the payer \(foreign-debit\): 3 left the account\nwhat to do: somebody else signs/,
    );
  });

  it('shows chains with their coins, what waits for them, and what is wrong', async () => {
    const { seat } = await prepared();
    const read = {
      chainId: 0,
      read: { height: 9, hash: 'h9' },
      balance: coins('7'),
      credits: 0n,
      debits: 0n,
    };
    await seat.sawChains([
      { chainId: 0, head: { height: 12, timeS: 1 }, trouble: 'too few nodes agree', read },
    ]);
    expect((await json('status', 3)).chains).toEqual([
      {
        ...{ chainId: 0, coins: '7.000000000000', waiting: '9.000000000000', lines: 2, height: 9 },
        head: { height: 12, at: '1970-01-01T00:00:01.000Z' },
        ...{ missing: '0.000000000000', trouble: 'too few nodes agree' },
      },
    ]);
  });

  it.each([
    ['status 9-9-9', 2, 'a payout has a name such as 3f9ea-7, not "9-9-9"'],
    ['status 3f9ea-7', 1, 'there is no payout 3f9ea-7'],
  ])('%s: exit code %i', async (words, code, what) => {
    expect(await says(words)).toEqual([code, expect.stringContaining(what)]);
  });
});

describe('ledger payout approve and reject', () => {
  it('want the hash of what is approved, and say which it is', async () => {
    const { seat, name } = await prepared(1);
    expect(await says(`approve ${name}`)).toEqual([
      2,
      expect.stringContaining('--hash is the content hash of the payout, not nothing'),
    ]);
    expect(await says(`approve ${name} --hash ${'cd'.repeat(32)}`)).toEqual([
      1,
      expect.stringContaining(`payout ${name} has the content hash ${HASH}, and not cd`),
    ]);
    expect(await seat.open(9)).toEqual([]);
    expect(await json(`approve ${name} --hash ${HASH.toUpperCase()}`)).toMatchObject({
      payout: { name, approval: { given: 1, needed: 1 }, isSettled: false },
      missing: 0,
    });
    expect(await seat.open(9)).toHaveLength(2);
  });

  it('say how many approvals are missing', async () => {
    const { name } = await prepared(2);
    const { code, text } = await payout(`approve ${name} --hash ${HASH}`, 80);
    expect([code, text]).toEqual([0, expect.stringContaining('\n1 more has to approve it')]);
  });

  it('put amounts back, with a reason', async () => {
    const { name } = await prepared(1);
    expect(await says(`reject ${name}`)).toEqual([
      2,
      expect.stringContaining('--note is a text of 1 to 500 characters'),
    ]);
    expect(await json(['reject', name, '--note', 'wrong fee'])).toMatchObject({
      payout: { name, isRejected: true, isSettled: true, note: 'wrong fee' },
      followed: 0,
    });
    expect(await coinsIn(books.pool, 'balance')).toEqual({ [ACCOUNT]: '5', [OTHER]: '4' });
    expect(await says(['reject', name, '--note', 'again'])).toEqual([
      1,
      expect.stringContaining(`payout ${name} was rejected`),
    ]);
  });
});

describe('ledger payout pause and resume', () => {
  it('want a reason each, and tell what was there before', async () => {
    expect(await says('pause')).toEqual([2, expect.stringContaining('--note is a text of')]);
    const told = async (...words: string[]) => (await payout(words, 80)).text;
    expect(await told('resume', '--note', 'x')).toBe('payouts are not paused');
    expect(await told('pause', '--note', 'first')).toMatch(/^payouts are paused: first\nwhat is on its way/);
    expect(await told('pause', '--note', 'second')).toMatch(/^payouts are paused: first; besides: second\n/);
    expect(await says('resume')).toEqual([2, expect.stringContaining('--note is a text of')]);
    expect((await payout('status')).code).toBe(4);
    expect(await told('resume', '--note', 'looked')).toBe(
      'payouts go on; they were paused: first; besides: second',
    );
    expect((await payout('status')).code).toBe(0);
  });

  it('go on only where the checks of money hold, or on the word of who resumes', async () => {
    await earn(books.pool, { [ACCOUNT]: '5' });
    await payout(['pause', '--note', 'x']);
    await books.pool.query(
      "UPDATE balance SET amount = amount + 1 WHERE book = 'balance' AND account_id <> 0",
    );
    const refused = await payout(['resume', '--note', 'y']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /checks of the books fail \(balances: .*`stratum-bridge ledger verify` shows all/,
      ),
    ]);
    expect((await payout('status')).code).toBe(4);
    expect(await json(['resume', '--note', 'y', '--anyway'])).toMatchObject({
      ...{ former: 'x', failing: [expect.stringMatching(/^balances: /)] },
    });
    expect((await payout('status')).code).toBe(0);
  });

  it('of restored books want the chain to be read first', async () => {
    const seat = await takeSeat(books.pool);
    await seat.pause({ kind: 'restored', says: 'the ledger was restored', evidence: {} });
    expect(await says(['resume', '--note', 'y'])).toEqual([
      1,
      expect.stringContaining('ledger payout reconcile`'),
    ]);
    expect((await payout(['resume', '--note', 'y', '--anyway'])).code).toBe(0);
  });
});

describe('ledger payout hold and allow', () => {
  it('keep an account out, on a chain or on all, and say when there is nothing to allow', async () => {
    await earn(books.pool, { [ACCOUNT]: '5' });
    expect(
      await json(['hold', ACCOUNT, '--chain', '3', '--until', '2999-01-01', '--note', 'asked']),
    ).toMatchObject({
      holds: [{ account: ACCOUNT, chainId: 3, until: '2999-01-01T00:00:00.000Z', note: 'asked' }],
    });
    expect((await json(['hold', ACCOUNT, '--note', 'all of it'])).holds).toHaveLength(2);
    expect((await json('status')).holds).toHaveLength(2);
    expect(await json(['allow', ACCOUNT, '--chain', '3', '--note', 'well'])).toMatchObject({
      holds: [{ chainId: null }],
    });
    expect(await says(['allow', ACCOUNT, '--chain', '3', '--note', 'well'])).toEqual([
      1,
      expect.stringContaining('is not held on chain 3'),
    ]);
    expect(await json(['allow', ACCOUNT, '--note', 'well'])).toEqual({ account: ACCOUNT, holds: [] });
  });

  it.each([
    [['hold', ACCOUNT], 2, '--note is a text of'],
    [['hold', '', '--note', 'x'], 2, 'account is the name of an account'],
    [['hold', ACCOUNT, '--note', 'x', '--chain', 'some'], 2, '--chain'],
    [['hold', ACCOUNT, '--note', 'x', '--until', 'soon'], 2, '--until'],
    [['hold', 'k:alcie', '--note', 'x'], 1, 'the books have no account "k:alcie"'],
  ])('%j: exit code %i', async (words, code, what) => {
    expect(await says(words)).toEqual([code, expect.stringContaining(what)]);
  });
});

describe('ledger payout reconcile', () => {
  const place = { chainId: 0, height: 7, hash: 'h', from: 0, to: 1, untilS: 0 };
  const line = { ...place, account: ACCOUNT, amount: '5.0', requestKey: 'key', why: '' };
  const signed = { ...line, requestKey: 'key', payment: '31', attempt: 1 };

  it.each([1, 2])('says how many, one as one: %i', (count) => {
    const many = <T>(one: T): T[] => Array.from({ length: count }, () => one);
    const said = sentencesOf({
      ...{ applied: false, isDone: false, chains: many(line), missing: many(line), foreign: many(line) },
      ...{ missingCount: count, missingTotal: '5.0', shallow: count, signedCount: count, unread: [] },
      ...{ signed: many(signed), waits: many(line), dead: [], deadCount: 0, unprovenCount: 0 },
    });
    expect(said.join('\n').match(/\b\d+ [a-z]+/g)).toEqual(
      ['chain', 'payment', 'debit', 'payment', 'payment', 'chain'].map(
        (what) => `${count} ${what}${count === 1 ? '' : 's'}`,
      ),
    );
  });
});

describe('ledger payout export and import', () => {
  it('say which file is none, and change nothing', async () => {
    await using folder = await temporaryFolder();
    const at = (name: string): string => join(folder.path, name);
    expect(await says(['import', at('none.json')])).toEqual([
      1,
      expect.stringMatching(/none\.json cannot be read: ENOENT/),
    ]);
    expect(await says(['import', folder.path])).toEqual([
      1,
      expect.stringContaining('cannot be read: EISDIR'),
    ]);
    await writeFile(at('empty.json'), '{"cmdSigDatas":[]}');
    expect(await says(['import', at('empty.json')])).toEqual([
      0,
      'stratum-bridge: the file holds no signature, and nothing was changed\n',
    ]);
    await writeFile(at('words.json'), 'my signatures');
    expect(await says(['import', at('words.json')])).toEqual([
      1,
      `stratum-bridge: nothing of ${at('words.json')} is taken:\nstratum-bridge: the file is no JSON, nor is it what was written out: "cmdSigDatas" must be a list of at most 50000\n`,
    ]);
    const huge = await open(at('huge.json'), 'w');
    await huge.truncate(300 * 2 ** 20);
    await huge.close();
    expect(await says(['import', at('huge.json')])).toEqual([
      1,
      expect.stringContaining(`huge.json has ${300 * 2 ** 20} bytes: that is none of ours`),
    ]);
    expect(await says(['export', at('words.json')])).toEqual([
      1,
      expect.stringContaining('words.json is there already, and may hold signatures: name another file'),
    ]);
    expect(await says(['export', at('new.json')])).toEqual([
      0,
      'stratum-bridge: nothing waits for signatures, and nothing was written\n',
    ]);
  });
});

describe('ledger payout evidence and statement', () => {
  it('show all of one payment, by its number or its request key', async () => {
    const { seat } = await prepared();
    const [first = expect.fail()] = await sendAll(seat);
    await seat.found([paid(first.id)]);
    const proof = await json(`evidence ${first.paymentId}`);
    expect(proof).toMatchObject({
      line: { account: ACCOUNT, state: 'confirmed', chainId: 0, blockHeight: 7, blockHash: 'h7' },
      attempts: [{ attempt: 1, requestKey: first.requestKey, cmd: first.cmd, state: 'confirmed' }],
      events: [
        { was: 'sent', now: 'confirmed', evidence: { node: 'n' }, by: 'the payer' },
        { was: 'signed', now: 'sent' },
        { was: 'planned', now: 'built' },
      ],
    });
    expect(await json(['evidence', first.requestKey])).toEqual(proof);
    const { text } = await payout(`evidence ${first.paymentId}`, 100);
    expect(text).toContain(`5.000000000000 to ${ACCOUNT} on chain 0, confirmed`);
    expect(text).toContain('attempt 1: confirmed, block 7 h7');
    expect(await says('evidence 9999')).toEqual([
      1,
      expect.stringContaining('there is no payment 9999 on chain'),
    ]);
  });

  it('write what was paid as CSV, from a time to a time, also once it is final', async () => {
    const { seat, name } = await prepared();
    const sent = await sendAll(seat);
    await seat.found(sent.map(({ id }) => paid(id)));
    const confirmed = await payout('statement');
    await seat.found(sent.map(({ id }) => ({ id, now: 'final', evidence: {} })));
    const { text } = await payout('statement');
    // What has become final since is the same line, with the time at which it was paid.
    expect(text).toBe(confirmed.text);
    const [head, first = '', ...rest] = text.split('\r\n');
    expect(head).toBe('time,payout,payment,account,amount,chain,result,requestKey,blockHeight,blockHash,gas');
    expect(first.split(',').slice(1)).toEqual([
      ...[name, sent[0]?.paymentId, ACCOUNT, '5.000000000000', '0', 'paid', sent[0]?.requestKey, '7', 'h7'],
      '0.000010000000',
    ]);
    expect(rest).toHaveLength(1);
    expect((await payout('statement --from 2999-01-01')).text.split('\r\n')).toHaveLength(1);
    expect(await json('statement --json')).toHaveLength(2);
    expect(await json('statement --json --to 2000-01-01')).toEqual([]);
    expect((await payout('statement --from 2026-02-01 --to 2026-01-01')).code).toBe(2);
  });
});

describe('ledger payout send', () => {
  it('says that no bridge pays, and why', async () => {
    const { seat, name } = await prepared();
    await seat.close();
    expect(await says(`send ${name}`)).toEqual([
      1,
      expect.stringContaining(
        'no bridge pays: payouts.mode is manual: payouts are files that you pay yourself',
      ),
    ]);
    expect(await says(['send', name, '--payouts-mode', 'approve'])).toEqual([
      1,
      expect.stringContaining('no bridge on these books pays at this moment'),
    ]);
    expect((await payout('send 3f9ea-9')).code).toBe(1);
  });

  it('follows a batch to its end, and says what it waits for', async () => {
    const { seat, name } = await prepared(1);
    let isOver = false;
    const following = payout(`send ${name} --wait final`).finally(() => {
      isOver = true;
    });
    await payout(`approve ${name} --hash ${HASH}`);
    const sent = await sendAll(seat);
    await seat.found(sent.map(({ id }) => paid(id)));
    expect(isOver).toBe(false);
    await seat.found(sent.map(({ id }) => ({ id, now: 'final', evidence: {} })));
    const { code, text } = await following;
    expect([code, JSON.parse(text)]).toEqual([0, [expect.objectContaining({ name, isSettled: true })]]);
    expect((await payout(`send ${name}`)).code).toBe(0);
  });

  it('without a name shows those that it has followed, and says where there is none', async () => {
    const { seat, name } = await prepared();
    const where = ['--ledger-database-url', books.connectionString];
    let said = '';
    const following = runHere('ledger', ['payout', 'send', ...where], {}, undefined, (text) => {
      said = text;
    });
    await until('it follows', () => said !== '');
    const sent = await sendAll(seat);
    await seat.found(sent.map(({ id }) => paid(id)));
    const { code, text } = await following;
    expect([code, JSON.parse(text)]).toEqual([0, [expect.objectContaining({ name, isSettled: true })]]);
    const none = await payout('send');
    expect([none.code, JSON.parse(none.text), none.stderr]).toEqual([
      ...[0, []],
      expect.stringContaining('no batch is under way'),
    ]);
  });

  it('ends with exit code 4 once payouts are paused, and 3 when its time is over', async () => {
    const { seat, name } = await prepared(1);
    const late = await payout(`send ${name} --timeout 1s`);
    expect([late.code, late.stderr]).toEqual([3, expect.stringContaining(`${name} waits for approval`)]);
    await seat.pause({ kind: 'preflight', says: 'all fail alike', evidence: {} });
    const paused = await payout(`send ${name}`);
    expect([paused.code, paused.stderr]).toEqual([4, expect.stringContaining('all fail alike')]);
  });
});

describe('ledger payout prepare where a bridge pays', () => {
  const MODE = ['prepare', '--payouts-mode', 'approve'];

  it('asks it for a batch, and says its name and content hash', async () => {
    await earn(books.pool, { [ACCOUNT]: '5' });
    const seat = await takeSeat(books.pool);
    const asked = payout(MODE);
    await until('a batch is asked for', async () => (await seat.state()).isAsked);
    const name = await prepareAll(seat, { approvalsNeeded: 1, approvalFor: 'each batch does' });
    await seat.ran({ isRun: true, nextAtMs: undefined, whyNot: '' });
    expect((await seat.state()).isAsked).toBe(false);
    const { code, text } = await asked;
    expect([code, JSON.parse(text)]).toEqual([
      0,
      [expect.objectContaining({ name, contentHash: 'ab', approval: expect.objectContaining({ given: 0 }) })],
    ]);
  });

  it('says why there is none, and that no bridge pays', async () => {
    expect(await says(MODE)).toEqual([1, expect.stringContaining('no bridge on these books pays')]);
    const seat = await takeSeat(books.pool);
    const asked = payout(MODE);
    await until('a batch is asked for', async () => (await seat.state()).isAsked);
    await seat.ran({ isRun: true, nextAtMs: undefined, whyNot: 'nothing is due' });
    const { code, text, stderr } = await asked;
    expect([code, text, stderr]).toEqual([0, '[]', 'stratum-bridge: nothing is due\n']);
    await seat.pause({ kind: 'operator', says: 'I look first', evidence: {} });
    expect(await says(MODE)).toEqual([1, expect.stringContaining('payouts are paused: I look first')]);
  });
});

it('every command of it teaches', async () => {
  const { text } = await runHere('ledger', ['payout', '--help']);
  for (const name of [
    'approve',
    'reject',
    'hold',
    'allow',
    'pause',
    'resume',
    'status',
    'send',
    'evidence',
    'statement',
  ]) {
    expect(text).toMatch(new RegExp(`^ +${name} .*\\S`, 'm'));
    const help = await runHere('ledger', ['payout', name, '--help']);
    expect([help.code, help.text]).toEqual([0, expect.stringMatching(/ledger payout \w+ .*\n/)]);
    expect(help.text).toContain('--json');
  }
});
