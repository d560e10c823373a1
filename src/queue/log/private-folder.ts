import { chmod, mkdir } from 'node:fs/promises';

/** Makes the folder when it is not there. Nobody else may look into it: names and times tell what is earned. */
export async function openPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}
