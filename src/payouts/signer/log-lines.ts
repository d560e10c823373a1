/** The lines of a signer log: written, and read in bounded memory; none is believed whose hash is another. */
import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { parseAmount } from '../../core/money/amount.js';
import { readNonce } from '../command/nonce.js';
import { JSON_TEXT } from './json-text.js';
import { SignedBook } from './signed-book.js';
import { SignerError } from './signer.js';

const HEAD = z.object({ signerLog: z.literal(2), key: z.string(), atMs: z.number() });
const SIGNED = z.object({
  signed: z.string(),
  nonce: z.string().transform((text, context) => readNonce(text) ?? refused(context)),
  chain: z.number(),
  amount: z.string().transform((text, context) => parseAmount(text) ?? refused(context)),
  atMs: z.number(),
});
const DEAD = z.object({ dead: z.string(), evidence: z.string(), atMs: z.number() });
/** What has its hash was written by this program; its form is checked all the same. */
const HEAD_TEXT = JSON_TEXT.pipe(HEAD);
const LINE_TEXT = JSON_TEXT.pipe(z.union([SIGNED, DEAD]));

export type LogLine = z.input<typeof HEAD | typeof SIGNED | typeof DEAD>;

function refused(context: z.RefinementCtx): never {
  context.addIssue('is none');
  return z.NEVER;
}

const LONGEST_LINE = 8192;
const SUM_DIGITS = 16;

/** Of this line and, by the one before, of all before it. */
function sumOf(before: string, text: string): string {
  return hash('sha256', `${before}${text}`, 'hex').slice(0, SUM_DIGITS);
}

/** Lines as they follow on one whose hash is `sum`, and the hash of the last. */
export function linesAfter(
  sum: string,
  lines: readonly LogLine[],
): { readonly bytes: Buffer; readonly sum: string } {
  let last = sum;
  const written = lines.map((line) => {
    const text = JSON.stringify(line);
    last = sumOf(last, text);
    return `${text} ${last}\n`;
  });
  return { bytes: Buffer.from(written.join('')), sum: last };
}

export interface ReadLog {
  readonly book: SignedBook;
  /** Of the last line. */
  readonly sum: string;
  /** Up to where it counts; behind that a torn line may stand. */
  readonly bytes: number;
  readonly isTorn: boolean;
}

/** Throws {@link SignerError} `bad-file` for any damage but a torn last line. */
export async function readLog(file: FileHandle, path: string, publicKey: string): Promise<ReadLog> {
  const book = new SignedBook();
  let [sum, bytes, number, rest] = ['', 0, 0, Buffer.alloc(0)];
  const refuse = (why: string): never => {
    const advice = 'Nothing is signed with it: find out what was signed since its last copy';
    throw new SignerError('bad-file', `the signer log ${path} is damaged: line ${number} ${why}. ${advice}`);
  };
  const take = (line: string): void => {
    number++;
    const text = line.slice(0, -SUM_DIGITS - 1);
    sum = sumOf(sum, text);
    if (line !== `${text} ${sum}`) refuse('is not as it was written, or one before it is gone');
    const fault = number === 1 ? headFault(text, publicKey) : noteLine(text, book);
    if (fault !== undefined) refuse(fault);
  };
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false })) {
    const data = Buffer.concat([rest, chunk as Buffer]);
    let from = 0;
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, from)) {
      take(data.toString('utf8', from, end));
      from = end + 1;
    }
    bytes += from;
    rest = data.subarray(from);
    if (rest.length > LONGEST_LINE) refuse('is too long');
  }
  if (number === 0) refuse('does not say what this is');
  return { book, sum, bytes, isTorn: rest.length > 0 };
}

function headFault(text: string, publicKey: string): string | undefined {
  const { data } = HEAD_TEXT.safeParse(text);
  if (!data) return 'does not say that this is a signer log of this version';
  return data.key === publicKey ? undefined : `is of another key (${data.key.slice(0, 64)})`;
}

function noteLine(text: string, book: SignedBook): string | undefined {
  const { data } = LINE_TEXT.safeParse(text);
  if (!data) return 'says nothing that is known';
  if ('signed' in data)
    return void book.note({ ...data.nonce, requestKey: data.signed, amount: data.amount }, data.atMs);
  if (!book.isLive(data.dead)) return 'marks a command dead that is not signed and alive';
  return void book.noteDead(data.dead);
}
