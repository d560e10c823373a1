/** The signature of a miner, made with the secret key of his account as `keygen` prints it. */
import { privateKeyOf, signText as sign } from '../../../src/core/bytes/ed25519.js';

/** As hex. */
export function signText(secretKey: string, text: string): string {
  return sign(text, privateKeyOf(secretKey));
}
