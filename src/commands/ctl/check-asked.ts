/** What is asked wrongly is told before anybody is asked, with the same words as the API has. */
import type { z } from 'zod';
import { ConfigError } from '../../config/layers/config-error.js';
import { flagName } from '../../config/names.js';
import { checkRequest } from '../../web/api/faults.js';

/** @param flags keys that are flags, and called so. Throws {@link ConfigError}. */
export function checkAsked(schema: z.ZodType | undefined, given: object, flags: readonly string[]): void {
  const { error } = schema ? checkRequest({ schema })(given) : {};
  if (!error) return;
  const message = error.message.replace(/^what was sent/, 'what is given');
  const [key = ''] = message.split(' ', 1);
  const rest = message.slice(key.length);
  throw new ConfigError([`${flags.includes(key) ? `--${flagName(key)}` : key}${rest}`]);
}
