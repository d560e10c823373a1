/** `ledger payout statement`: payments on chain for other programs. */

import { once } from 'node:events';
import { type Asked, OK } from '../../../cli/line/command.js';
import { csvLine, csvText } from '../../../core/names/csv.js';
import { paidOnChain } from '../../../ledger/transactions/view.js';
import { onBooks } from '../access.js';
import type { SpanSettings } from '../settings.js';
import { spanOf } from '../statements.js';

const KEYS = [
  ...['time', 'payout', 'payment', 'account', 'amount', 'chain', 'result', 'requestKey', 'blockHeight'],
  ...['blockHash', 'gas'],
] as const;

export async function statement(asked: Asked<SpanSettings>): Promise<number> {
  return onBooks(asked, async ({ ledger, config, io: { stdout } }) => {
    const write = async (text: string): Promise<void> => {
      // Who reads it may be slower than the database.
      if (!stdout.write(text)) await once(stdout, 'drain');
    };
    if (!config.json) await write(csvLine(KEYS));
    let isFirst = true;
    for await (const rows of paidOnChain(ledger.pool, spanOf(config)))
      for (const row of rows) {
        const facts = factsOf(row);
        const asJson = `${isFirst ? '[' : ','}\n  ${JSON.stringify(facts)}`;
        await write(
          config.json ? asJson : csvLine(Object.values(facts).map((value) => csvText(String(value ?? '')))),
        );
        isFirst = false;
      }
    if (config.json) await write(isFirst ? '[]\n' : '\n]\n');
    return OK;
  });
}

type Row = (
  typeof paidOnChain extends (...asked: never) => AsyncGenerator<infer R>
    ? R
    : never
) extends (infer One)[]
  ? One
  : never;

function factsOf({
  atMs,
  chainId,
  state,
  gasPaid,
  id: _,
  ...row
}: Row): Record<(typeof KEYS)[number], unknown> {
  const { payout, payment, account, amount, requestKey, blockHeight, blockHash } = row;
  return {
    time: new Date(atMs).toISOString(),
    ...{ payout, payment, account, amount, chain: chainId, result: state === 'refused' ? 'failed' : 'paid' },
    ...{ requestKey, blockHeight, blockHash, gas: gasPaid },
  };
}
