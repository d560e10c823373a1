/** What is ordered of payments on chain. */
import { z } from 'zod';

const BODY = 'a JSON object';
const WHY = z.string('a text').min(1, 'a text that says why').max(500, 'a text of at most 500 characters');

export const APPROVAL = z.strictObject(
  {
    contentHash: z
      .string('a content hash')
      .regex(/^[0-9a-f]{64}$/, 'the content hash of the payout: 64 hex digits in small letters')
      .describe('of what was looked at: another content is not approved by it'),
  },
  BODY,
);
export const REASON = z.strictObject({ note: WHY }, BODY);
export const RESUMED = z.strictObject(
  {
    note: WHY,
    anyway: z
      .boolean('true or false')
      .default(false)
      .describe('although checks of money fail, or restored books were not compared with the chain'),
  },
  BODY,
);
const CHAIN = z
  .int('the number of a chain')
  .min(0, 'the number of a chain')
  .max(2 ** 31 - 1, 'the number of a chain')
  .optional()
  .describe('only there');
const ACCOUNT = z.string('the name of an account').min(1, 'the name of an account');
export const HELD = z.strictObject(
  {
    ...{ account: ACCOUNT, chainId: CHAIN, note: WHY },
    until: z.iso
      .datetime({ offset: true, error: 'a time such as 2026-11-22T15:26:37.123Z' })
      .optional()
      .describe('absent: until it is allowed'),
  },
  BODY,
);
export const ALLOWED = z.strictObject({ account: ACCOUNT, chainId: CHAIN, note: WHY }, BODY);

/** What is signed, as JSON in a text. */
export const WISH = z.strictObject({
  account: z.string(),
  minimum: z.string().max(40).nullable(),
  chain: z
    .int()
    .min(0)
    .max(2 ** 31 - 1)
    .nullable(),
  time: z.iso.datetime({ offset: true }),
});

const WISH_SAYS = 'a text of at most 1000 characters';
const SIGNATURE_SAYS = 'an Ed25519 signature of 128 hex digits';
export const WISHED = z.strictObject(
  {
    wish: z
      .string(WISH_SAYS)
      .max(1_000, WISH_SAYS)
      .describe(
        'as it was signed, to the byte: {"account":"k:…","minimum":"5","chain":3,"time":"2026-11-22T15:26:37Z"}; null for a minimum as everybody has, and for any chain',
      ),
    signature: z
      .string(SIGNATURE_SAYS)
      .regex(/^[0-9a-f]{128}$/i, SIGNATURE_SAYS)
      .describe('of that text in UTF-8, by the key of the account'),
  },
  BODY,
);
