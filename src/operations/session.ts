/** Who asks: signing in at the page and out of it, and links that sign in. */
import { z } from 'zod';
import { TIME } from './entry/fields.js';
import { type Operation, orderOf } from './entry/operation.js';
import { ACCESS } from './enums.js';

const TAG = 'state';
const PATH = '/api/v1/session';

const STANDING = z
  .object({
    standing: z
      .enum(ACCESS)
      .describe(
        'anonymous: by no token; miner: the same where web.public is set; read, operate, approve, admin: as the token, or by a link, which has admin',
      ),
  })
  .meta({ id: 'Standing' });

export const standing = {
  tag: TAG,
  summary: 'By what you ask',
  description: 'A token that is none of this bridge gets 401',
  path: '/api/v1/standing',
  access: 'anonymous',
  output: STANDING,
} satisfies Operation;

export const signIn = orderOf({
  tag: TAG,
  access: 'anonymous',
  summary: 'Signs in with a link or a token: the answer sets a cookie for pages of this bridge',
  description: 'The cookie stands for what signed in, for 30 days. A link signs in once',
  method: 'POST',
  path: PATH,
  // What is sent is short: who has sent it is nobody yet.
  bodyLimit: 4_096,
  body: z.union([
    z.strictObject({ link: z.string().describe('what a link of `stratum-bridge web` has behind `#link=`') }),
    z.strictObject({ token: z.string() }),
  ]),
  output: z
    .object({ ...STANDING.shape, until: TIME.describe('then the cookie ends') })
    .meta({ id: 'SignedIn' }),
});

export const signOut = orderOf({
  tag: TAG,
  access: 'anonymous',
  summary: 'Signs out: takes the cookie away',
  method: 'DELETE',
  path: PATH,
  output: STANDING,
});

export const makeLink = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Makes a link that opens the page and signs in, once, within an hour',
  description: 'Another bridge, or this one after a restart, does not know it',
  method: 'POST',
  path: '/api/v1/links',
  output: z
    .object({
      url: z.string().describe('opens the page; it is a secret'),
      until: TIME,
      isForHere: z.boolean().describe('it leads to the machine of the bridge, as web.url is not set'),
    })
    .meta({ id: 'Link' }),
});
