/**
 * Secrets that no setting gives: of the web, and of the pool. They are in files of the data directory for its owner alone to read:
 *
 *     <dataDir>/web-admin-token    43 letters and digits of 32 random bytes; made at the first start
 *     <dataDir>/web-read-token     the same; made by `stratum-bridge web token read`
 *     <dataDir>/web-session-key    a private key of Ed25519 (PKCS #8, PEM), which signs sessions; made at the first start
 *     <dataDir>/pool-key           the same, which signs the roots that miners check splits by (src/core/audit)
 */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandError } from '../cli/line/command.js';
import type { Log } from '../core/names/log.js';
import { makeFolder } from '../files/make-folder.js';
import { writeDurably } from '../files/write-durably.js';
import { concerning } from './failures.js';

/** As they are named in what anonymous users are told, without their folder. */
const FILES = { admin: 'web-admin-token', read: 'web-read-token' } as const;
const SESSION_KEY = 'web-session-key';
const POOL_KEY = 'pool-key';
/** As the setting takes it: what may stand in a header, and cannot be guessed. */
const TOKEN = /^[\w.~+/-]{16,512}=*$/;
const OTHERS_MAY = 0o077;

/** Rejects with {@link CommandError} where the file is there and holds no token, or cannot be read or made. */
export async function adminTokenIn(dataDir: string, log: Log): Promise<string> {
  const file = join(resolve(dataDir), FILES.admin);
  return concerning('dataDir', async () => {
    const kept = await tokenIn(file, log);
    if (kept !== '') return kept;
    const made = await makeToken(file);
    log.info({ event: 'admin-token', file }, 'made the admin token of the web; orders over HTTP take it');
    return made;
  });
}

/** Empty where there is none. Rejects as above. */
export function readTokenIn(dataDir: string, log: Log): Promise<string> {
  return concerning('dataDir', () => tokenIn(join(resolve(dataDir), FILES.read), log));
}

/** Makes it where there is none. Rejects as above. */
export async function ensureReadToken(dataDir: string, log: Log): Promise<string> {
  const kept = await readTokenIn(dataDir, log);
  return kept === '' ? concerning('dataDir', () => makeToken(join(resolve(dataDir), FILES.read))) : kept;
}

/** Rejects with {@link CommandError} where the file is there and holds no such key, or cannot be read or made. */
export function sessionKeyIn(dataDir: string, log: Log): Promise<KeyObject> {
  return keyIn(join(resolve(dataDir), SESSION_KEY), log);
}

/** As above. Bridges of one ledger on several machines have one where the file was copied. */
export function poolKeyIn(dataDir: string, log: Log): Promise<KeyObject> {
  return keyIn(join(resolve(dataDir), POOL_KEY), log);
}

async function keyIn(file: string, log: Log): Promise<KeyObject> {
  return concerning('dataDir', async () => {
    const kept = await secretIn(file, log);
    if (kept !== undefined) return keyOf(kept, file);
    const { privateKey } = generateKeyPairSync('ed25519');
    await keep(file, String(privateKey.export({ format: 'pem', type: 'pkcs8' })));
    return privateKey;
  });
}

function keyOf(text: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // As below: it is no key, or one of another kind.
  }
  throw new CommandError(`${file} holds no key of Ed25519: remove it, and a new one is made`);
}

/** Empty where there is none. */
async function tokenIn(file: string, log: Log): Promise<string> {
  const token = (await secretIn(file, log))?.trim() ?? '';
  if (token === '' || TOKEN.test(token)) return token;
  throw new CommandError(
    `${file} holds no token: remove it, and a new one is made; or put one of at least 16 letters and digits there`,
  );
}

/** `undefined` where there is none. */
async function secretIn(file: string, log: Log): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const mode = (await stat(file)).mode & 0o777;
    if (mode & OTHERS_MAY)
      log.warn({ file, mode: mode.toString(8) }, 'others on this machine may read a secret of the web');
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function makeToken(file: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await keep(file, `${token}\n`);
  return token;
}

/** For the owner of the folder, also where root makes it. */
async function keep(file: string, text: string): Promise<void> {
  const folder = resolve(file, '..');
  makeFolder(folder);
  const owner = process.getuid?.() === 0 ? await stat(folder) : undefined;
  // Before it has its name: who owns the folder could put a link there, by which root would give away another file.
  await writeDurably(file, text, { mode: 0o600, uid: owner?.uid, gid: owner?.gid });
}
