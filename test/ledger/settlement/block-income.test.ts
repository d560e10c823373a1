/** What a block pays its miner, read from outputs as nodes write them. */
import { describe, expect, it } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { coinbaseOf } from '../../../src/devnode/coin/coinbase.js';
import { makePayload } from '../../../src/devnode/mining/payload.js';
import { incomeOf } from '../../../src/ledger/settlement/block-income.js';
import { readVectors } from '../../helpers/runner/vectors.js';

const MINER = 'k:miner';
const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(`no amount: ${text}`);

function transfer(from: string, to: string, amount: string): string {
  const names = `${JSON.stringify(from)},${JSON.stringify(to)}`;
  return `{"params":[${names},${amount}],"name":"TRANSFER","module":{"namespace":null,"name":"coin"},"moduleHash":"x"}`;
}

function output(gas: string, ...events: string[]): string {
  return `{"gas":${gas},"result":{"status":"success","data":"Write succeeded"},"events":[${events.join(',')}],"txId":12}`;
}

const coinbase = output('0', transfer('', MINER, '2.304523'));

describe('the coinbase', () => {
  it.each([
    ['2.304523', '2.304523'],
    ['0.123456789012', '0.123456789012'],
    ['{"decimal":"1.5"}', '1.5'],
    ['9.5e-2', '0.095'],
    ['1.0e7', '10000000'],
  ])('that pays %s', (written, amount) => {
    const paid = output('0', transfer('', 'k:ab', written));
    expect(incomeOf({ coinbase: paid, transactions: [] })).toEqual({
      receiver: 'k:ab',
      reward: coins(amount),
      fees: 0n,
    });
  });

  it.each([
    ...['', 'null', '[]', '{}', '{"events":[null,1,{"params":5}]}'],
    ...['"x"', '-1', '1e99', '1.0000000000001'].map((amount) => output('0', transfer('', MINER, amount))),
    output('0', transfer('', MINER, '1'), transfer('', 'k:other', '1')),
  ])('that cannot be read says nothing: %s', (text) => {
    expect(incomeOf({ coinbase: text, transactions: [] })).toBeUndefined();
  });

  it('of the development node', () => {
    const miner = { account: 'k:"odd', predicate: 'keys-all', 'public-keys': ['aa'] };
    const coinbase = coinbaseOf('fixed', { chainId: 0, miner: miner.account, parentTime: 0n });
    const place = { parent: new Uint8Array(32), height: 7, miner, transactions: [], coinbase };
    const paid = Buffer.from(makePayload(place).coinbase, 'base64url').toString();
    expect(incomeOf({ coinbase: paid, transactions: [] })?.reward).toBe(coins('2.304523'));
  });
});

describe('fees', () => {
  const command = (gasPrice: string, sender = 'k:alice'): string =>
    JSON.stringify({
      hash: 'x',
      sigs: [],
      cmd: `{"meta":{"sender":"${sender}","gasPrice":${gasPrice},"gasLimit":2500}}`,
    });
  const fees = (...transactions: { command: string; output: string }[]): bigint | undefined =>
    incomeOf({ coinbase, transactions })?.fees;

  it('are the gas of each transaction, as its sender paid it', () => {
    const one = {
      command: command('1.0e-8'),
      output: output('227', transfer('k:alice', 'k:bob', '1.5'), transfer('k:alice', MINER, '2.27e-6')),
    };
    const other = {
      command: command('{"decimal":"0.000001"}'),
      output: output('73', transfer('k:alice', MINER, '7.3e-5')),
    };
    expect(fees(one, other)).toBe(coins('0.00000227') + coins('0.000073'));
  });

  it('are no other transfer to the miner, of whoever, however large', () => {
    const out = (...events: string[]) => ({ command: command('1.0e-8'), output: output('227', ...events) });
    expect(fees(out(transfer('k:alice', MINER, '1000')))).toBe(0n);
    expect(fees(out(transfer('k:bob', MINER, '2.27e-6')))).toBe(0n);
    expect(fees(out(transfer('k:alice', 'k:bob', '2.27e-6')))).toBe(0n);
    // Who pays the miner by chance as much as the gas has paid that once.
    const twice = transfer('k:alice', MINER, '2.27e-6');
    expect(fees(out(twice, twice))).toBe(coins('0.00000227'));
    expect(
      fees({ command: 'no JSON', output: output('227', twice) }, { command: command('1.0e-8'), output: '' }),
    ).toBe(0n);
    expect(fees({ command: command('0'), output: output('227', transfer('k:alice', MINER, '0')) })).toBe(0n);
  });

  it('are read of commands as wallets make them', { tags: ['vectors'] }, () => {
    const { valid } = readVectors<{ valid: { command: { cmd: string } }[] }>('transfers');
    for (const { command } of valid) {
      const { sender, gasPrice } = (JSON.parse(command.cmd) as { meta: { sender: string; gasPrice: number } })
        .meta;
      const paid = `${227 * Math.round(gasPrice * 1e12)}e-12`;
      const one = { command: JSON.stringify(command), output: output('227', transfer(sender, MINER, paid)) };
      expect(fees(one)).toBe(227n * BigInt(Math.round(gasPrice * 1e12)));
    }
  });
});
