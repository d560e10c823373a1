/**
 * Reads a transfer of ours back from the text that is signed. A text counts only if these very facts would be written so, to
 * the byte: what is anywhere in it is then known and meant.
 */

import { type BuiltTransfer, buildTransfer, type Transfer } from '../../chain/transfers/transfer.js';
import { type Amount, amountLiteral, parseAmount } from '../../core/money/amount.js';
import { type Attempt, readNonce } from './nonce.js';

type ReadTransfer =
  | {
      readonly is: 'transfer';
      readonly transfer: Transfer;
      readonly attempt: Attempt;
      readonly requestKey: string;
    }
  /** `why`: a sentence that follows on "the command". */
  | { readonly is: 'other'; readonly why: string };

/** With sixteen keys it has some 7000 characters. */
export const LONGEST_COMMAND = 16 * 1024;

/** @param predicate of the payer's guard, which no command tells. */
export function readTransfer(cmd: string, predicate = 'keys-all'): ReadTransfer {
  if (cmd.length > LONGEST_COMMAND) return other(`has more than ${LONGEST_COMMAND} characters`);
  const transfer = factsOf(cmd, predicate);
  if (typeof transfer === 'string') return other(transfer);
  const attempt = readNonce(transfer.nonce);
  if (attempt === undefined) return other('has a nonce that is none of a bridge');
  const written = writtenAnew(transfer);
  if (written instanceof RangeError || written.cmd !== cmd) return other(whyNot(cmd, written));
  return { is: 'transfer', transfer, attempt, requestKey: written.requestKey };
}

const other = (why: string): ReadTransfer => ({ is: 'other', why });

/** What differs from what was expected, a sentence each; nothing where it is just that. */
export function checkTransfer(cmd: string, expected: Transfer): string[] {
  const read = readTransfer(cmd, expected.from.predicate);
  if (read.is === 'other') return [`the command ${read.why}`];
  const { transfer } = read;
  const facts = (of: Transfer): readonly (readonly [what: string, value: string])[] => [
    ['network', of.networkId],
    ['chain', String(of.chainId)],
    ['paying account', of.from.account],
    ['list of signing keys', of.from.publicKeys.join(', ')],
    ['paid account', of.to],
    ['amount', amountLiteral(of.amount)],
    ['creation time', String(of.creationTimeS)],
    ['time to live', String(of.ttlS)],
    ['gas limit', String(of.gasLimit)],
    ['gas price', amountLiteral(of.gasPrice)],
    ['nonce', of.nonce],
  ];
  const wanted = facts(expected);
  return facts(transfer).flatMap(([what, found], i) => {
    const wish = wanted[i]?.[1];
    return found === wish ? [] : [`the ${what} is ${found}, and ${wish} was expected`];
  });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Fields) : {};
}

const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};

const numberIn = (fields: Fields, name: string): number => {
  const value = fields[name];
  return typeof value === 'number' ? value : Number.NaN;
};

function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

/** What it says where each fact stands, and not yet whether nothing else is said; or what it has not. */
function factsOf(cmd: string, predicate: string): Transfer | string {
  const command = parsed(cmd);
  if (command === undefined) return 'is no JSON object';
  const meta = fieldsOf(command['meta']);
  const signers = listIn(command, 'signers').map(fieldsOf);
  const scope = listIn(signers[0] ?? {}, 'clist').map(fieldsOf);
  const granted = scope.filter((one) => textIn(one, 'name') === 'coin.TRANSFER');
  if (signers.length === 0) return 'has no signer';
  if (scope.length === 0) return 'is to be signed for everything: its signer has no scope';
  if (granted.length !== 1) return `is to be signed for ${granted.length} transfers, and not for one`;
  const [sender, to, decimal] = listIn(granted[0] ?? {}, 'args');
  const amount = amountOf(fieldsOf(decimal));
  if (typeof sender !== 'string' || typeof to !== 'string' || amount === undefined)
    return 'is to be signed for a transfer that does not name two accounts and an amount of at most 12 decimals';
  return {
    networkId: textIn(command, 'networkId'),
    chainId: chainOf(textIn(meta, 'chainId')),
    from: { account: sender, publicKeys: signers.map((one) => textIn(one, 'pubKey')), predicate },
    to,
    amount,
    creationTimeS: numberIn(meta, 'creationTime'),
    ttlS: numberIn(meta, 'ttl'),
    gasLimit: numberIn(meta, 'gasLimit'),
    gasPrice: priceOf(numberIn(meta, 'gasPrice')),
    nonce: textIn(command, 'nonce'),
  };
}

function parsed(cmd: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(cmd);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

const chainOf = (text: string): number => (/^\d{1,3}$/.test(text) ? Number(text) : -1);

function amountOf(value: Fields): Amount | undefined {
  return parseAmount(textIn(value, 'decimal'));
}

/** Twelve decimals of what is at most a coin: a double has them. Another number is not written again as it stood. */
function priceOf(price: number): Amount {
  return Math.abs(price) <= 1 ? (parseAmount(price.toFixed(12)) ?? 0n) : 0n;
}

/** Written anew; a sentence where it cannot be. */
function writtenAnew(transfer: Transfer): BuiltTransfer | RangeError {
  try {
    return buildTransfer(transfer);
  } catch (error) {
    if (error instanceof RangeError) return error;
    throw error;
  }
}

const EXCERPT = 40;

function whyNot(cmd: string, anew: BuiltTransfer | RangeError): string {
  if (anew instanceof RangeError) return `is no transfer: ${anew.message}`;
  const { cmd: written } = anew;
  let at = 0;
  while (cmd[at] === written[at]) at++;
  const excerpt = (text: string): string => JSON.stringify(text.slice(at, at + EXCERPT));
  return `is not one transfer in the form of this version: at character ${at + 1} it reads ${excerpt(cmd)}, and not ${excerpt(written)}`;
}
