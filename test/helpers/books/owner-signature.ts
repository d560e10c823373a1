/** The signature of a miner, made with the secret key of his account as `keygen` prints it. */
import { createPrivateKey, sign } from 'node:crypto';

/** What stands before the seed of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = '302e020100300506032b657004220420';

/** As hex. */
export function signText(secretKey: string, text: string): string {
  const key = createPrivateKey({
    key: Buffer.from(PKCS8_PREFIX + secretKey, 'hex'),
    format: 'der',
    type: 'pkcs8',
  });
  return sign(null, Buffer.from(text), key).toString('hex');
}
