/** The payload of a block with one command of a ledger, as nodes give it. */
import { buildTransfer } from '../../../src/chain/transfers/transfer.js';
import { nonceOf } from '../../../src/payouts/command/nonce.js';

export const LEDGER = '5e0c92d5-6d5c-4a2b-9a59-3f0f5c1f3b11';
const [payerKey = '', minerKey, otherKey] = ['a', 'b', 'c'].map((digit) => digit.repeat(64));
export const [FROM, TO] = [`k:${payerKey}`, `k:${otherKey}`];

/** @param change of its output, as text. */
export function payloadOf(ledgerId: string, change: (output: string) => string = (output) => output) {
  const { cmd, requestKey } = buildTransfer({
    ...{ networkId: 'development', chainId: 0, to: TO, amount: 10n ** 12n },
    from: { account: FROM, publicKeys: [payerKey], predicate: 'keys-all' },
    ...{ creationTimeS: 1_700_000_000, ttlS: 900, gasLimit: 1000, gasPrice: 10_000n },
    nonce: nonceOf({ ledgerId, paymentId: '31', attempt: 1 }),
  });
  const moved = (from: string, to: string, amount: string) =>
    `{"params":["${from}","${to}",${amount}],"name":"TRANSFER","module":{"namespace":null,"name":"coin"},"moduleHash":"klFkrLfpyLW-M3xjVPSdqXEMgxPPJibRt_D6qiBws6s"}`;
  const events = [moved(FROM, TO, '1.0'), moved(FROM, `k:${minerKey}`, '0.000005')].join();
  const output = `{"gas":500,"reqKey":"${requestKey}","result":{"status":"success"},"events":[${events}]}`;
  const coinbase = `{"events":[${moved('', `k:${minerKey}`, '2.3')}]}`;
  return { coinbase, transactions: [{ command: JSON.stringify({ cmd }), output: change(output) }] };
}
