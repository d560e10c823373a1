/**
 * Keys of miners' webhooks, made of a setting: they stand in no ledger and are the same on every bridge. By one a notice is signed, by
 * another the URL is sealed, which often holds a secret of the miner's: neither the ledger nor a dump shows it.
 */
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

export function minerSecret(minersKey: string, account: string, url: string): string {
  return derived(minersKey, `webhook\n${account}\n${url}`).toString('hex');
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The same for the same URL of an account, so that the ledger has each once: eight hex digits that tell one `minersKey` from another, a
 * dot, and as base64url nonce, sealed text and tag.
 */
export function sealedUrl(minersKey: string, account: string, url: string): string {
  const nonce = derived(minersKey, `webhook nonce\n${account}\n${url}`).subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(minersKey), nonce).setAAD(Buffer.from(account));
  const text = Buffer.concat([cipher.update(url, 'utf8'), cipher.final()]);
  const sealed = Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url');
  return `${nameOfKey(minersKey)}.${sealed}`;
}

/** `undefined` for what was sealed by another key, or for another account. */
export function openedUrl(minersKey: string, account: string, sealed: string): string | undefined {
  const [name, body = ''] = sealed.split('.');
  const bytes = Buffer.from(body, 'base64url');
  if (name !== nameOfKey(minersKey) || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const cipher = createDecipheriv(CIPHER, sealingKey(minersKey), nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(account))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([text, cipher.final()]).toString('utf8');
  } catch {
    return undefined; // it is not whole, or another account's
  }
}

function nameOfKey(minersKey: string): string {
  return derived(minersKey, 'webhook key name').toString('hex', 0, 4);
}

function sealingKey(minersKey: string): Buffer {
  return derived(minersKey, 'webhook seal');
}

function derived(minersKey: string, what: string): Buffer {
  return createHmac('sha256', minersKey).update(what).digest();
}
