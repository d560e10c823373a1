/**
 * The embedded PostgreSQL's folder: made once, checked at each start.
 *
 *     <dataDir>/postgres             the bridge's: nobody else may change what lies in it
 *       data                         PGDATA, of the user that PostgreSQL runs as, with its own logs in data/log
 *       socket                       of the same user: where it is reached
 *       hba.conf                     who may connect
 *       password                     of its only login, asked for only where it is reached by TCP
 *       port                         where it listens, in that case
 *       VERSION                      the major version of PostgreSQL that made `data`
 */
import { randomBytes } from 'node:crypto';
import { chmod, lchown, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Log } from '../../core/names/log.js';
import { explainFileError } from '../../files/file-error.js';
import { refuseForeign } from '../../files/folder-owner.js';
import { makeFolder } from '../../files/make-folder.js';
import { writeDurably } from '../../files/write-durably.js';
import { LedgerError } from '../database/errors.js';
import type { PostgresBinaries } from './binaries.js';
import { endWithUs } from './end-with-us.js';
import { refuseClosed, refuseReplaceable } from './folder-owner.js';
import { lstatIfThere, readOwnFile } from './own-files.js';
import { run, untilEnded } from './run.js';
import { chooseSystemUser, type Ids, type SystemUser } from './system-user.js';

/** The name of the superuser in this PostgreSQL; nobody else has a login. */
export const SUPERUSER = 'bridge';
/** The one that the packages carry; another needs its data dumped and restored. */
const MAJOR_VERSION = '18';

/** Where the parts lie. */
export interface Cluster {
  readonly folder: string;
  /** PGDATA. */
  readonly data: string;
  readonly socket: string;
  readonly hba: string;
  readonly password: string;
  readonly port: string;
}

interface ClusterParts {
  readonly cluster: Cluster;
  readonly binaries: PostgresBinaries;
  readonly log: Log;
}

/** @param dataDir as the system resolves it. */
export function clusterIn(dataDir: string): Cluster {
  const folder = join(dataDir, 'postgres');
  const at = (name: string): string => join(folder, name);
  const own = { hba: at('hba.conf'), password: at('password'), port: at('port') };
  return { folder, data: at('data'), socket: at('socket'), ...own };
}

/** Finds or makes the cluster, whose lock the caller holds. */
export async function prepareCluster(parts: ClusterParts): Promise<SystemUser> {
  const { folder } = parts.cluster;
  try {
    const user = await prepareFolder(parts);
    if (!(await lstatIfThere(parts.cluster.data))) await makeCluster(parts, user);
    await checkData(parts.cluster, user);
    await prepareSocket(parts.cluster, user);
    await writeDurably(parts.cluster.hba, HBA, { mode: 0o640, gid: user.ids?.gid });
    await rm(join(folder, 'start.log'), { force: true }); // of an earlier version
    return user;
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

/** Who reaches the socket has passed a folder that is closed to others; TCP is open to every user of the machine. */
const HBA = `local all all trust
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`;

/** Root's where the bridge is root, and then PostgreSQL's user may look into it and no more. */
async function prepareFolder({ cluster, binaries }: ClusterParts): Promise<SystemUser> {
  const { folder, data } = cluster;
  makeFolder(folder, 0o700);
  const there = await lstatIfThere(data);
  if (there && !there.isDirectory() && process.getuid?.() === 0)
    throw new LedgerError('no-permission', `${data} is no folder: root follows no link there`);
  const user = await chooseSystemUser(there && { uid: there.uid, gid: there.gid });
  if (user.ids) await closeFolder(folder, user.name, user.ids);
  else await chmod(folder, 0o700);
  if (user.ids && there?.uid === 0) await run('chown', ['-RhP', `${user.ids.uid}:${user.ids.gid}`, data]);
  if (user.ids)
    await refuseClosed({ 'its data': folder, 'its programs': binaries.folder }, user.name, user.ids);
  return user;
}

/** What an earlier version gave to PostgreSQL's user with all in it is root's again. */
async function closeFolder(folder: string, name: string, ids: Ids): Promise<void> {
  refuseForeign(folder, ids.uid);
  await refuseReplaceable(dirname(folder), name, ids);
  await lchown(folder, 0, ids.gid);
  await chmod(folder, 0o750);
}

/** Anew at each start: sockets that a killed server left would only be in the way. */
async function prepareSocket({ socket }: Cluster, user: SystemUser): Promise<void> {
  makeFolder(socket, 0o700);
  if (user.ids) await lchown(socket, user.ids.uid, user.ids.gid);
  else await chmod(socket, 0o700);
}

/** In a folder beside, and renamed when whole: an interrupted start leaves nothing that looks like a cluster. */
async function makeCluster({ cluster, binaries, log }: ClusterParts, user: SystemUser): Promise<void> {
  const { folder, data, password } = cluster;
  await refuseIfGone(cluster);
  const unfinished = join(folder, 'data.unfinished');
  await removeUnfinished(unfinished, user);
  await mkdir(unfinished, { mode: 0o700 });
  if (user.ids) await lchown(unfinished, user.ids.uid, user.ids.gid);
  const words = `${randomBytes(24).toString('base64url')}\n`;
  await writeDurably(password, words, { mode: user.ids ? 0o640 : 0o600, gid: user.ids?.gid });
  log.info({ folder, systemUser: user.name }, 'making the embedded PostgreSQL');
  await initdb(cluster, binaries, user, unfinished);
  await chmod(password, 0o600); // from now on only we need it
  await rename(unfinished, data);
  await writeDurably(join(folder, 'VERSION'), `${MAJOR_VERSION}\n`, { mode: 0o600 });
}

async function removeUnfinished(unfinished: string, user: SystemUser): Promise<void> {
  const status = await lstatIfThere(unfinished);
  if (!status) return;
  if (!user.ids || status.uid === 0) return rm(unfinished, { recursive: true });
  await user.remove([unfinished]);
  if (await lstatIfThere(unfinished)) await rmdir(unfinished);
}

/** Whether there ever was a cluster in it: what stays behind tells when the data is gone. */
export async function wasMade(folder: string): Promise<boolean> {
  const left = ['data', 'VERSION', 'start.log'].map((name) => lstatIfThere(join(folder, name)));
  return (await Promise.all(left)).some((status) => status !== undefined);
}

/** An empty ledger in place of one that is gone would look like a good start. */
async function refuseIfGone({ folder, data }: Cluster): Promise<void> {
  if (!(await wasMade(folder))) return;
  const advice = `bring it back from a copy, or move ${folder} away to begin with an empty ledger`;
  throw new LedgerError('data-gone', `${data} is gone, with all that the ledger held: ${advice}`);
}

async function initdb(
  { folder, password }: Cluster,
  binaries: PostgresBinaries,
  user: SystemUser,
  data: string,
): Promise<void> {
  const args = ['--pgdata', data, '--username', SUPERUSER, '--pwfile', password];
  const choices = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions'];
  const child = user.spawn(binaries.initdb, [...args, ...choices], ['ignore', 'ignore', 'pipe']);
  endWithUs(child, 'SIGTERM');
  const { code, errors } = await untilEnded(child);
  if (code !== 0) throw explainWords(errors, folder, 'the embedded PostgreSQL could not be made');
}

async function checkData({ folder, data }: Cluster, user: SystemUser): Promise<void> {
  const version = (await user.read(join(data, 'PG_VERSION')))?.trim();
  if (version === MAJOR_VERSION) {
    await writeDurably(join(folder, 'VERSION'), `${MAJOR_VERSION}\n`, { mode: 0o600 });
    return;
  }
  if (version === undefined) {
    const sentence = `${data} is not whole: it has no PG_VERSION; bring it back from a copy, or move ${folder} away to begin with an empty ledger`;
    throw new LedgerError('data-gone', sentence);
  }
  const advice = `with the bridge version that wrote it, let the queue run empty and save the books (\`stratum-bridge ledger dump books.dump\`); move ${data} away, and restore with this one (\`stratum-bridge ledger restore books.dump\`)`;
  const sentence = `${data} was written by PostgreSQL ${version}, this bridge carries ${MAJOR_VERSION}: ${advice}`;
  throw new LedgerError('wrong-version', sentence);
}

/** The password, for where it is asked for. */
export async function readPassword({ password }: Cluster): Promise<string> {
  const words = (await readOwnFile(password))?.trim();
  if (words) return words;
  const sentence = `${password} is ${words === undefined ? 'gone' : 'empty'}, and the embedded PostgreSQL cannot be asked without it: bring it back from a copy, or move the data directory where its path is shorter, which needs no password`;
  throw new LedgerError('start-failed', sentence);
}

/** What PostgreSQL's own words mean to an operator. */
export function explainWords(words: string, folder: string, what: string): LedgerError {
  const tail = words.trim().split('\n').slice(-8).join('\n');
  if (/no space left|quota exceeded/i.test(words)) {
    return new LedgerError('disk-full', `${what}: the disk is full at ${folder}, free some space\n${tail}`);
  }
  if (/read-only file system/i.test(words)) {
    const sentence = `${what}: the disk is read-only at ${folder}, make it writable, or choose another folder with --data-dir`;
    return new LedgerError('no-permission', `${sentence}\n${tail}`);
  }
  if (/permission denied/i.test(words)) {
    const advice = 'give its owner back, or choose another folder with --data-dir';
    return new LedgerError('no-permission', `${what}: ${folder} may not be used, ${advice}\n${tail}`);
  }
  return new LedgerError('start-failed', `${what}:\n${tail}`);
}
