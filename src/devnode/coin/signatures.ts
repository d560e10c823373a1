/** Whether a command is signed by whom it names. */
import { isSignatureOf, requestKeyBytes } from '../../chain/request-key.js';
import { bytesEqual, fromBase64Url, fromHex } from '../../core/bytes/bytes.js';
import type { Command, Signer } from './command.js';

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;

export function hasItsHash({ hash, cmd }: Command): boolean {
  const given = fromBase64Url(hash);
  return given !== undefined && bytesEqual(given, requestKeyBytes(cmd));
}

/** What is wrong with the signatures, in the words of real nodes; `undefined` if each is good. */
export function brokenSignature(command: Command): string | undefined {
  const { signers, sigs } = command;
  if (signers.length !== sigs.length) {
    return `The number of signers and signatures do not match. Number of signers: ${signers.length}. Number of signatures: ${sigs.length}.`;
  }
  const signed = requestKeyBytes(command.cmd);
  for (const [i, signer] of signers.entries()) {
    const why = brokenOne(signer, sigs[i] ?? '', signed);
    if (why !== undefined) return `The signature at position ${i} is invalid: ${why}.`;
  }
  return undefined;
}

function brokenOne(
  { publicKey, scheme, address }: Signer,
  sig: string,
  signed: Uint8Array,
): string | undefined {
  if (scheme !== 'ED25519') return `scheme of ${scheme} does not match signature type ED25519`;
  if (address !== undefined && address !== publicKey) return 'address does not match pubkey';
  const signature = fromHex(sig.toLowerCase());
  if (signature?.length !== SIGNATURE_BYTES) {
    return `failed to parse ed25519 signature: ${SIGNATURE_BYTES} bytes in hex are wanted, not ${sig.length} characters`;
  }
  const key = fromHex(publicKey);
  if (key?.length !== KEY_BYTES) {
    return `failed to parse ed25519 pubkey: ${KEY_BYTES} bytes in hex are wanted, not ${publicKey.length} characters`;
  }
  return isSignatureOf(signature, signed, key) ? undefined : 'invalid ed25519 signature';
}
