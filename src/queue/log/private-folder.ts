import { chmod } from 'node:fs/promises';
import { makeFolder } from '../../files/make-folder.js';

/** Makes the folder when it is not there. Nobody else may look into it: names and times tell what is earned. */
export async function openPrivateFolder(folder: string): Promise<void> {
  makeFolder(folder, 0o700);
  await chmod(folder, 0o700);
}
