/** Which commands in a block are of this ledger, whatever the ledger knows of who pays. */
import { expect, it } from 'vitest';
import { nonceOf } from '../../src/payouts/command/nonce.js';
import { buildTransfer } from '../../src/payouts/command/transfer.js';
import { payerReading } from '../../src/payouts/payer/facts.js';

const LEDGER = '5e0c92d5-6d5c-4a2b-9a59-3f0f5c1f3b11';
const [payerKey, minerKey, otherKey] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
const FROM = `k:${payerKey}`;

function payloadOf(ledgerId: string) {
  const { cmd, requestKey } = buildTransfer({
    ...{ networkId: 'development', chainId: 0, to: `k:${otherKey}`, amount: 10n ** 12n },
    from: { account: FROM, publicKeys: [payerKey ?? ''], predicate: 'keys-all' },
    ...{ creationTimeS: 1_700_000_000, ttlS: 900, gasLimit: 1000, gasPrice: 10_000n },
    nonce: nonceOf({ ledgerId, paymentId: '31', attempt: 1 }),
  });
  const moved = (from: string, to: string, amount: string) =>
    `{"params":["${from}","${to}",${amount}],"name":"TRANSFER","module":{"namespace":null,"name":"coin"},"moduleHash":"klFkrLfpyLW-M3xjVPSdqXEMgxPPJibRt_D6qiBws6s"}`;
  const events = [moved(FROM, `k:${otherKey}`, '1.0'), moved(FROM, `k:${minerKey}`, '0.000005')].join();
  const output = `{"gas":500,"reqKey":"${requestKey}","result":{"status":"success"},"events":[${events}]}`;
  const coinbase = `{"events":[${moved('', `k:${minerKey}`, '2.3')}]}`;
  return { coinbase, transactions: [{ command: JSON.stringify({ cmd }), output }] };
}

it.each([FROM, undefined])('reads a command of this ledger where %s pays', async (account) => {
  const facts = await payerReading.read({ account, ledgerId: LEDGER }, payloadOf(LEDGER));
  expect(facts).toMatchObject({
    commands: [{ lineId: '31', attempt: 1, account: `k:${otherKey}`, amount: 10n ** 12n, outcome: 'paid' }],
    ...{ debits: [], contracts: [] },
  });
});

it('reads none of another ledger, and says whose coins a command moves', async () => {
  const other = payloadOf('another');
  expect(payerReading.concerns({ account: undefined, ledgerId: LEDGER }, other)).toBe(false);
  expect(await payerReading.read({ account: FROM, ledgerId: LEDGER }, other)).toMatchObject({ commands: [] });
  const known = { account: `k:${otherKey}`, ledgerId: LEDGER };
  expect((await payerReading.read(known, payloadOf(LEDGER))).commands).toMatchObject([{ from: FROM }]);
});
