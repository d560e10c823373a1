/** Ed25519 keys of 32 bytes, and how they are kept out of texts: a text cannot be wiped, and stays in memory for as long as it likes. */
import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';

const DIGITS = Buffer.from('0123456789abcdef');

/** Hex digits as bytes, and never as a text. */
export function hexBytesOf(bytes: Buffer): Buffer {
  const hex = Buffer.alloc(bytes.length * 2);
  for (const [i, byte] of bytes.entries()) {
    hex[2 * i] = DIGITS[byte >> 4] ?? 0;
    hex[2 * i + 1] = DIGITS[byte & 15] ?? 0;
  }
  return hex;
}

/** `undefined` for other than an even number of small hex digits. */
export function bytesOfHex(hex: Buffer): Buffer | undefined {
  const bytes = Buffer.alloc(hex.length >> 1);
  for (let i = 0; i < hex.length; i++) {
    const digit = DIGITS.indexOf(hex[i] ?? 0);
    if (digit < 0 || hex.length % 2 !== 0) return undefined;
    bytes[i >> 1] = ((bytes[i >> 1] ?? 0) << 4) | digit;
  }
  return bytes;
}

/** How a passphrase becomes a key: 128 * n * r bytes of memory. */
interface Scrypt {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

export const SCRYPT: Scrypt = { n: 2 ** 17, r: 8, p: 1 };

interface Sealed {
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly bytes: Buffer;
}

/** @param about stands open, and cannot be another when it is opened. */
export async function seal(
  seed: Buffer,
  passphrase: Buffer,
  { salt, iv, about }: { readonly salt: Buffer; readonly iv: Buffer; readonly about: Buffer },
): Promise<Sealed> {
  const key = await stretched(passphrase, salt, SCRYPT);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(about);
  const bytes = Buffer.concat([cipher.update(seed), cipher.final()]);
  key.fill(0);
  return { iv, tag: cipher.getAuthTag(), bytes };
}

/** `undefined` where the passphrase is another. */
export async function unseal(
  { iv, tag, bytes }: Sealed,
  passphrase: Buffer,
  { salt, about, ...cost }: Scrypt & { readonly salt: Buffer; readonly about: Buffer },
): Promise<Buffer | undefined> {
  const key = await stretched(passphrase, salt, cost);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
    .setAAD(about)
    .setAuthTag(tag);
  const open = decipher.update(bytes);
  key.fill(0);
  try {
    decipher.final();
    return open;
  } catch {
    // The one thing that final() says: the tag is another.
    open.fill(0);
    return undefined;
  }
}

function stretched(passphrase: Buffer, salt: Buffer, { n, r, p }: Scrypt): Promise<Buffer> {
  const maxmem = 128 * r * (n + p + 2);
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, 32, { N: n, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
