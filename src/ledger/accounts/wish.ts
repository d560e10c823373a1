/** How an account wishes to be paid: a text that its owner has signed. */
import { z } from 'zod';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { type Beneficiary, readBeneficiaries } from '../../core/money/beneficiaries.js';
import type { Refused } from '../../operations/entry/operation.js';
import { signedWords } from '../../operations/entry/signed-words.js';

export interface AccountWish {
  readonly account: string;
  /** The key of the pool that it is for: another one may not play it there. */
  readonly pool: string;
  /** It is paid from this balance on; absent: as everybody. */
  readonly minimum: Amount | undefined;
  /** Absent: any. */
  readonly chainId: number | undefined;
  /** Whom it passes parts of what it earns of blocks on to. */
  readonly beneficiaries: readonly Beneficiary[];
  /** In the wish: only a later one, by a minute, changes it again. */
  readonly atMs: number;
}

const WISH = z.strictObject({
  account: z.string(),
  pool: z.string().max(64),
  minimum: z.string().max(40).nullable(),
  chain: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .nullable(),
  beneficiaries: z.string().max(700).nullable(),
  time: z.iso.datetime({ offset: true }),
});

/** Of whoever has the key of the account. */
export function readWish(account: string, text: string, signature: string): AccountWish | Refused {
  const read = signedWords({ account, text, signature }, WISH, { what: 'the wish', example: EXAMPLE });
  if ('refused' in read) return read;
  const { pool, minimum, chain, time } = read;
  const beneficiaries = readBeneficiaries(read.beneficiaries ?? '', account);
  if (typeof beneficiaries === 'string') return { refused: 'unfit', why: beneficiaries };
  const least = minimum === null ? undefined : parseAmount(minimum);
  if (minimum !== null && (least === undefined || least <= 0n))
    return {
      refused: 'unfit',
      why: 'the minimum of the wish is no amount above zero with up to 12 decimals',
    };
  return {
    account,
    pool,
    minimum: least,
    chainId: chain ?? undefined,
    beneficiaries,
    atMs: Date.parse(time),
  };
}

const EXAMPLE =
  '{"account":"k:…","pool":"3f9a…","minimum":"5","chain":3,"beneficiaries":"k:…=12.5%","time":"2026-11-22T15:26:37Z"}';
