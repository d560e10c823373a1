/** What a signer looks at before it signs: the text alone, and never what somebody says of it. */
import type { Transfer } from '../../chain/transfers/transfer.js';
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { readTransfer } from '../command/read.js';
import type { SignOutcome, SignRequest } from './signer.js';

export interface MaySign {
  /** That pays. */
  readonly account: string;
  readonly networkId: string;
  /** Of one transfer; without it there is no such limit. */
  readonly line?: Amount | undefined;
  /** Gas limit times price: who chooses the price could give the coins to a miner. */
  readonly gas: Amount;
}

/** A request as its text says it, and nobody else. */
export interface ReadRequest extends SignRequest {
  readonly transfer: Transfer;
}

/** A sentence where the text is no transfer of ours. */
export function readRequest(cmd: string): ReadRequest | string {
  const read = readTransfer(cmd);
  if (read.is === 'other') return `the command ${read.why}`;
  const { transfer, attempt, requestKey } = read;
  const { from, amount, chainId } = transfer;
  return { ...attempt, cmd, requestKey, account: from.account, amount, chainId, transfer };
}

/** What is said of a command besides its text. */
const SAID: readonly (readonly [key: Exclude<keyof SignRequest, 'cmd'>, what: string])[] = [
  ['ledgerId', 'ledger'],
  ['paymentId', 'payment'],
  ['attempt', 'attempt'],
  ['requestKey', 'request key'],
  ['account', 'account'],
  ['amount', 'amount'],
  ['chainId', 'chain'],
];

/** A sentence where it is no transfer of ours within the limits, or another one than it is asked for as. */
export function maySign(request: SignRequest, rules: MaySign): ReadRequest | string {
  const read = readRequest(request.cmd);
  if (typeof read === 'string') return read;
  const { networkId, gasLimit, gasPrice } = read.transfer;
  if (networkId !== rules.networkId) return `it is for network ${networkId}, and not ${rules.networkId}`;
  if (read.account !== rules.account) return `it pays from ${read.account}, and not from ${rules.account}`;
  const gas = BigInt(gasLimit) * gasPrice;
  if (gas > rules.gas)
    return `its gas may cost ${amountLiteral(gas)}, and the limit is ${amountLiteral(rules.gas)}`;
  if (rules.line !== undefined && read.amount > rules.line)
    return `it pays ${amountLiteral(read.amount)}, and the limit of one is ${amountLiteral(rules.line)}`;
  const other = SAID.find(([key]) => request[key] !== read[key]);
  if (!other) return read;
  const [key, what] = other;
  return `it is asked for as ${what} ${request[key]}, and its text says ${read[key]}`;
}

/** An outcome for each, in their order: a sentence is a refusal, and the others are signed together. */
export async function signReadable(
  all: readonly (ReadRequest | string)[],
  sign: (those: readonly ReadRequest[]) => Promise<readonly SignOutcome[]>,
): Promise<readonly SignOutcome[]> {
  const outcomes = (await sign(all.filter((one) => typeof one !== 'string')))[Symbol.iterator]();
  return all.map((one) => {
    if (typeof one === 'string') return { is: 'refused', why: one };
    return outcomes.next().value ?? { is: 'failed', why: 'the signer gave no outcome for it' };
  });
}
