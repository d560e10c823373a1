/** Whose a folder is, where root runs the bridge. */
import { lstatIfThere } from './embedded/own-files.js';
import { nameOf } from './embedded/passage.js';
import { LedgerError } from './errors.js';

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
