/** Tokens that are shown over HTTP, by name. */
import { z } from 'zod';
import { ACCESS, TOKEN_ACCESS } from '../operations/enums.js';
import { mapOf } from './lists-and-maps.js';
import { NO_TEXT } from './words.js';

const NAME = /^[\w-]{1,40}$/;
const SECRET_SAYS =
  'has a secret that is none: 16 to 512 letters, digits and - . _ ~ + /, such as `openssl rand -hex 32` prints';

const token = z.strictObject(
  {
    access: z.enum(TOKEN_ACCESS, `has an access that is none of ${TOKEN_ACCESS.join(', ')}`),
    /** What may stand in a header as it is (RFC 6750, 2.1), and is too long to be guessed. */
    secret: z
      .string(NO_TEXT)
      .trim()
      .regex(/^[\w.~+/-]{16,512}=*$/, SECRET_SAYS),
  },
  'is no map with access and secret',
);

export const webTokens = mapOf(token).superRefine((tokens, context) => {
  const secrets = new Map<string, string>();
  for (const [name, { access, secret }] of Object.entries(tokens)) {
    const fault = faultOf(name, access, secrets.get(secret));
    if (fault !== undefined) context.addIssue(fault);
    secrets.set(secret, name);
  }
});

function faultOf(name: string, access: string, same: string | undefined): string | undefined {
  if (!NAME.test(name))
    return `has the name ${JSON.stringify(name)}: 1 to 40 letters, digits, - and _ are one`;
  // Those of the data directory are named so.
  if (ACCESS.some((each) => each === name && each !== access))
    return `has a token of the name ${name} whose access is ${access}: choose another name`;
  return same === undefined ? undefined : `has one secret for ${same} and ${name}: give each its own`;
}
