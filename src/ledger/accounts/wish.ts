/** How an account wishes to be paid: a text that its owner has signed. */
import { z } from 'zod';
import { type Amount, parseAmount } from '../../core/money/amount.js';

export interface AccountWish {
  readonly account: string;
  /** It is paid from this balance on; absent: as everybody. */
  readonly minimum: Amount | undefined;
  /** Absent: any. */
  readonly chainId: number | undefined;
  /** In the wish: only a later one, by a minute, changes it again. */
  readonly atMs: number;
}

/** Clocks of miners are not the best. A time far ahead would keep its owner from ever wishing again. */
const AHEAD_MS = 5 * 60_000;

const WISH = z.strictObject({
  account: z.string(),
  minimum: z.string().max(40).nullable(),
  chain: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .nullable(),
  time: z.iso.datetime({ offset: true }),
});

/** A sentence where it is none. */
export function readWish(text: string, account: string): AccountWish | string {
  const read = WISH.safeParse(parsed(text));
  if (!read.success) return `the wish is JSON such as ${EXAMPLE}`;
  const { minimum, chain, time } = read.data;
  if (read.data.account !== account) return `the wish is of another account than ${account}`;
  const atMs = Date.parse(time);
  if (atMs > Date.now() + AHEAD_MS) return `the time of the wish, ${time}, has not come yet`;
  const least = minimum === null ? undefined : parseAmount(minimum);
  if (minimum !== null && (least === undefined || least <= 0n))
    return 'the minimum of the wish is no amount above zero with up to 12 decimals';
  return { account, minimum: least, chainId: chain ?? undefined, atMs };
}

const EXAMPLE = '{"account":"k:…","minimum":"5","chain":3,"time":"2026-11-22T15:26:37Z"}';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
