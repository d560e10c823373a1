/** What signing in takes and gives. */
import { z } from 'zod';
import { ACCESS } from '../../../operations/enums.js';
import { TIME } from '../../../operations/fields.js';

const STANDINGS = z
  .enum(ACCESS)
  .describe(
    'anonymous: by no token; miner: the same where web.public is set; read, operate, approve, admin: as the token, or by a link, which has admin',
  );

export const STANDING = z.object({ standing: STANDINGS }).meta({ id: 'Standing' });

export const SIGN_IN = z.union([
  z.strictObject({ link: z.string().describe('what a link of `stratum-bridge web` has behind `#link=`') }),
  z.strictObject({ token: z.string() }),
]);

export const SIGNED_IN = z
  .object({ standing: STANDINGS, until: TIME.describe('then the cookie ends') })
  .meta({ id: 'SignedIn' });

export const LINK = z
  .object({
    url: z.string().describe('opens the page; it is a secret'),
    until: TIME,
    isForHere: z.boolean().describe('it leads to the machine of the bridge, as web.url is not set'),
  })
  .meta({ id: 'Link' });
