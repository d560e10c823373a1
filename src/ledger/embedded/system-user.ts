/**
 * Who runs PostgreSQL. It refuses to run as root, so a bridge that is root runs it as another system user; everybody else
 * runs it as themselves.
 *
 * On a fresh machine root's files often lie in a folder that nobody else may enter (/root has mode 0700), so that the
 * other user reaches neither the installed binaries nor the data directory. Then PostgreSQL is given one capability to
 * pass such folders, and no other: CAP_DAC_READ_SEARCH, or CAP_DAC_OVERRIDE where only that is to be had (containers).
 */
import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import { chown, lstat, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { promisify } from 'node:util';
import { LedgerError } from '../errors.js';

export interface SystemUser {
  readonly name: string;
  /** Starts a program as this user, in a process group of its own so that a Ctrl-C in the terminal does not reach it. */
  spawn(file: string, args: readonly string[], stdio: StdioOptions): ChildProcess;
  /** Makes this user the owner of a file, or of a folder and all in it. */
  own(path: string): Promise<void>;
}

interface Ids {
  readonly uid: number;
  readonly gid: number;
}

const run = promisify(execFile);

/** Capabilities that let a process pass folders it has no right to, the weaker first. Bit numbers of <linux/capability.h>. */
const PASSING = [
  { name: 'dac_read_search', bit: 2n },
  { name: 'dac_override', bit: 1n },
] as const;

/** @param paths what PostgreSQL must reach: its binary and its folder. */
export async function chooseSystemUser(paths: readonly string[]): Promise<SystemUser> {
  return process.getuid?.() === 0 ? otherThanRoot(paths) : ourselves();
}

function ourselves(): SystemUser {
  return {
    name: ownName(),
    spawn: (file, args, stdio) => spawn(file, args, { ...surroundings(), stdio }),
    own: async () => {},
  };
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    const sentence = `the user id ${process.getuid?.()} has no entry in /etc/passwd, which PostgreSQL needs: add one, run as another user, or give a PostgreSQL of yours with --database-url`;
    throw new LedgerError('system-user', sentence, { cause });
  }
}

async function otherThanRoot(paths: readonly string[]): Promise<SystemUser> {
  const { name, ids } = await firstKnownUser(['postgres', 'nobody']);
  const closed = await firstClosed(paths, ids);
  const prefix = closed === undefined ? [] : await passingPrefix(name, ids, closed);
  const [setpriv, ...rest] = prefix;
  const options = surroundings();
  return {
    name,
    spawn: (file, args, stdio) =>
      setpriv === undefined
        ? spawn(file, args, { ...options, ...ids, stdio })
        : spawn(setpriv, [...rest, file, ...args], { ...options, stdio }),
    own: (path) => ownAll(path, ids),
  };
}

/**
 * A process group of its own, a working directory that everybody may enter, and none of the variables that PostgreSQL reads
 * (PGDATA, PGPORT and so on): those of the bridge's user are not meant for it.
 */
function surroundings(): { detached: true; cwd: string; env: NodeJS.ProcessEnv } {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('PG')));
  return { detached: true, cwd: parse(process.execPath).root, env };
}

async function firstKnownUser(names: readonly string[]): Promise<{ name: string; ids: Ids }> {
  for (const name of names) {
    const ids = await idsOf(name);
    if (ids) return { name, ids };
  }
  const sentence = `PostgreSQL does not run as root, and there is no system user ${names.join(' or ')} to run it as: add one (useradd --system postgres), start the bridge as another user, or give a PostgreSQL of yours with --database-url`;
  throw new LedgerError('system-user', sentence);
}

async function idsOf(name: string): Promise<Ids | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined; // `id` fails exactly when the system knows no such user
  }
}

/** The first of the paths, or of the folders above them, that this user may not enter. */
async function firstClosed(paths: readonly string[], ids: Ids): Promise<string | undefined> {
  for (const path of paths) {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if (!(await mayEnter(folder, ids))) return folder;
      if (folder === dirname(folder)) break;
    }
  }
  return undefined;
}

async function mayEnter(folder: string, { uid, gid }: Ids): Promise<boolean> {
  const status = await stat(folder);
  if (status.uid === uid) return (status.mode & 0o100) !== 0;
  return (status.mode & (status.gid === gid ? 0o010 : 0o001)) !== 0;
}

/** The command line that starts a program as that user with the one capability. */
async function passingPrefix(name: string, ids: Ids, closed: string): Promise<readonly string[]> {
  const capability = await heldCapability();
  if (capability === undefined || !(await canRun('setpriv'))) {
    const sentence = `PostgreSQL runs as the system user ${name}, which may not enter ${closed}: install the bridge and put its --data-dir where every user may enter (for example under /opt and /var/lib), start the bridge as another user than root, or give a PostgreSQL of yours with --database-url`;
    throw new LedgerError('system-user', sentence);
  }
  return [
    'setpriv',
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    '--clear-groups',
    // access(2) looks at the real user's capabilities only with this bit set.
    '--securebits=+no_setuid_fixup',
    `--bounding-set=-all,+${capability}`,
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
  ];
}

async function heldCapability(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const held = /^CapEff:\s*([0-9a-f]+)$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return PASSING.find(({ bit }) => (BigInt(`0x${held}`) >> bit) & 1n)?.name;
}

async function canRun(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

async function ownAll(path: string, ids: Ids): Promise<void> {
  const status = await lstat(path);
  if (status.isSymbolicLink()) return;
  if (status.uid !== ids.uid || status.gid !== ids.gid) await chown(path, ids.uid, ids.gid);
  if (!status.isDirectory()) return;
  for (const name of await readdir(path)) await ownAll(join(path, name), ids);
}
