/** What is read out of a payload, to the last unit. */
import { describe, expect, it } from 'vitest';
import { requestKeyOf } from '../../../../src/chain/request-key.js';
import { type Contents, KNOWN_CONTRACTS, readContents } from '../../../../src/payouts/evidence/contents.js';

/** At once, and how often others could have had their turn. */
function readAtOnce(...given: Parameters<typeof readContents>): { contents: Contents; turns: number } {
  const work = readContents(...given);
  for (let turns = 0; ; turns++) {
    const step = work.next();
    if (step.done) return { contents: step.value, turns };
  }
}

const contentsFor = (...given: Parameters<typeof readContents>): Contents => readAtOnce(...given).contents;

const [COIN = ''] = KNOWN_CONTRACTS;
const PAYER = `k:${'1'.repeat(64)}`;
const MINER = `k:${'2'.repeat(64)}`;
const RIG = `k:${'3'.repeat(64)}`;
const base64Url = (text: string): string => Buffer.from(text).toString('base64url');

const event = (
  from: string,
  to: string,
  amount: string,
  module = COIN,
  more = '"namespace":null,"name":"coin"',
): string =>
  `{"params":["${from}","${to}",${amount}],"name":"TRANSFER","module":{${more}},"moduleHash":"${module}"}`;

function cmdOf(more: object = {}): string {
  return JSON.stringify({
    payload: { exec: { code: '(coin.transfer …)', data: {} } },
    signers: [{ pubKey: PAYER.slice(2) }],
    meta: { sender: PAYER, gasPrice: '0.00000001' },
    nonce: 'sb1:l:1:1',
    ...more,
  });
}

const success = (cmd: string, events: string, gas = '200'): string =>
  `{"gas":${gas},"result":{"status":"success","data":"Write succeeded"},"reqKey":"${requestKeyOf(cmd)}","events":[${events}]}`;

function read(transactions: readonly (readonly [cmd: string, output: string])[], miner = MINER): Contents {
  const payload = {
    transactions: transactions.map(([cmd, output]): [string, string] => [
      base64Url(JSON.stringify({ hash: requestKeyOf(cmd), sigs: [], cmd })),
      base64Url(output),
    ]),
    minerData: base64Url(JSON.stringify({ account: miner })),
    coinbase: base64Url(`{"events":[${event('', miner, '2.5')}]}`),
    ...{ transactionsHash: '', outputsHash: '', payloadHash: '' },
  };
  return contentsFor({ account: PAYER, contracts: new Set(KNOWN_CONTRACTS) }, payload);
}

describe('amounts', () => {
  it.each([
    ['8192.000000000001', 8_192_000_000_000_001n],
    ['8192.000000000002', 8_192_000_000_000_002n],
    ['{"decimal":"100000000.000000000001"}', 100_000_000_000_000_000_001n],
    ['1.0e-12', 1n],
    ['2', 2_000_000_000_000n],
  ])('%s is read to the last unit', (text, amount) => {
    const cmd = cmdOf();
    const { commands } = read([
      [cmd, success(cmd, `${event(PAYER, RIG, text)},${event(PAYER, MINER, '2.0e-6')}`)],
    ]);
    expect(commands).toMatchObject([{ status: 'success', transfers: [{ amount }], gasPaid: 2_000_000n }]);
  });
});

describe("the payer's part of a payload", () => {
  it('leaves the event that pays the gas out of what a command did, be it first or last, and the miner the receiver', () => {
    const cmd = cmdOf();
    const [gas, line] = [event(PAYER, RIG, '2.0e-6'), event(PAYER, RIG, '1.5')];
    for (const events of [`${gas},${line}`, `${line},${gas}`]) {
      const { commands, debits } = read([[cmd, success(cmd, events)]], RIG);
      expect(commands[0]?.transfers).toMatchObject([{ from: PAYER, to: RIG, amount: 1_500_000_000_000n }]);
      expect(debits.map(({ amount }) => amount).sort()).toEqual([1_500_000_000_000n, 2_000_000n].sort());
    }
  });

  it('is that of who pays, signs, or has a nonce of ours; credits of a payer that mines are coinbase and gas', () => {
    const ofOthers = {
      signers: [{ pubKey: '4'.repeat(64) }],
      meta: { sender: RIG, gasPrice: 1e-8 },
      nonce: 'x',
    };
    const cmds = [
      cmdOf(ofOthers),
      cmdOf({ ...ofOthers, nonce: 'sb1:other:1:1' }),
      cmdOf({ ...ofOthers, signers: [{ pubKey: PAYER.slice(2) }] }),
      cmdOf({ ...ofOthers, meta: { sender: PAYER, gasPrice: 1e-8 } }),
    ];
    const { commands, credits } = read(
      cmds.map((cmd) => [cmd, success(cmd, event(RIG, PAYER, '2.0e-6'))]),
      PAYER,
    );
    expect(commands.map(({ cmd }) => cmd)).toEqual(cmds.slice(1));
    expect(commands.map(({ gasPaid }) => gasPaid)).toEqual([0n, 0n, 2_000_000n]);
    expect(credits[0]).toMatchObject({ from: '', amount: 2_500_000_000_000n, requestKey: undefined });
    expect(credits).toHaveLength(5);
  });

  it('does not take the word of another contract for a transfer', () => {
    const cmd = cmdOf();
    const others = event(PAYER, RIG, '9.0', 'x', '"namespace":"free","name":"coin"');
    const { commands, debits, contracts } = read([[cmd, success(cmd, others)]]);
    expect([commands[0]?.transfers, debits, contracts]).toEqual([[], [], []]);
  });

  it('tells with what module hash coin ran, where it is not known', () => {
    const cmd = cmdOf();
    expect(read([[cmd, success(cmd, event(PAYER, RIG, '1.0'))]]).contracts).toEqual([]);
    expect(read([[cmd, success(cmd, event(PAYER, RIG, '1.0', 'other'))]]).contracts).toEqual(['other']);
  });

  it.each([
    ['no JSON', 'failed', /no JSON/],
    ['of another command', '{"gas":1,"result":{"status":"success"},"reqKey":"x"}', /is of "x"/],
    ['without gas', `{"result":{"status":"success"},"reqKey":"${requestKeyOf(cmdOf())}"}`, /gas/],
    ['neither', `{"gas":1,"result":{"status":"maybe"},"reqKey":"${requestKeyOf(cmdOf())}"}`, /"maybe"/],
    ['an amount that is none', success(cmdOf(), event(PAYER, RIG, '"all"')), /other parameters/],
    ['finer than a unit', success(cmdOf(), event(PAYER, RIG, '1.0000000000001')), /other parameters/],
  ])('calls an output unreadable that is %s', (_, output, why) => {
    const { commands } = read([[cmdOf(), output]]);
    expect(commands).toMatchObject([{ status: 'unreadable', why: expect.stringMatching(why), gasPaid: 0n }]);
  });

  it('passes over what is no command at all', () => {
    const payload = {
      transactions: [['bm90IGpzb24', base64Url('{"gas":0}')]] as [string, string][],
      minerData: base64Url('{}'),
      coinbase: base64Url('{"result":{"status":"success","data":"NO_COINBASE"},"logs":null}'),
      ...{ transactionsHash: '', outputsHash: '', payloadHash: '' },
    };
    const nothing = { commands: [], debits: [], credits: [], contracts: [], unreadable: [] };
    expect(contentsFor({ account: PAYER, contracts: new Set() }, payload)).toEqual(nothing);
  });
});

describe('a full block', () => {
  it('is read a few transactions at a time', () => {
    const cmd = cmdOf();
    const one: [string, string] = [
      base64Url(JSON.stringify({ hash: requestKeyOf(cmd), sigs: [], cmd })),
      base64Url(success(cmd, event(PAYER, RIG, '1.5'))),
    ];
    const payload = {
      transactions: Array.from({ length: 100 }, () => one),
      minerData: base64Url(JSON.stringify({ account: MINER })),
      coinbase: base64Url('{"result":{"status":"success","data":"NO_COINBASE"},"logs":null}'),
      ...{ transactionsHash: '', outputsHash: '', payloadHash: '' },
    };
    const { contents, turns } = readAtOnce({ account: PAYER, contracts: new Set(KNOWN_CONTRACTS) }, payload);
    expect(contents.commands).toHaveLength(100);
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});
