/** Whose a folder is, where root runs the bridge. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LedgerError } from '../database/errors.js';
import { lstatIfThere } from '../embedded/own-files.js';
import { groupsOf, type Ids, nameOf } from '../embedded/passage.js';

/** Root opens nothing in a folder of another user's, who could put a link there; `known` is one that it does not fear. */
export async function refuseForeign(folder: string, known?: number): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const status = await lstatIfThere(folder);
  if (status === undefined || status.uid === 0 || status.uid === known) return;
  const owner = await nameOf(status.uid);
  const advice = `start the bridge as that user (sudo -u ${owner} …), or give the folder to root (chown root)`;
  throw new LedgerError(
    'no-permission',
    `${folder} belongs to the user ${owner}, and root runs the bridge: ${advice}`,
  );
}

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
