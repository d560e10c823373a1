/**
 * A self-signed certificate (X.509 version 3, ECDSA P-256, SHA-256), as DER is written by hand, because Node.js has no
 * call for it. Rigs that check certificates must be given this one; it protects the others from listeners all the same.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { groupsOf } from '../core/names/peer.js';

interface SelfSignedOptions {
  /** Names and addresses that rigs connect to; the first is the certificate's name. */
  readonly hosts: readonly string[];
  readonly nowMs: number;
  readonly days: number;
  /** 16 random bytes. */
  readonly serial: Uint8Array;
}

export interface CertificatePair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
}

const DAY_MS = 86_400_000;
const OID_ECDSA_SHA256 = '2a8648ce3d040302';
const OID_COMMON_NAME = '550403';
const OID_BASIC_CONSTRAINTS = '551d13';
const OID_SUBJECT_ALT_NAME = '551d11';

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  generalizedTime: 0x18,
  /** Context-specific: the version, the extensions, a DNS name and an IP address of the alternative names. */
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

export function makeSelfSigned(options: SelfSignedOptions): CertificatePair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const body = bodyOf(options, publicKey);
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, algorithm(), element(TAG.bitString, Buffer.of(0), signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function bodyOf({ hosts, nowMs, days, serial }: SelfSignedOptions, publicKey: KeyObject): Buffer {
  const name = nameOf(hosts[0] ?? 'stratum-bridge');
  // A first byte of 1 to 127 makes the number positive and free of leading zeros.
  const number = Buffer.concat([Buffer.of(1 + ((serial[0] ?? 0) % 0x7e)), serial.subarray(1)]);
  return sequence(
    element(TAG.version, element(TAG.integer, Buffer.of(2))),
    element(TAG.integer, number),
    algorithm(),
    name,
    sequence(timeOf(nowMs - DAY_MS), timeOf(nowMs + days * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(TAG.extensions, sequence(mayBeTrusted(), alternativeNames(hosts))),
  );
}

function algorithm(): Buffer {
  return sequence(oid(OID_ECDSA_SHA256));
}

function nameOf(text: string): Buffer {
  const attribute = sequence(oid(OID_COMMON_NAME), element(TAG.utf8, Buffer.from(text)));
  return sequence(element(TAG.set, attribute));
}

/** A certificate that is its own authority, so that a rig can be told to trust it. */
function mayBeTrusted(): Buffer {
  const yes = element(TAG.boolean, Buffer.of(0xff));
  return sequence(oid(OID_BASIC_CONSTRAINTS), yes, element(TAG.octetString, sequence(yes)));
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) => {
    const address = addressBytes(host);
    return address ? element(TAG.ipAddress, address) : element(TAG.dnsName, Buffer.from(host));
  });
  return sequence(oid(OID_SUBJECT_ALT_NAME), element(TAG.octetString, sequence(...names)));
}

function addressBytes(host: string): Buffer | undefined {
  if (isIPv4(host)) return Buffer.from(host.split('.').map(Number));
  return isIPv6(host)
    ? Buffer.from(groupsOf(host).flatMap((group) => [group >> 8, group & 0xff]))
    : undefined;
}

function timeOf(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return element(TAG.generalizedTime, Buffer.from(digits));
}

function oid(hex: string): Buffer {
  return element(TAG.oid, Buffer.from(hex, 'hex'));
}

function sequence(...content: readonly Uint8Array[]): Buffer {
  return element(TAG.sequence, ...content);
}

function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  if (length < 0x100) return Buffer.of(0x81, length);
  return Buffer.of(0x82, length >> 8, length & 0xff);
}
