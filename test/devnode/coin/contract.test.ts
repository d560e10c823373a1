/** The contract's rules, each by the command that breaks it, in the words of real nodes. */
import { describe, expect, it } from 'vitest';
import { type Account, type Accounts, Draft } from '../../../src/devnode/coin/accounts.js';
import { readCommand, readEnvelope } from '../../../src/devnode/coin/command.js';
import { execute, runCode } from '../../../src/devnode/coin/execute.js';
import { guardOf } from '../../../src/devnode/coin/guards.js';
import { outputJson } from '../../../src/devnode/coin/result.js';
import {
  type Clist,
  type CommandParts,
  command,
  GAS,
  transferCap,
} from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';

const [ALICE, BOB, CAROL] = [keyPair(1), keyPair(2), keyPair(3)];
const [A, B, C] = [ALICE.account, BOB.account, CAROL.account];
const COIN = 10n ** 12n;

const rows = new Map<string, Account>([
  [A, { balance: 100n * COIN, guard: guardOf('keys-all', [ALICE.key]) }],
  [B, { balance: 123_456_123_456_789_012n, guard: guardOf('keys-all', [BOB.key]) }],
  ['both', { balance: 10n * COIN, guard: guardOf('keys-2', [ALICE.key, BOB.key]) }],
  ['open', { balance: 10n * COIN, guard: guardOf('keys-all', []) }],
]);
const ACCOUNTS: Accounts = { account: (name) => rows.get(name) };

const cap = (amount: string, receiver = B): Clist[number] => transferCap(A, receiver, amount);

/** The JSON text of what comes out of code that Alice signed for that. */
function run(code: string, clist: Clist = [cap('60'), GAS], parts: Partial<CommandParts> = {}): string {
  const signed = command({ code, signers: [[ALICE, clist]], ...parts });
  const done = execute(
    readCommand(readEnvelope(signed)),
    ACCOUNTS,
    { account: 'miner', credit: () => undefined },
    7,
  );
  return typeof done === 'string' ? done : outputJson(done.outcome);
}

const WRITTEN = '"status":"success","data":"Write succeeded"';
const keyset = (key: string): Partial<CommandParts> => ({ data: { ks: { keys: [key], pred: 'keys-all' } } });

describe('calls', () => {
  it.each([
    [
      'one entry covers several parts',
      `(coin.transfer "${A}" "${B}" 42.0)(coin.transfer "${A}" "${B}" 18.0)`,
    ],
    ['comments and lines', `; pays\n(coin.transfer\n  "${A}" "${B}" 1.0) ; all\n`],
    ['an amount that is read', `(coin.transfer "${A}" "${B}" (at 'balance (coin.details 'open)))`],
  ])('succeed: %s', (_, code) => expect(run(code)).toContain(WRITTEN));

  it.each([
    ['(coin.transfer "{A}" "{A}" 1.0)', 'sender cannot be the receiver of a transfer'],
    ['(coin.transfer "{A}" "ab" 1.0)', 'Account name does not conform to the min length requirement: ab'],
    ['(coin.transfer "{A}" "ab€" 1.0)', 'Account does not conform to the coin contract charset: ab€'],
    ['(coin.transfer "{A}" "{B}" 0.0)', 'transfer amount must be positive'],
    ['(coin.transfer "{A}" "{B}" -1.0)', 'transfer amount must be positive'],
    ['(coin.transfer "{A}" "{B}" 61.0)', 'TRANSFER exceeded for balance 60.0'],
    [
      '(coin.transfer "{A}" "{B}" 42.0)(coin.transfer "{A}" "{B}" 18.1)',
      'TRANSFER exceeded for balance 18.0',
    ],
    ['(coin.transfer "{A}" "nobody" 1.0)', 'No value found in table coin_coin-table for key: nobody'],
    ['(coin.get-balance "{C}")', 'No value found in table coin_coin-table for key: k:ed4928c6...'],
    ['(coin.transfer-create "{A}" "{B}" (read-keyset "ks") 1.0)', 'account guards do not match'],
    [
      '(coin.transfer-create "{A}" "new" (read-keyset "none") 1.0)',
      'read-keyset failed. Invalid format or missing key.',
    ],
    ['(coin.create-account "x:y" (read-keyset "ks"))', 'Reserved protocol guard violation: x'],
  ])('%s is a TxFailure: %s', (code, message) => {
    const written = code.replaceAll('{A}', A).replaceAll('{B}', B).replaceAll('{C}', C);
    const caps = [
      cap('60'),
      cap('60', 'nobody'),
      cap('60', 'new'),
      cap('60', 'ab'),
      cap('60', 'ab€'),
      cap('60', A),
      GAS,
    ];
    const output = run(written, caps, keyset(CAROL.key));
    expect(JSON.parse(output).result.error).toEqual({
      callStack: [],
      type: 'TxFailure',
      message,
      info: '<toplevel>:0',
    });
    expect(JSON.parse(output).gas).toBe(2500);
  });

  it.each([
    [`(coin.transfer "${A}" "${B}" 1)`, 'argument 3 must be a decimal'],
    [
      `(coin.create-account "${A}" (read-keyset "ks"))`,
      'Insert failed because the value already exists in the table: coin_coin-table at key "k:8a88e3dd..."',
    ],
    [
      '(coin.create-account "new" (read-keyset "bad"))',
      'Invalid keyset format. Check that keys have the right length and signature scheme.',
    ],
    [`(try 0.0 (coin.transfer "${A}" "${B}" 1.0))`, 'read-only'],
    ['(let ((a 1)) b)', 'Cannot resolve b'],
  ])('%s is an EvalError: %s', (code, message) => {
    const data = { ks: { keys: [ALICE.key], pred: 'keys-all' }, bad: { keys: ['short'], pred: 'keys-all' } };
    const { type, message: said } = JSON.parse(run(code, [cap('60'), GAS], { data })).result.error;
    expect([type, said]).toEqual(['EvalError', expect.stringContaining(message)]);
  });

  it('all or nothing: what came before a failure is undone', () => {
    const code = `(coin.transfer "${A}" "${B}" 1.0)(coin.transfer "${A}" "nobody" 1.0)`;
    const signed = command({ code, signers: [[ALICE, [cap('9'), cap('9', 'nobody'), GAS]]] });
    const done = execute(
      readCommand(readEnvelope(signed)),
      ACCOUNTS,
      { account: 'miner', credit: () => undefined },
      7,
    );
    if (typeof done === 'string') return expect.fail(done);
    expect(done.draft.account(B)).toEqual(rows.get(B));
    expect(done.draft.account(A)?.balance).toBe(100n * COIN - 25_000_000n);
    expect(done.outcome.events).toHaveLength(1);
  });

  it('of two amounts for one pair the smaller is what may be moved', () => {
    const caps = [cap('5'), cap('3'), GAS];
    expect(run(`(coin.transfer "${A}" "${B}" 3.0)`, caps)).toContain(WRITTEN);
    expect(run(`(coin.transfer "${A}" "${B}" 4.0)`, caps)).toContain('TRANSFER exceeded for balance 3.0');
  });

  it('more gas than the limit takes all of it', () => {
    const code = `(coin.transfer "${A}" "${B}" 1.0)`;
    const output = JSON.parse(run(code, undefined, { meta: { gasLimit: 120 } }));
    expect(output).toMatchObject({ gas: 120, result: { error: { type: 'EvalError' } } });
    expect(output.result.error.message).toMatch(/^Gas limit "120"exceeded: \d+$/);
  });
});

describe('guards', () => {
  const fromBoth = `(coin.transfer "both" "${B}" 1.0)`;
  const shared = [transferCap('both', B, '1.0')];

  it.each<[string, CommandParts['signers'], string]>([
    [
      'two keys that sign for it',
      [
        [ALICE, [...shared, GAS]],
        [BOB, shared],
      ],
      WRITTEN,
    ],
    ['one key', [[ALICE, [...shared, GAS]]], 'Keyset failure ( keys-2 ):  8139770ea8..., 8a88e3dd74...'],
    [
      'the other one signs for gas alone',
      [
        [ALICE, [...shared, GAS]],
        [BOB, [GAS]],
      ],
      'Keyset failure',
    ],
    ['the other one signs for everything', [[ALICE, [...shared, GAS]], [BOB]], WRITTEN],
  ])('of two keys: %s', (_, signers = [], named) => {
    expect(run(fromBoth, [], { signers, sender: A })).toContain(named);
  });

  it('a keyset without keys is open to anyone who signs for the transfer', () => {
    const signers: CommandParts['signers'] = [[ALICE, [transferCap('open', B, '1.0'), GAS]]];
    expect(run(`(coin.transfer "open" "${B}" 1.0)`, [], { signers, sender: A })).toContain(WRITTEN);
  });

  it('a signature without a list satisfies guards, but is for no transfer', () => {
    const signers: CommandParts['signers'] = [[ALICE]];
    expect(run(`(coin.transfer "${A}" "${B}" 1.0)`, [], { signers })).toContain('was not installed');
    expect(
      run(`(coin.create-account "new" (read-keyset "ks"))`, [], { signers, ...keyset(CAROL.key) }),
    ).toContain(WRITTEN);
  });
});

describe('what clients wrap around calls', () => {
  const read = (code: string): unknown => {
    const ran = runCode(readCommand(readEnvelope(command({ code }))), new Draft(ACCOUNTS));
    const result = 'data' in ran ? { data: ran.data } : { failure: ran.failure };
    const common = { requestKey: 'x', gas: ran.gas, events: [], txId: 1, hasLogs: false };
    return JSON.parse(outputJson({ ...common, result })).result;
  };

  it('discover-account, a balance or nothing, several at once', () => {
    const discover = `(let ((details (coin.details "${A}")))(let ((principal (create-principal (at "guard" details)))){"details":details, "principal":principal}))`;
    expect(read(discover)).toMatchObject({ data: { details: { account: A, balance: 100 }, principal: A } });
    expect(read(`(try 0.0 (coin.get-balance "${C}"))`)).toEqual({ status: 'success', data: 0 });
    expect(read(`[(coin.get-balance "${A}"), (coin.get-balance "${B}")]`)).toMatchObject({
      data: [100, { decimal: '123456.123456789012' }],
    });
  });

  it('values that hold each other many times over are bounded', () => {
    const nested = Array.from({ length: 40 }, (_, i) => `(let ((a${i + 1} [a${i} a${i}]))`).join('');
    const code = `(let ((a0 "x"))${nested}a40${')'.repeat(41)}`;
    expect(read(code)).toMatchObject({
      error: { type: 'EvalError', message: expect.stringContaining('characters') },
    });
  });

  it('nests only so deeply', () => {
    expect(read(`${'['.repeat(9000)}`)).toMatchObject({ error: { type: 'SyntaxError' } });
  });
});
