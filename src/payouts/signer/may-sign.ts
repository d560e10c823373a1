/** What a signer looks at before it signs: the text alone, and never what somebody says of it. */
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { readTransfer } from '../command/read.js';
import type { Transfer } from '../command/transfer.js';
import type { Signing } from './signed-book.js';
import type { SignRequest } from './signer.js';

export interface MaySign {
  /** That pays. */
  readonly account: string;
  readonly networkId: string;
  /** Of one transfer; without it there is no such limit. */
  readonly line?: Amount | undefined;
  /** Gas limit times price: who chooses the price could give the coins to a miner. */
  readonly gas: Amount;
}

export type ToSign =
  | { readonly is: 'fine'; readonly transfer: Transfer; readonly signing: Signing }
  | { readonly is: 'refused'; readonly why: string };

const refused = (why: string): ToSign => ({ is: 'refused', why });

/** One transfer of ours within the limits, or a sentence. */
export function maySign(cmd: string, rules: MaySign): ToSign {
  const read = readTransfer(cmd);
  if (read.is === 'other') return refused(`the command ${read.why}`);
  const { transfer, attempt, requestKey } = read;
  const { from, networkId, amount, gasLimit, gasPrice, chainId, creationTimeS, ttlS } = transfer;
  if (networkId !== rules.networkId)
    return refused(`it is for network ${networkId}, and not ${rules.networkId}`);
  if (from.account !== rules.account)
    return refused(`it pays from ${from.account}, and not from ${rules.account}`);
  const gas = BigInt(gasLimit) * gasPrice;
  if (gas > rules.gas)
    return refused(`its gas may cost ${amountLiteral(gas)}, and the limit is ${amountLiteral(rules.gas)}`);
  if (rules.line !== undefined && amount > rules.line)
    return refused(`it pays ${amountLiteral(amount)}, and the limit of one is ${amountLiteral(rules.line)}`);
  return { is: 'fine', transfer, signing: { ...attempt, requestKey, chainId, amount, creationTimeS, ttlS } };
}

/** What is said of a command and is not in its text, as a sentence; `undefined` where all of it is. */
export function requestFault(
  request: SignRequest,
  { transfer, signing }: ToSign & { is: 'fine' },
): string | undefined {
  const said: readonly (readonly [
    what: string,
    said: string | number | bigint,
    is: string | number | bigint,
  ])[] = [
    ['ledger', request.ledgerId, signing.ledgerId],
    ['payment', request.paymentId, signing.paymentId],
    ['attempt', request.attempt, signing.attempt],
    ['request key', request.requestKey, signing.requestKey],
    ['account', request.account, transfer.from.account],
    ['amount', request.amount, transfer.amount],
    ['chain', request.chainId, transfer.chainId],
  ];
  const other = said.find(([, one, two]) => one !== two);
  return other && `it is asked for as ${other[0]} ${other[1]}, and its text says ${other[2]}`;
}
