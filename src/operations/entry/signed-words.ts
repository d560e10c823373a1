/** What the owner of an account has signed: JSON that names the account, and when he did. */
import type { z } from 'zod';
import { isSignedByOwner } from '../../core/names/owner-signature.js';
import type { Refused } from './operation.js';

/** Clocks of miners are not the best. A time far ahead would be good for as long. */
const AHEAD_MS = 5 * 60_000;

interface SignedText {
  readonly account: string;
  /** To the byte. */
  readonly text: string;
  /** As hex. */
  readonly signature: string;
}

/** @param what it is called where it is refused. @param example for whoever wrote another one. */
export function signedWords<T extends { readonly account: string; readonly time: string }>(
  { account, text, signature }: SignedText,
  shape: z.ZodType<T>,
  { what, example }: { readonly what: string; readonly example: string },
): T | Refused {
  const isSigned = isSignedByOwner(account, text, signature);
  if (isSigned === undefined)
    return { refused: 'forbidden', why: 'only an account of k: and its public key can sign' };
  if (!isSigned) return { refused: 'forbidden', why: `the signature is none of the key of ${account}` };
  const read = shape.safeParse(parsed(text));
  if (!read.success) return unfit(`${what} is JSON such as ${example}`);
  const { account: named, time } = read.data;
  if (named !== account) return unfit(`${what} is of another account than ${account}`);
  if (Date.parse(time) > Date.now() + AHEAD_MS)
    return unfit(`the time of ${what}, ${time}, has not come yet`);
  return read.data;
}

function unfit(why: string): Refused {
  return { refused: 'unfit', why };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
