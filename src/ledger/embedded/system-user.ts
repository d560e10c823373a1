/**
 * Who runs PostgreSQL. It refuses to run as root, so a bridge that is root runs it as another system user; everybody else
 * runs it as themselves. That other user owns PostgreSQL's data and may put there what he likes, so root touches nothing in
 * it: what must be read or removed there is done by programs that run as him.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { lstat, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { parse } from 'node:path';
import { nameOf } from '../../files/folder-owner.js';
import { LedgerError } from '../database/errors.js';
import { lstatIfThere, MOST_BYTES, readOwnFile } from './own-files.js';
import { run, untilEnded } from './run.js';

export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

export interface SystemUser {
  readonly name: string;
  /** Absent where it is who runs the bridge. */
  readonly ids?: Ids;
  /** Starts a program as this user, in a process group of its own so that a Ctrl-C in the terminal does not reach it. */
  spawn(file: string, args: readonly string[], stdio: StdioOptions): ChildProcess;
  /** A small file of this user's; `undefined` when there is none. */
  read(path: string): Promise<string | undefined>;
  /** Removes files of this user's, or folders with what is in them; those that are not there are no failure. */
  remove(paths: readonly string[]): Promise<void>;
}

const SMALL_TASK_MS = 60_000;

/** @param owner of the data that is there already, if there is any. */
export async function chooseSystemUser(owner: Ids | undefined): Promise<SystemUser> {
  if (process.getuid?.() !== 0) return ourselves(ownName());
  if (owner !== undefined && owner.uid !== 0) return another(nameOf(owner.uid), owner);
  const { name, ids } = await firstKnownUser(['postgres', 'nobody']);
  return another(name, ids);
}

function another(name: string, ids: Ids): SystemUser {
  // Of groups it has none but that one, and of capabilities none.
  const start: SystemUser['spawn'] = (file, args, stdio) =>
    spawn(file, args, { ...surroundings(), stdio, ...ids });
  return {
    name,
    ids,
    spawn: start,
    read: (path) => readAs(start, path),
    remove: (paths) => removeAs(start, paths),
  };
}

function ourselves(name: string): SystemUser {
  return {
    name,
    spawn: (file, args, stdio) => spawn(file, args, { ...surroundings(), stdio }),
    read: readOwnFile,
    remove: async (paths) => {
      for (const path of paths) await rm(path, { recursive: true, force: true });
    },
  };
}

async function readAs(start: SystemUser['spawn'], path: string): Promise<string | undefined> {
  const child = start('head', ['-c', String(MOST_BYTES), '--', path], ['ignore', 'pipe', 'pipe']);
  const { code, output, errors } = await untilEnded(child, SMALL_TASK_MS);
  if (code === 0) return output;
  if (/No such file/i.test(errors)) return undefined;
  throw new LedgerError('no-permission', `${path} cannot be read: ${errors.trim() || 'no answer'}`);
}

async function removeAs(start: SystemUser['spawn'], paths: readonly string[]): Promise<void> {
  const child = start('rm', ['-rf', '--', ...paths], ['ignore', 'ignore', 'pipe']);
  await untilEnded(child, SMALL_TASK_MS);
  const left = (await Promise.all(paths.map(lstatIfThere))).findIndex((status) => status !== undefined);
  if (left !== -1 && !(await isFolder(paths[left] ?? '')))
    throw new LedgerError('no-permission', `${paths[left]} cannot be removed: remove it by hand`);
}

/** The folder above may be root's: then it is empty now, and root's to remove. */
async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path)).isDirectory();
}

/** Who owns a process without a name in the system cannot run PostgreSQL. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    const sentence = `the user id ${process.getuid?.()} has no entry in /etc/passwd, which PostgreSQL needs: add one, run as another user, or give a PostgreSQL of yours with --ledger-database-url`;
    throw new LedgerError('system-user', sentence, { cause });
  }
}

/** What a program that is not ours needs of the environment; all else may hold secrets of the bridge's. */
const HANDED_ON = ['PATH', 'TZ', 'SystemRoot'];
/** Their words are read here, and in other languages nobody would know them. */
const LANGUAGE = { LANG: 'C' };

/** A process group of its own, and a working directory that everybody may enter. */
function surroundings(): { detached: true; cwd: string; env: NodeJS.ProcessEnv } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => HANDED_ON.includes(key)));
  return { detached: true, cwd: parse(process.execPath).root, env: { ...env, ...LANGUAGE } };
}

async function firstKnownUser(names: readonly string[]): Promise<{ name: string; ids: Ids }> {
  for (const name of names) {
    const ids = await idsOf(name);
    if (ids) return { name, ids };
  }
  const sentence = `PostgreSQL does not run as root, and there is no system user ${names.join(' or ')} to run it as: add one (useradd --system postgres), start the bridge as another user, or give a PostgreSQL of yours with --ledger-database-url`;
  throw new LedgerError('system-user', sentence);
}

async function idsOf(name: string): Promise<Ids | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined; // `id` fails exactly when the system knows no such user
  }
}
