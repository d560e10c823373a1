/** How an account wishes to be paid: by whoever has its key. */
import { z } from 'zod';
import type { AccountWish, PayerDesk } from '../../../../bridge/orders/payer-desk.js';
import { parseAmount } from '../../../../core/money/amount.js';
import { FAULT, nameOf } from '../../../../operations/entry/fields.js';
import { isSignedByOwner } from '../../../access/owner-signature.js';
import { WISH, WISHED } from '../../schemas/payer-schemas.js';
import { carriedOut } from '../../serve.js';
import type { Api } from '../../typed.js';

const FAULTS = { 400: FAULT, 401: FAULT, 403: FAULT, 404: FAULT, 409: FAULT, 429: FAULT, 503: FAULT };
/** Clocks of miners are not the best. A time far ahead would keep its owner from ever wishing again. */
const AHEAD_MS = 5 * 60_000;

export function addWishes(api: Api, desk: PayerDesk | undefined): void {
  const schema = {
    tags: ['orders'],
    summary: 'Says from which balance on, and on which chain, an account wishes to be paid',
    description:
      'For the owner of a k: account, who signs the text with its key (`stratum-bridge keygen wish` does). The time in it is later than that of the last wish, by a minute',
    params: z.object({ account: nameOf('account').min(1, 'the name of an account') }),
    body: WISHED,
    response: { 200: z.object({ wished: z.literal(true) }), ...FAULTS },
  };
  api.post(
    '/api/v1/accounts/:account/wish',
    { config: { access: 'anonymous' }, schema },
    async ({ params: { account }, body: { wish, signature } }, reply) => {
      const isSigned = isSignedByOwner(account, wish, signature);
      if (isSigned === undefined)
        return reply.code(403).send({ error: 'only an account of k: and its public key can sign' });
      if (!isSigned) return reply.code(401).send({ error: `the signature is none of the key of ${account}` });
      const read = wishIn(wish, account);
      if (typeof read === 'string') return reply.code(400).send({ error: read });
      carriedOut(await desk?.wish(read));
      return { wished: true as const };
    },
  );
}

/** A sentence where it is none. */
function wishIn(text: string, account: string): AccountWish | string {
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
