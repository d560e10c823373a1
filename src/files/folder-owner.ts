import { execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { FileError } from './file-error.js';

/** Root opens nothing in a folder of another user's, who could put a link there; `known` is one that it does not fear. */
export function refuseForeign(folder: string, known?: number): void {
  if (process.getuid?.() !== 0) return;
  const uid = lstatSync(folder, { throwIfNoEntry: false })?.uid;
  if (uid === undefined || uid === 0 || uid === known) return;
  const owner = nameOf(uid);
  const advice = `start the bridge as that user (sudo -u ${owner} …), or give the folder to root (chown root)`;
  throw new FileError(
    'no-permission',
    `${folder} belongs to the user ${owner}, and root runs the bridge: ${advice}`,
  );
}

/** What the system calls this user. */
export function nameOf(uid: number): string {
  try {
    return execFileSync('id', ['-un', String(uid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return `with the id ${uid}`; // one without a name
  }
}
