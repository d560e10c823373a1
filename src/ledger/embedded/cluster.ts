/** The embedded PostgreSQL's folder: made once, checked at each start. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Log } from '../../core/log.js';
import { explainFileError, LedgerError } from '../errors.js';
import type { PostgresBinaries } from './binaries.js';
import type { SystemUser } from './system-user.js';

/** The name of the superuser in this PostgreSQL; nobody else has a login. */
export const SUPERUSER = 'bridge';
/** The one that the packages carry; another needs its data dumped and restored. */
export const MAJOR_VERSION = '18';

export interface Cluster {
  /** PGDATA. */
  readonly data: string;
  readonly startLog: string;
  readonly password: string;
}

export interface ClusterParts {
  readonly folder: string;
  readonly binaries: PostgresBinaries;
  readonly user: SystemUser;
  readonly log: Log;
}

/** Finds or makes the cluster in `folder`, whose lock the caller holds. */
export async function prepareCluster(parts: ClusterParts): Promise<Cluster> {
  const { folder } = parts;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    const data = join(folder, 'data');
    if (!(await exists(data))) await makeCluster(parts, data);
    await checkVersion(data);
    await parts.user.own(folder);
    const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
    return { data, startLog: join(folder, 'start.log'), password };
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

/** In a folder beside, and renamed when whole: an interrupted start leaves nothing that looks like a cluster. */
async function makeCluster(parts: ClusterParts, data: string): Promise<void> {
  const { folder, user, log } = parts;
  const unfinished = join(folder, 'data.unfinished');
  const passwordFile = join(folder, 'password');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  await user.own(folder);
  log.info({ folder, systemUser: user.name }, 'making the embedded PostgreSQL');
  await initdb(parts, unfinished, passwordFile);
  await rename(unfinished, data);
}

async function initdb(parts: ClusterParts, data: string, passwordFile: string): Promise<void> {
  const args = ['--pgdata', data, '--username', SUPERUSER, '--pwfile', passwordFile];
  const choices = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const child = parts.user.spawn(parts.binaries.initdb, [...args, ...choices], ['ignore', 'ignore', 'pipe']);
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  const [code, words] = await Promise.all([ended, child.stderr ? text(child.stderr) : '']);
  if (code !== 0) throw explainWords(words, parts.folder, 'the embedded PostgreSQL could not be made');
}

async function checkVersion(data: string): Promise<void> {
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  if (version === MAJOR_VERSION) return;
  const advice = `with the bridge version that wrote it, let the queue run empty and save the books (\`stratum-bridge ledger dump books.dump\`); move ${data} away, and restore with this one (\`stratum-bridge ledger restore books.dump\`)`;
  const sentence = `${data} was written by PostgreSQL ${version}, this bridge carries ${MAJOR_VERSION}: ${advice}`;
  throw new LedgerError('wrong-version', sentence);
}

/** What PostgreSQL's own words mean to an operator. */
export function explainWords(words: string, folder: string, what: string): LedgerError {
  const tail = words.trim().split('\n').slice(-8).join('\n');
  if (/no space left|quota exceeded/i.test(words)) {
    return new LedgerError('disk-full', `${what}: the disk is full at ${folder}, free some space\n${tail}`);
  }
  if (/permission denied|read-only file system/i.test(words)) {
    const advice = 'give its owner back, or choose another folder with --data-dir';
    return new LedgerError('no-permission', `${what}: ${folder} may not be used, ${advice}\n${tail}`);
  }
  return new LedgerError('start-failed', `${what}:\n${tail}`);
}
