import { generateKeyPairSync } from 'node:crypto';
import { toHex } from '../../core/bytes/bytes.js';

export interface MinerKeys {
  /** `k:` and the public key. */
  readonly account: string;
  /** 64 hex digits. */
  readonly publicKey: string;
  /** 64 hex digits: the seed of RFC 8032. */
  readonly secretKey: string;
}

/** A new Ed25519 key pair. */
export function generateMinerKeys(): MinerKeys {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
  const publicKey = toHex(Buffer.from(x, 'base64url'));
  return { account: `k:${publicKey}`, publicKey, secretKey: toHex(Buffer.from(d, 'base64url')) };
}
