/** A command with its signatures, as it is sent: `{"cmd":"…","hash":"…","sigs":[{"sig":"…"}]}`, a signature for each signer. */

import { fromHex, toBase64Url } from '../../core/bytes/bytes.js';
import type { SignedCommand } from '../command-models.js';
import { isSignatureOf, requestKeyBytes } from '../request-key.js';
import { isPublicKey } from './accounts.js';

/** Of one signer; null: not signed yet. */
export interface GivenSignature {
  readonly pubKey: string;
  /** 128 hex digits. */
  readonly sig: string | null;
}

export interface Signature {
  readonly pubKey: string;
  /** 128 small hex digits. */
  readonly sig: string;
}

/** `signatures` are good, and in the order of the signers. */
export type Signatures =
  | { readonly is: 'signed'; readonly signatures: readonly Signature[]; readonly envelope: SignedCommand }
  | { readonly is: 'partial'; readonly signatures: readonly Signature[]; readonly missing: readonly string[] }
  /** `why`: a sentence. */
  | { readonly is: 'bad'; readonly why: string };

const SIGNATURE = /^[0-9a-f]{128}$/;

/** Whether this key signed that command. */
export function isSignedBy(cmd: string, publicKey: string, sig: string): boolean {
  return isSignatureBy(requestKeyBytes(cmd), publicKey, sig);
}

function isSignatureBy(signed: Uint8Array, publicKey: string, sig: string): boolean {
  const [key, signature] = [fromHex(publicKey), fromHex(sig)];
  if (!isPublicKey(publicKey) || !SIGNATURE.test(sig) || !key || !signature) return false;
  return isSignatureOf(signature, signed, key);
}

/**
 * Checks what was signed, in whatever order it came. The envelope has it in the order of the signers.
 * @param signers of the command, in its order: all of them must sign, and nobody else.
 */
export function checkSignatures(
  cmd: string,
  signers: readonly string[],
  given: readonly GivenSignature[],
): Signatures {
  const found = new Map<string, string>();
  const signed = requestKeyBytes(cmd);
  for (const { pubKey, sig } of given) {
    if (!signers.includes(pubKey))
      return { is: 'bad', why: `key ${shown(pubKey)} is none of those that sign this command` };
    if (sig === null) continue;
    const small = sig.toLowerCase();
    if (!isSignatureBy(signed, pubKey, small))
      return { is: 'bad', why: `what key ${shown(pubKey)} gave is no signature of this command` };
    found.set(pubKey, small);
  }
  const signatures = signers.flatMap((pubKey) => {
    const sig = found.get(pubKey);
    return sig === undefined ? [] : [{ pubKey, sig }];
  });
  const missing = signers.filter((key) => !found.has(key));
  if (missing.length > 0) return { is: 'partial', signatures, missing };
  const sigs = signatures.map(({ sig }) => ({ sig }));
  return { is: 'signed', signatures, envelope: { cmd, hash: toBase64Url(signed), sigs } };
}

/** Of a name that somebody else gave. */
function shown(pubKey: string): string {
  return isPublicKey(pubKey) ? pubKey : JSON.stringify(pubKey.slice(0, 70));
}
