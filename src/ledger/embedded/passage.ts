/**
 * A way for PostgreSQL's user to folders that it may not enter, as when root keeps everything below /root (mode 0700). The
 * program gets a view of the file system of its own (a mount namespace, Linux): in place of the closed folder it sees an empty
 * one with nothing in it but the folders it needs. It is given no right of root's.
 */
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LedgerError } from '../database/errors.js';
import { run, succeeds } from './run.js';

export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/** What is needed is held open while it is hidden, and put back from there. */
const SCRIPT = `set -e
exec 3<"$1" 4<"$2"
for closed in "$3" "$4"; do
  [ ! -d "$closed" ] || mount -t tmpfs -o mode=755,size=1m none "$closed"
done
mkdir -p "$1" "$2"
mount --no-canonicalize --bind /proc/self/fd/3 "$1"
mount --no-canonicalize --bind /proc/self/fd/4 "$2"
exec 3<&- 4<&-
shift 4
exec setpriv "$@"`;

/**
 * The command line before a program and its arguments that runs it as that user where it reaches both folders; `undefined`
 * when nothing is in the way. Throws {@link LedgerError} `system-user` where there is no way.
 */
export async function passageTo(
  folders: readonly [string, string],
  name: string,
  ids: Ids,
): Promise<readonly string[] | undefined> {
  const closed = [...new Set(await Promise.all(folders.map((folder) => firstClosed(folder, ids))))].filter(
    (folder) => folder !== undefined,
  );
  const [first, second = ''] = closed;
  if (first === undefined) return undefined;
  if (!(await succeeds('unshare', ['--mount', 'setpriv', '--version']))) throw noWay(name, first);
  const user = [`--reuid=${ids.uid}`, `--regid=${ids.gid}`, '--clear-groups'];
  const nothing = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
  const shell = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh'];
  return [...shell, ...folders, first, second, ...user, ...nothing];
}

function noWay(name: string, closed: string): LedgerError {
  const ways =
    'start the bridge as a user of its own, put bridge and --data-dir where every user may enter (for example under /opt and /var/lib), or give a PostgreSQL of yours with --database-url';
  return new LedgerError(
    'system-user',
    `PostgreSQL runs as the system user ${name}, which may not enter ${closed}: ${ways}`,
  );
}

/** From the root of the file system on, the first folder on the way that this user may not enter. */
async function firstClosed(path: string, ids: Ids): Promise<string | undefined> {
  const above = dirname(path);
  const higher = above === path ? undefined : await firstClosed(above, ids);
  if (higher !== undefined) return higher;
  return (await mayEnter(path, ids)) ? undefined : path;
}

async function mayEnter(folder: string, { uid, gid }: Ids): Promise<boolean> {
  const status = await stat(folder);
  if (status.uid === uid) return (status.mode & 0o100) !== 0;
  return (status.mode & (status.gid === gid ? 0o010 : 0o001)) !== 0;
}

/** All groups of this user. */
export async function groupsOf({ uid, gid }: Ids): Promise<number[]> {
  const more = await run('id', ['-G', String(uid)]).catch(() => ''); // a user without a name has no more
  return [gid, ...more.split(' ').filter(Boolean).map(Number)];
}

/** What the system calls this user. */
export async function nameOf(uid: number): Promise<string> {
  return run('id', ['-un', String(uid)]).catch(() => `with the id ${uid}`);
}
