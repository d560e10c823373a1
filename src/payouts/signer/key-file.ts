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
import { z } from 'zod';
import { requestKeyBytes } from '../../chain/request-key.js';
import { accountOfKey, isPublicKey } from '../../chain/transfers/accounts.js';
import { isSignedBy } from '../../chain/transfers/envelope.js';
import { KEY_BYTES, type SigningKey, signingKey } from '../../chain/transfers/signing-key.js';
import { writeDurably } from '../../files/write-durably.js';
import { JSON_TEXT } from './json-text.js';
import { bytesOfHex, hexBytesOf, SCRYPT, seal, unseal } from './key-bytes.js';
import { explained, openPrivate, writeNewPrivate } from './private-file.js';
import { SignerError } from './signer.js';

export interface KeyFacts {
  readonly publicKey: string;
  /** `k:` and that key. */
  readonly account: string;
  readonly hasPassphrase: boolean;
}

/** Asked only where one is needed; wiped after use. */
export type AskPassphrase = () => Promise<Buffer>;

const WHAT = 'the key file';
const LARGEST = 4096;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SHORTEST_PASSPHRASE = 8;

const HEAD = JSON_TEXT.pipe(
  z.object({ payoutsKey: z.literal(1), publicKey: z.string().refine(isPublicKey) }),
);
/** Small hex digits of so many bytes. */
const hexOf = (bytes: number) =>
  z.codec(z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`)), z.instanceof(Buffer), {
    decode: (digits) => Buffer.from(digits, 'hex'),
    encode: (bytes) => bytes.toString('hex'),
  });
/** More memory than a gigabyte no file may ask for. */
const MOST_MEMORY = 2 ** 30;
const SEALED = z.object({
  scrypt: z
    .object({
      n: z
        .int()
        .min(2)
        .refine((n) => Number.isInteger(Math.log2(n))),
      r: z.int().min(1),
      p: z.int().min(1).max(16),
      salt: hexOf(SALT_BYTES),
    })
    .refine(({ n, r }) => 128 * n * r <= MOST_MEMORY),
  aes256gcm: z.object({ iv: hexOf(IV_BYTES), tag: hexOf(TAG_BYTES), bytes: hexOf(KEY_BYTES) }),
});

/** Makes one. @param passphrase and seed are wiped. Throws {@link SignerError}; nothing is ever written over. */
export async function newKeyFile(
  path: string,
  passphrase?: Buffer,
  seed: Buffer = randomBytes(KEY_BYTES),
): Promise<KeyFacts> {
  const content = await written(seed, passphrase);
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
): Promise<KeyFacts> {
  const file = await read(path);
  const seed = await seedOf(path, file, ask);
  // Before anything is written: it is the key that the file names.
  keyOf(path, file.facts, Buffer.from(seed));
  const content = await written(seed, next);
  try {
    await writeDurably(path, content);
  } catch (error) {
    throw explained(error, path, WHAT);
  } finally {
    wipe(content, seed, next);
  }
  return (await read(path)).facts;
}

type KeyFile = { readonly facts: KeyFacts } & (
  | { readonly seed: Buffer; readonly sealed?: never }
  | { readonly sealed: z.output<typeof SEALED>; readonly seed?: never }
);

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
  if (!ask) throw new SignerError('needs-passphrase', `${WHAT} ${path} needs its passphrase`);
  const passphrase = await ask();
  const { scrypt, aes256gcm: box } = sealed;
  const opened = await unseal(box, passphrase, { ...scrypt, about: aboutOf(facts.publicKey) });
  wipe(passphrase);
  if (opened) return opened;
  throw new SignerError('bad-passphrase', `${WHAT} ${path} has another passphrase`);
}

const aboutOf = (publicKey: string): Buffer => Buffer.from(`payoutsKey 1 ${publicKey}`);

async function written(seed: Buffer, passphrase: Buffer | undefined): Promise<Buffer> {
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
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)];
  const aes256gcm = await seal(seed, passphrase, { salt, iv, about: aboutOf(publicKey) });
  const parts = SEALED.encode({ scrypt: { ...SCRYPT, salt }, aes256gcm });
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
  const text = content.toString('utf8');
  const { data: head } = HEAD.safeParse(text);
  if (!head) throw unreadable(path, 'is no key file of this version, or names no public key');
  const { publicKey } = head;
  const facts = { publicKey, account: accountOfKey(publicKey), hasPassphrase: !seed };
  if (seed) return { facts, seed };
  const { data: sealed } = JSON_TEXT.pipe(SEALED).safeParse(text);
  if (!sealed) throw unreadable(path, 'holds no key');
  return { facts, sealed };
}
