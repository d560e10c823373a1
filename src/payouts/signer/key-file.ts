/**
 * The key file: a line of JSON, 0600, of the user that signs.
 *
 *     {"payoutsKey":1,"publicKey":"<64 hex>","secretKey":"<64 hex>"}
 *     {"payoutsKey":1,"publicKey":"<64 hex>","scrypt":{"n":131072,"r":8,"p":1,"salt":"<32 hex>"},
 *      "aes256gcm":{"iv":"<24 hex>","tag":"<32 hex>","bytes":"<64 hex>"}}
 *
 * The public key stands open and is bound to what is sealed.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { requestKeyBytes } from '../../chain/request-key.js';
import { accountOfKey, isPublicKey } from '../command/accounts.js';
import { isSignedBy } from '../command/envelope.js';
import {
  bytesOfHex,
  hexBytesOf,
  KEY_BYTES,
  SCRYPT,
  type Scrypt,
  type Sealed,
  type SigningKey,
  seal,
  signingKey,
  unseal,
} from './key-bytes.js';
import { explained, openPrivate, replacePrivate, writeNewPrivate } from './private-file.js';
import { SignerError } from './signer.js';

export interface KeyFacts {
  readonly publicKey: string;
  /** `k:` and that key. */
  readonly account: string;
  readonly hasPassphrase: boolean;
}

/** Asked only where one is needed; wiped after use. */
export type AskPassphrase = () => Promise<Buffer>;
/** Bytes by chance; a parameter for tests. */
type Random = (count: number) => Buffer;

const WHAT = 'the key file';
const LARGEST = 4096;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const SHORTEST_PASSPHRASE = 8;

/** Makes one, of a new key. @param passphrase is wiped. Throws {@link SignerError}; nothing is ever written over. */
export async function newKeyFile(
  path: string,
  passphrase?: Buffer,
  random: Random = randomBytes,
): Promise<KeyFacts> {
  const seed = random(KEY_BYTES);
  const content = await written(seed, passphrase, random);
  try {
    await writeNewPrivate(path, content, WHAT);
  } finally {
    wipe(content, seed, passphrase);
  }
  return (await read(path)).facts;
}

/** Opens the key. Throws {@link SignerError}, whose words hold nothing of the file's content. */
export async function openKeyFile(path: string, ask?: AskPassphrase): Promise<SigningKey> {
  const file = await read(path);
  return keyOf(path, file.facts, await seedOf(path, file, ask));
}

/** What the file says of itself, without opening what is sealed. */
export async function keyFacts(path: string): Promise<KeyFacts> {
  const { facts, seed } = await read(path);
  wipe(seed);
  return facts;
}

/** Opens it, and signs something with it. */
export async function checkKeyFile(path: string, ask?: AskPassphrase): Promise<KeyFacts> {
  const facts = await keyFacts(path);
  const key = await openKeyFile(path, ask);
  const text = 'a trial of the key file';
  if (!isSignedBy(text, facts.publicKey, key.sign(requestKeyBytes(text))))
    throw new SignerError('bad-file', `${WHAT} ${path} signs with another key than it names`);
  return facts;
}

/** @param next the new one, wiped; without it the key stands open from now on. */
export async function changePassphrase(
  path: string,
  ask: AskPassphrase | undefined,
  next: Buffer | undefined,
  random: Random = randomBytes,
): Promise<KeyFacts> {
  const file = await read(path);
  const seed = await seedOf(path, file, ask);
  // Before anything is written: it is the key that the file names.
  keyOf(path, file.facts, Buffer.from(seed));
  const content = await written(seed, next, random);
  try {
    await replacePrivate(path, content, WHAT);
  } finally {
    wipe(content, seed, next);
  }
  return (await read(path)).facts;
}

interface KeyFile {
  readonly facts: KeyFacts;
  /** Where it stands open. */
  readonly seed: Buffer | undefined;
  readonly sealed: { readonly box: Sealed; readonly salt: Buffer; readonly cost: Scrypt } | undefined;
}

function wipe(...all: readonly (Buffer | undefined)[]): void {
  for (const one of all) one?.fill(0);
}

function keyOf(path: string, { publicKey }: KeyFacts, seed: Buffer): SigningKey {
  const key = signingKey(seed);
  if (key.publicKey === publicKey) return key;
  throw new SignerError('bad-file', `${WHAT} ${path} holds another key than it names`);
}

async function seedOf(path: string, { facts, seed, sealed }: KeyFile, ask?: AskPassphrase): Promise<Buffer> {
  if (seed) return seed;
  if (!sealed) throw unreadable(path, 'holds no key');
  if (!ask) throw new SignerError('needs-passphrase', `${WHAT} ${path} needs its passphrase`);
  const passphrase = await ask();
  const { box, salt, cost } = sealed;
  const opened = await unseal(box, passphrase, { salt, cost, about: aboutOf(facts.publicKey) });
  wipe(passphrase);
  if (opened) return opened;
  throw new SignerError('bad-passphrase', `${WHAT} ${path} has another passphrase`);
}

const aboutOf = (publicKey: string): Buffer => Buffer.from(`payoutsKey 1 ${publicKey}`);

async function written(seed: Buffer, passphrase: Buffer | undefined, random: Random): Promise<Buffer> {
  const { publicKey } = signingKey(Buffer.from(seed));
  const head = `{"payoutsKey":1,"publicKey":"${publicKey}",`;
  if (!passphrase) {
    const secret = hexBytesOf(seed);
    const content = Buffer.concat([Buffer.from(`${head}"secretKey":"`), secret, Buffer.from('"}\n')]);
    wipe(secret);
    return content;
  }
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new SignerError('bad-passphrase', `a passphrase has at least ${SHORTEST_PASSPHRASE} bytes`);
  const [salt, iv] = [random(SALT_BYTES), random(IV_BYTES)];
  const { tag, bytes } = await seal(seed, passphrase, { salt, iv, about: aboutOf(publicKey) });
  const parts = {
    scrypt: { ...SCRYPT, salt: salt.toString('hex') },
    aes256gcm: { iv: iv.toString('hex'), tag: tag.toString('hex'), bytes: bytes.toString('hex') },
  };
  return Buffer.from(`${head}${JSON.stringify(parts).slice(1)}\n`);
}

/** The message of no other error is told: that of a JSON parser quotes what it read. */
const unreadable = (path: string, why: string): SignerError =>
  new SignerError('bad-file', `${WHAT} ${path} ${why}: it was not made by this program, or it was altered`);

async function read(path: string): Promise<KeyFile> {
  const file = await openPrivate(path, constants.O_RDONLY, WHAT);
  const content = Buffer.alloc(LARGEST + 1);
  try {
    const { bytesRead } = await file.read(content, 0, content.length, 0);
    if (bytesRead > LARGEST) throw unreadable(path, `has more than ${LARGEST} bytes`);
    return parse(path, content.subarray(0, bytesRead));
  } catch (error) {
    throw explained(error, path, WHAT);
  } finally {
    wipe(content);
    await file.close();
  }
}

const SECRET = Buffer.from('"secretKey":"');

/** The key itself is taken out before the rest becomes a text. */
function parse(path: string, content: Buffer): KeyFile {
  const found = content.indexOf(SECRET);
  const at = found + SECRET.length;
  const hex = found < 0 ? undefined : content.subarray(at, at + 2 * KEY_BYTES);
  const seed = hex && bytesOfHex(hex);
  if (hex && seed?.length !== KEY_BYTES) throw unreadable(path, 'holds no key of 64 hex digits');
  hex?.fill('0');
  const fields = fieldsOf(content.toString('utf8'));
  const { publicKey } = fields;
  if (fields['payoutsKey'] !== 1) throw unreadable(path, 'is no key file of this version');
  if (typeof publicKey !== 'string' || !isPublicKey(publicKey)) throw unreadable(path, 'names no public key');
  const sealed = seed ? undefined : sealedIn(fields);
  if (!seed && !sealed) throw unreadable(path, 'holds no key');
  return { facts: { publicKey, account: accountOfKey(publicKey), hasPassphrase: !seed }, seed, sealed };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(json: unknown): Fields {
  let value = json;
  try {
    if (typeof json === 'string') value = JSON.parse(json);
  } catch {
    return {};
  }
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** More memory than a gigabyte no file may ask for. */
const MOST_MEMORY = 2 ** 30;

function sealedIn(fields: Fields): KeyFile['sealed'] {
  const [kdf, box] = [fieldsOf(fields['scrypt'] ?? {}), fieldsOf(fields['aes256gcm'] ?? {})];
  const hex = (of: Fields, name: string, length: number): Buffer | undefined => {
    const text = of[name];
    const bytes = typeof text === 'string' ? bytesOfHex(Buffer.from(text)) : undefined;
    return bytes?.length === length ? bytes : undefined;
  };
  const [salt, iv, tag] = [hex(kdf, 'salt', SALT_BYTES), hex(box, 'iv', IV_BYTES), hex(box, 'tag', 16)];
  const bytes = hex(box, 'bytes', KEY_BYTES);
  const [n, r, p] = [kdf['n'], kdf['r'], kdf['p']].map(Number);
  if (!salt || !iv || !tag || !bytes || !isCost(n, r, p)) return undefined;
  return { salt, cost: { n: Number(n), r: Number(r), p: Number(p) }, box: { iv, tag, bytes } };
}

function isCost(n = 0, r = 0, p = 0): boolean {
  const areWhole = [n, r, p].every((one) => Number.isSafeInteger(one) && one > 0);
  return areWhole && Number.isInteger(Math.log2(n)) && n > 1 && p <= 16 && 128 * n * r <= MOST_MEMORY;
}
