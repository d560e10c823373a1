/** The key that a miner's webhook is signed by: made of a setting, so that it stands in no ledger and is the same on every bridge. */
import { createHmac } from 'node:crypto';

export function minerSecret(minersKey: string, account: string, url: string): string {
  return createHmac('sha256', minersKey).update(`webhook\n${account}\n${url}`).digest('hex');
}
