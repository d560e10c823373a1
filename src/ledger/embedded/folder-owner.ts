/** Where root runs the bridge: what folders must be to the system user that PostgreSQL runs as. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LedgerError } from '../database/errors.js';
import { run } from './run.js';
import type { Ids } from './system-user.js';

/**
 * Throws when this user may make names in the folder, or put another in place of it or of one above it: then what root does in
 * it would be done where he likes. Users who may have nothing to do with the bridge are not looked at.
 *
 * @param folder as the system resolves it.
 */
export async function refuseReplaceable(folder: string, name: string, ids: Ids): Promise<void> {
  const groups = await groupsOf(ids);
  for (let path = folder; ; path = dirname(path)) {
    const status = await stat(path);
    // Of a sticky folder nobody removes what is another's.
    const isSafe = path !== folder && (status.mode & STICKY) !== 0 && status.uid !== ids.uid;
    if (!isSafe && mayChange(status, ids.uid, groups)) throw replaceable(path, name);
    if (path === dirname(path)) return;
  }
}

const STICKY = 0o1000;

function mayChange({ uid, gid, mode }: Stats, user: number, groups: readonly number[]): boolean {
  return uid === user || (mode & 0o002) !== 0 || (groups.includes(gid) && (mode & 0o020) !== 0);
}

function replaceable(path: string, name: string): LedgerError {
  const advice =
    'give it to root alone (chown root, chmod go-w), choose another folder with --data-dir, or start the bridge as a user of its own';
  return new LedgerError(
    'no-permission',
    `the system user ${name}, as which PostgreSQL runs, may change ${path}, and root runs the bridge: ${advice}`,
  );
}

/**
 * Throws {@link LedgerError} `system-user` when this user may not enter one of the folders, as when root keeps all below /root
 * (mode 0700).
 *
 * @param folders each with words for what is in it.
 */
export async function refuseClosed(
  folders: Readonly<Record<string, string>>,
  name: string,
  ids: Ids,
): Promise<void> {
  for (const [what, folder] of Object.entries(folders)) {
    const closed = await firstClosed(folder, ids);
    if (closed === undefined) continue;
    const ways = `let it in (chmod o+x ${closed}), put bridge and --data-dir where every user may enter (for example under /opt and /var/lib), start the bridge as a user of its own, or give a PostgreSQL of yours with --ledger-database-url`;
    throw new LedgerError(
      'system-user',
      `PostgreSQL runs as the system user ${name}, which may not enter ${closed} on the way to ${what}: ${ways}`,
    );
  }
}

/** From the root of the file system on, the first folder on the way that this user may not enter. */
async function firstClosed(path: string, ids: Ids): Promise<string | undefined> {
  const above = dirname(path);
  const higher = above === path ? undefined : await firstClosed(above, ids);
  if (higher !== undefined) return higher;
  return mayEnter(await stat(path), ids) ? undefined : path;
}

/** Without other groups than its own: PostgreSQL is started with none. */
function mayEnter({ uid, gid, mode }: Stats, ids: Ids): boolean {
  if (uid === ids.uid) return (mode & 0o100) !== 0;
  return (mode & (gid === ids.gid ? 0o010 : 0o001)) !== 0;
}

/** All groups of this user. */
async function groupsOf({ uid, gid }: Ids): Promise<number[]> {
  const more = await run('id', ['-G', String(uid)]).catch(() => ''); // a user without a name has no more
  return [gid, ...more.split(' ').filter(Boolean).map(Number)];
}
