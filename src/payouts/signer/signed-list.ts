/** What a signer's log holds, as a program that signs is asked for it and tells it: a page a question. */
import { amountLiteral, parseAmount } from '../../core/money/amount.js';
import { readNonce } from '../command/nonce.js';
import type { SignedBefore } from './signer.js';

export interface AskedPage {
  readonly ledgers: readonly string[];
  /** So many stand on pages before. */
  readonly from: number;
}

export interface SignedPage {
  readonly list: readonly SignedBefore[];
  /** Where the next page begins; `undefined`: there is none. */
  readonly next: number | undefined;
}

/** Two or three MB. */
const A_PAGE = 10_000;
const MOST_LEDGERS = 1_000;
const LARGEST_ID = 2n ** 63n - 1n;

type Fields = Readonly<Record<string, unknown>>;

export function pageOf(all: readonly SignedBefore[], { from }: AskedPage): SignedPage {
  const next = from + A_PAGE;
  return { list: all.slice(from, next), next: next < all.length ? next : undefined };
}

/** `undefined` for what is none. */
export function readAskedPage(json: unknown): AskedPage | undefined {
  const { ledgers, from } = fieldsOf(json);
  if (!Array.isArray(ledgers) || ledgers.length > MOST_LEDGERS) return undefined;
  const isGood =
    ledgers.every((id) => typeof id === 'string') && Number.isSafeInteger(from) && Number(from) >= 0;
  return isGood ? { ledgers, from: Number(from) } : undefined;
}

export function pageJson({ list, next }: SignedPage): object {
  return { list: list.map(signedJson), ...(next === undefined ? {} : { next }) };
}

/** `undefined` for what is none. */
export function readPage(json: unknown): SignedPage | undefined {
  const { list, next } = fieldsOf(json);
  if (!Array.isArray(list) || list.length > A_PAGE) return undefined;
  const read = list.map(readSigned);
  if (read.includes(undefined) || !(next === undefined || Number.isSafeInteger(next))) return undefined;
  return {
    list: read.filter((one) => one !== undefined),
    next: next === undefined ? undefined : Number(next),
  };
}

function signedJson(one: SignedBefore): object {
  const { requestKey, ledgerId, paymentId, attempt, chainId, amount, creationTimeS, ttlS } = one;
  const of = { ledger: ledgerId, payment: paymentId, attempt, chain: chainId, amount: amountLiteral(amount) };
  return { requestKey, ...of, created: creationTimeS, ttl: ttlS };
}

function readSigned(json: unknown): SignedBefore | undefined {
  const { requestKey, ledger, payment, attempt, chain, amount: written, created, ttl } = fieldsOf(json);
  const named = readNonce(`sb1:${ledger}:${payment}:${attempt}`);
  const amount = typeof written === 'string' ? parseAmount(written) : undefined;
  const numbers = [chain, created, ttl].map((value) => (Number.isSafeInteger(value) ? Number(value) : -1));
  const [chainId = -1, creationTimeS = -1, ttlS = -1] = numbers;
  if (typeof requestKey !== 'string' || !/^[\w-]{43}$/.test(requestKey)) return undefined;
  if (!named || BigInt(named.paymentId) > LARGEST_ID || amount === undefined || amount < 0n) return undefined;
  if (Math.min(chainId, creationTimeS, ttlS) < 0) return undefined;
  return { ...named, requestKey, chainId, amount, creationTimeS, ttlS };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
