/** What signing in takes and gives. */
import { z } from 'zod';
import { TIME } from '../../../operations/entry/fields.js';
import { STANDING } from '../../../operations/state.js';

export const SIGN_IN = z.union([
  z.strictObject({ link: z.string().describe('what a link of `stratum-bridge web` has behind `#link=`') }),
  z.strictObject({ token: z.string() }),
]);

export const SIGNED_IN = z
  .object({ ...STANDING.shape, until: TIME.describe('then the cookie ends') })
  .meta({ id: 'SignedIn' });

export const LINK = z
  .object({
    url: z.string().describe('opens the page; it is a secret'),
    until: TIME,
    isForHere: z.boolean().describe('it leads to the machine of the bridge, as web.url is not set'),
  })
  .meta({ id: 'Link' });
