/** What accounts have from the first block on, as a transaction of that block: nobody signed it, and its network is its reason. */
import { requestKeyOf } from '../../chain/request-key.js';

import { amountOf, decimalText, parseDecimal, unitsOf } from '../../core/money/decimal.js';
import { accountWrite, type InitialBalance, type Write } from './accounts.js';
import { brokenName, guardOf, reservedName } from './guards.js';
import { commandJson, outputJson } from './result.js';

export interface Included {
  /** JSON text of the transaction. */
  readonly text: string;
  /** JSON text of what came out of it. */
  readonly output: string;
}

/** Of one chain; nothing where nobody has anything there. */
export function grantsOf(
  balances: readonly InitialBalance[],
  chainId: number,
): { transactions: readonly Included[]; writes: readonly Write[] } {
  const granted = balances
    .filter((one) => one.chainId === undefined || one.chainId === chainId)
    .map(({ account, guard, amount }) => {
      const decimal = parseDecimal(amount);
      return {
        account,
        guard: guardOf(guard.pred, guard.keys),
        balance: (decimal && unitsOf(decimal)) ?? 0n,
      };
    });
  if (granted.length === 0) return { transactions: [], writes: [] };
  const calls = granted.map(({ account, balance }, i) => {
    return `(coin.coinbase ${JSON.stringify(account)} (read-keyset "guard-${i}") ${decimalText(amountOf(balance))})`;
  });
  const data = Object.fromEntries(granted.map(({ guard }, i) => [`guard-${i}`, guard]));
  const cmd = genesisCommand(calls.join(''), data);
  const hash = requestKeyOf(cmd);
  const output = outputJson({
    requestKey: hash,
    gas: 0,
    result: { data: 'Write succeeded' },
    events: granted.map(({ account, balance }) => ({
      name: 'TRANSFER',
      params: ['', account, { decimal: amountOf(balance) }],
    })),
    txId: 1,
    hasLogs: true,
  });
  return {
    transactions: [{ text: commandJson(hash, [], cmd), output }],
    writes: granted.map(({ account, ...row }) => accountWrite(account, row)),
  };
}

/** Throws RangeError, with a sentence, for balances that cannot be. @param chains of the network. */
export function checkBalances(balances: readonly InitialBalance[], chains: readonly number[]): void {
  const places = new Set<string>();
  for (const { account, amount, chainId, guard } of balances) {
    const decimal = parseDecimal(amount);
    const units = decimal && unitsOf(decimal);
    if (units === undefined || units < 0n) {
      const wanted = 'no amount of coins from 0 on, of at most 12 decimals';
      throw new RangeError(`initialBalances: ${amount} is ${wanted}`);
    }
    if (chainId !== undefined && !chains.includes(chainId))
      throw new RangeError(`initialBalances: there is no chain ${chainId}`);
    const broken = brokenName(account) ?? reservedName(account, guardOf(guard.pred, guard.keys));
    if (broken !== undefined) throw new RangeError(`initialBalances: ${broken}`);
    for (const id of chainId === undefined ? chains : [chainId]) {
      if (places.has(`${id} ${account}`))
        throw new RangeError(`initialBalances: ${account} is named twice on chain ${id}`);
      places.add(`${id} ${account}`);
    }
  }
}

function genesisCommand(code: string, data: object): string {
  return JSON.stringify({
    networkId: null,
    payload: { exec: { data, code } },
    signers: [],
    meta: { creationTime: 0, ttl: 172_800, gasLimit: 0, chainId: '', gasPrice: 0, sender: '' },
    nonce: 'initial balances',
  });
}
