/** The lines of a signer log: written, and read in bounded memory; none is believed whose hash is another. */
import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { amountLiteral, parseAmount } from '../../core/money/amount.js';
import { readNonce } from '../command/nonce.js';
import { SignedBook, type Signing } from './signed-book.js';
import { SignerError } from './signer.js';

const LONGEST_LINE = 8192;
const LONGEST_EVIDENCE = 500;
const CHUNK = 64 * 1024;
const SUM_DIGITS = 16;

/** Of this line and, by the one before, of all before it. */
function sumOf(before: string, text: string): string {
  return hash('sha256', `${before}${text}`, 'hex').slice(0, SUM_DIGITS);
}

/** Lines as they follow on one whose hash is `sum`, and the hash of the last. */
export function linesAfter(
  sum: string,
  texts: readonly string[],
): { readonly bytes: Buffer; readonly sum: string } {
  let last = sum;
  const lines = texts.map((text) => {
    last = sumOf(last, text);
    return `${text} ${last}\n`;
  });
  return { bytes: Buffer.from(lines.join('')), sum: last };
}

export function headText(key: string, atMs: number, closed: ReadonlyMap<string, bigint> = new Map()): string {
  const through = Object.fromEntries([...closed].map(([ledgerId, number]) => [ledgerId, String(number)]));
  return JSON.stringify({ signerLog: 1, key, atMs, closed: through });
}

export function signedText(one: Signing, atMs: number): string {
  const { requestKey, ledgerId, paymentId, attempt, chainId, amount, creationTimeS, ttlS } = one;
  const of = { ledger: ledgerId, payment: paymentId, attempt, chain: chainId, amount: amountLiteral(amount) };
  return JSON.stringify({ signed: requestKey, ...of, created: creationTimeS, ttl: ttlS, atMs });
}

export function deadText(requestKey: string, evidence: string, atMs: number): string {
  return JSON.stringify({ dead: requestKey, evidence: evidence.slice(0, LONGEST_EVIDENCE), atMs });
}

interface ReadLog {
  readonly book: SignedBook;
  /** Of the last line. */
  readonly sum: string;
  /** Up to where it counts; behind that a torn line may stand. */
  readonly bytes: number;
  readonly size: number;
  /** Lines behind the head that are younger than asked for, as they stand there, without their hashes. */
  readonly young: readonly string[];
}

/**
 * @param youngFromMs from when on lines are wanted as they stand; without it none.
 * Throws {@link SignerError} `bad-file` for any damage but a torn last line.
 */
export async function readLog(
  file: FileHandle,
  path: string,
  publicKey: string,
  youngFromMs = Number.POSITIVE_INFINITY,
): Promise<ReadLog> {
  let [book, sum, bytes, number] = [new SignedBook(), '', 0, 0];
  const young: string[] = [];
  const signedYoung = new Set<string>();
  /** What is dead is told of as long as it is. */
  const isYoung = ({ is, requestKey, atMs }: Line): boolean => {
    if (is === 'signed' && atMs > youngFromMs) signedYoung.add(requestKey);
    return signedYoung.has(requestKey);
  };
  const refuse = (why: string): never => {
    const advice = 'Nothing is signed with it: find out what was signed since its last copy';
    throw new SignerError('bad-file', `the signer log ${path} is damaged: line ${number} ${why}. ${advice}`);
  };
  const take = (line: string, length: number): void => {
    number++;
    const text = line.slice(0, -SUM_DIGITS - 1);
    const own = sumOf(sum, text);
    if (line !== `${text} ${own}`) refuse('is not as it was written, or one before it is gone');
    if (number === 1) book = readHead(text, publicKey, refuse);
    else if (isYoung(readLine(text, book, refuse))) young.push(text);
    sum = own;
    bytes += length;
  };
  const size = await eachLine(file, take, refuse);
  if (number === 0) refuse('does not say what this is');
  return { book, sum, bytes, size, young };
}

type Refuse = (why: string) => never;

interface Line {
  readonly is: 'signed' | 'dead';
  readonly requestKey: string;
  readonly atMs: number;
}

/** Calls with each line that is ended, and with its length in bytes; resolves with that of the file. */
async function eachLine(
  file: FileHandle,
  take: (line: string, bytes: number) => void,
  refuse: Refuse,
): Promise<number> {
  const chunk = Buffer.alloc(CHUNK);
  let [rest, position] = [Buffer.alloc(0), 0];
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return position;
    position += bytesRead;
    const data = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    let from = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, from)) {
      take(data.toString('utf8', from, end), end + 1 - from);
      from = end + 1;
    }
    rest = Buffer.from(data.subarray(from));
    if (rest.length > LONGEST_LINE) refuse('is too long');
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** What has its hash was written by this program; its form is checked all the same. */
function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

function readHead(text: string, publicKey: string, refuse: Refuse): SignedBook {
  const { signerLog, key, closed } = fieldsOf(text);
  if (signerLog !== 1) refuse('does not say that this is a signer log of this version');
  if (key !== publicKey) refuse(`is of another key (${String(key).slice(0, 64)})`);
  const through = Object.entries((closed ?? {}) as Fields).map(([ledgerId, number]): [string, bigint] => {
    if (typeof number !== 'string' || !/^\d{1,19}$/.test(number))
      return refuse('closes no number of a payment');
    return [ledgerId, BigInt(number)];
  });
  return new SignedBook(new Map(through));
}

function readLine(text: string, book: SignedBook, refuse: Refuse): Line {
  const {
    signed,
    dead,
    ledger,
    payment,
    attempt,
    chain,
    amount: written,
    created,
    ttl,
    atMs,
  } = fieldsOf(text);
  if (typeof atMs !== 'number') return refuse('has no time');
  if (typeof dead === 'string') {
    if (!book.isLive(dead)) refuse('marks a command dead that is not signed and alive');
    book.noteDead(dead);
    return { is: 'dead', requestKey: dead, atMs };
  }
  const named = readNonce(`sb1:${ledger}:${payment}:${attempt}`);
  const amount = typeof written === 'string' ? parseAmount(written) : undefined;
  const isWhole = typeof chain === 'number' && typeof created === 'number' && typeof ttl === 'number';
  if (typeof signed !== 'string' || !named || amount === undefined || !isWhole)
    return refuse('says nothing that is known');
  const time = { creationTimeS: created, ttlS: ttl };
  book.note({ ...named, requestKey: signed, chainId: chain, amount, ...time }, atMs);
  return { is: 'signed', requestKey: signed, atMs };
}
