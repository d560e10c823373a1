import { open } from 'node:fs/promises';

/** A new or removed name is durable only when its folder is synced. Windows knows no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
