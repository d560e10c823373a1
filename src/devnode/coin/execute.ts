/** A command in its block: its gas is bought, its code runs, what is left of the gas is paid back. */

import { amountOf, unitsOf } from '../../core/money/decimal.js';
import { type Accounts, Draft } from './accounts.js';
import { Authority } from './authority.js';
import { TooLongError, type Value, valueJson } from './codec.js';
import type { Command } from './command.js';
import { CoinContract, transferEvent } from './contract.js';
import { evaluateAll, type Scope } from './evaluate.js';
import type { Event, Failure, Outcome } from './result.js';
import { PactError } from './result.js';
import { readCode } from './syntax.js';

/** What buying gas takes itself. */
const PURCHASE_GAS = 70;
/** Of a result, which is kept and handed out for good. */
const CHARACTERS_A_GAS = 64;
const SHOWN_OF_A_KEY = 8;

/** Who gets the fees. Returns why he cannot have them. */
interface Payee {
  readonly account: string;
  credit(draft: Draft, units: bigint): string | undefined;
}

interface Executed {
  readonly outcome: Outcome;
  /** What it changed. */
  readonly draft: Draft;
}

/** Runs it and takes the fee; a sentence where it cannot be in a block at all. */
export function execute(command: Command, accounts: Accounts, payee: Payee, txId: number): Executed | string {
  const draft = new Draft(accounts);
  const unpaid = buyGas(command, draft);
  if (unpaid !== undefined) return unpaid;
  const { gasLimit, gasPrice, sender } = command.meta;
  const inner = new Draft(draft);
  const ran = runCode(command, inner, PURCHASE_GAS);
  if ('data' in ran) draft.take(inner);
  const price = unitsOf(gasPrice) ?? 0n;
  const fee = BigInt(ran.gas) * price;
  const payer = draft.account(sender);
  if (payer) draft.set(sender, { ...payer, balance: payer.balance + BigInt(gasLimit) * price - fee });
  const unpayable = payee.credit(draft, fee);
  if (unpayable !== undefined) return unpayable;
  const events = 'data' in ran ? ran.events : [];
  const feeEvent = transferEvent(sender, payee.account, amountOf(fee));
  return {
    draft,
    outcome: {
      requestKey: command.hash,
      gas: ran.gas,
      result: 'data' in ran ? { data: ran.data } : { failure: ran.failure },
      events: [...events, feeEvent],
      txId: 'data' in ran ? txId : undefined,
      hasLogs: true,
    },
  };
}

/** Takes the price of all the gas from the sender; why not, in the words of real nodes. */
export function buyGas(command: Command, draft: Draft): string | undefined {
  const { gasLimit, gasPrice, sender } = command.meta;
  const failed = (reason: string): string => `"${command.hash}" Failed to buy gas: ${reason}`;
  if (sizeGasOf(command) > gasLimit)
    return `"${command.hash}" Failed to purchas gas: tx too big for gas limit`;
  const authority = new Authority(command.signers);
  if (authority.gasPayers > 1) return failed('Multiple gas payer capabilities');
  const total = BigInt(Math.max(0, gasLimit)) * (unitsOf(gasPrice) ?? 0n);
  if (total <= 0n) return failed('gas supply must be a positive quantity');
  const account = draft.account(sender);
  if (account === undefined) return failed(`No value found in table coin_coin-table for key: ${sender}`);
  const { balance, guard } = account;
  if (!authority.satisfies(guard, { name: 'coin.GAS' })) {
    const keys = guard.keys.map((key) => `${key.slice(0, SHOWN_OF_A_KEY)}...`).join(', ');
    return failed(`Keyset failure (${guard.pred}): [${keys}]`);
  }
  if (total > balance) return failed('Insufficient funds');
  draft.set(sender, { balance: balance - total, guard });
  return undefined;
}

type Ran =
  | { readonly gas: number; readonly data: Value; readonly events: readonly Event[] }
  | { readonly gas: number; readonly failure: Failure };

/** Runs the code alone; after a failure all gas is used, and what is in the draft is void. */
export function runCode(command: Command, draft: Draft, firstGas = 0): Ran {
  const { gasLimit } = command.meta;
  let gas = 0;
  const charge = (more: number): void => {
    gas += more;
    if (gas > gasLimit) throw new PactError('EvalError', `Gas limit "${gasLimit}"exceeded: ${gas}`, true);
  };
  try {
    charge(sizeGasOf(command) + firstGas);
    const contract = new CoinContract(draft, new Authority(command.signers));
    const scope: Scope = { contract, data: command.data, charge };
    const data = evaluateAll(nodesOf(command), scope);
    charge(Math.ceil(valueJson(data).length / CHARACTERS_A_GAS));
    return { data, gas, events: contract.events };
  } catch (error) {
    if (error instanceof TooLongError)
      return { gas: gasLimit, failure: { type: 'EvalError', message: error.message } };
    if (!(error instanceof PactError)) throw error;
    return { gas: gasLimit, failure: error.failure };
  }
}

function nodesOf({ code }: Command): ReturnType<typeof readCode> {
  if (code === undefined) throw new PactError('EvalError', NO_CONTINUATIONS);
  try {
    return readCode(code);
  } catch (error) {
    if (error instanceof SyntaxError) throw new PactError('SyntaxError', error.message);
    throw error;
  }
}

export const NO_CONTINUATIONS = 'contracts do not run on this node, and so none of their later steps';

const SIGNER_GAS = 21;
const STEP = 51_200n ** 7n;

/** Of the bytes alone: ceil(b / 100 + (b / 51200)^7), and for each signature. */
export function sizeGasOf({ cmd, sigs, signers }: Command): number {
  const ofSignatures = sigs.reduce((sum, sig) => sum + Buffer.byteLength(JSON.stringify({ sig })), 0);
  const bytes = BigInt(Buffer.byteLength(cmd) + ofSignatures);
  const scaled = (bytes * STEP) / 100n + bytes ** 7n;
  return Number((scaled + STEP - 1n) / STEP) + SIGNER_GAS * signers.length;
}
