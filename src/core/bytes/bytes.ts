/**
 * Bytes as the ledger writes them: fixed-width little-endian integers, hex and unpadded Base64Url text.
 *
 * Parsers of text return `undefined` for what is not valid, because what a peer sends is an outcome, not a failure.
 */

const HEX = /^(?:[0-9a-fA-F]{2})*$/;
const BASE64URL = /^[a-zA-Z0-9_-]*$/;

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** Bytes of an even number of hex digits in either case; `undefined` for any other text. */
export function fromHex(text: string): Uint8Array | undefined {
  return HEX.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : undefined;
}

export function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/**
 * Bytes of unpadded Base64Url text; `undefined` for any other text. Only canonical text is taken (unused last bits
 * zero), so that two texts are equal exactly when their bytes are.
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!BASE64URL.test(text)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(text, 'base64url'));
  return toBase64Url(bytes) === text ? bytes : undefined;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function reversed(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes).reverse();
}

/** The unsigned integer that the bytes write, lowest byte first. */
export function readUintLittleEndian(bytes: Uint8Array): bigint {
  const view = viewOf(bytes);
  let value = 0n;
  let end = bytes.length;
  while (end % 8 !== 0) value = (value << 8n) | BigInt(view.getUint8(--end));
  for (; end > 0; end -= 8) value = (value << 64n) | view.getBigUint64(end - 8, true);
  return value;
}

/** `value` as `length` bytes, lowest first. Throws RangeError when it does not fit. */
export function writeUintLittleEndian(value: bigint, length: number): Uint8Array {
  const hex = value.toString(16).padStart(length * 2, '0');
  if (value < 0n || hex.length > length * 2) {
    throw new RangeError(`${value} does not fit in ${length} unsigned bytes`);
  }
  return Uint8Array.from(Buffer.from(hex, 'hex')).reverse();
}

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
