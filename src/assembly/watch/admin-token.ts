/**
 * The token that orders over HTTP take where no setting gives one. It is made once and kept:
 *
 *     <dataDir>/web-admin-token    43 letters and digits of 32 random bytes, for its owner alone to read
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CommandError } from '../../cli/line/command.js';
import type { Log } from '../../core/names/log.js';
import { writeWhole } from '../books/whole-file.js';
import { concerning } from '../failures.js';

/** As it is named in what strangers are told, without its folder. */
const TOKEN_FILE = 'web-admin-token';
/** As the setting takes it: what may stand in a header, and cannot be guessed. */
const TOKEN = /^[\w.~+/-]{16,512}=*$/;
const OTHERS_MAY = 0o077;

/** Rejects with {@link CommandError} where the file is there and holds no token, or cannot be read or made. */
export async function adminTokenIn(dataDir: string, log: Log): Promise<string> {
  const file = adminTokenFile(dataDir);
  return concerning('dataDir', async () => (await readToken(file, log)) ?? makeToken(file, log));
}

export function adminTokenFile(dataDir: string): string {
  return join(resolve(dataDir), TOKEN_FILE);
}

/** `undefined` where there is none. */
async function readToken(file: string, log: Log): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
    const mode = (await stat(file)).mode & 0o777;
    if (mode & OTHERS_MAY)
      log.warn(
        { file, mode: mode.toString(8) },
        'others on this machine may read the admin token of the web',
      );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (TOKEN.test(text)) return text;
  throw new CommandError(
    `${file} holds no token: remove it, and a new one is made; or put one of at least 16 letters and digits there`,
  );
}

async function makeToken(file: string, log: Log): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await mkdir(resolve(file, '..'), { recursive: true });
  await writeWhole(file, [`${token}\n`]);
  log.info({ event: 'admin-token', file }, 'made the admin token of the web; orders over HTTP take it');
  return token;
}
