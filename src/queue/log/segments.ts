/** The files of a share log: `<folder>/<log's UUID>-<number>.shares`. */
import { access, type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Name } from '../../core/names/names.js';
import { openPrivateFolder } from './private-folder.js';

const FILE_NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-(\d{6,10})\.shares$/;

/** A file of the log, and what is known of it. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** So many of its bytes count. */
  bytes: number;
  /** Whose shares are in it, by their index, while it is written to. Then they are read from the file. */
  names?: readonly Name[] | undefined;
  /** It holds what is no record: it is put aside for people to look at, and not removed. */
  isDamaged: boolean;
  /** While it is written to. */
  handle?: FileHandle | undefined;
}

export function pathOf(folder: string, log: string, number: number): string {
  return join(folder, `${log}-${String(number).padStart(6, '0')}.shares`);
}

/** Paths of all segments in the folder, by log and number, each log's in their order. */
export async function listSegments(folder: string): Promise<Map<string, { number: number; path: string }[]>> {
  const found = new Map<string, { number: number; path: string }[]>();
  for (const name of (await readdir(folder)).sort()) {
    const [, log, number] = FILE_NAME.exec(name) ?? [];
    if (log === undefined) continue;
    const segments = found.get(log) ?? [];
    found.set(log, segments);
    segments.push({ number: Number(number), path: join(folder, name) });
  }
  for (const segments of found.values()) segments.sort((a, b) => a.number - b.number);
  return found;
}

export function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** A file that the disk does not give, such as one on a bad sector. */
export function isReadError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && ['open', 'read'].includes((error as NodeJS.ErrnoException).syscall ?? '');
}

/** In a folder that somebody may have removed. */
export async function openNew(folder: string, path: string): Promise<FileHandle> {
  return open(path, 'wx+', 0o600).catch(async (error) => {
    ifThere(error);
    await openPrivateFolder(folder);
    return open(path, 'wx+', 0o600);
  });
}

/** As many of these bytes as there are. */
export async function readFrom(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const length = Math.max(0, to - from);
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

/** What counts in a segment between two places; `undefined` when somebody has removed it. */
export async function readSegment(segment: Segment, from: number, to: number): Promise<Buffer | undefined> {
  if (segment.handle) return readFrom(segment.handle, from, to);
  const handle = await open(segment.path, 'r').catch(ifThere);
  if (!handle) return undefined;
  return readFrom(handle, from, to).finally(() => handle.close());
}

/** Under a name that nothing has yet: the folder is this process's alone. */
export async function putAside(path: string): Promise<void> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? `${path}.broken` : `${path}.broken-${number}`;
    const isFree = await access(free).then(
      () => false,
      () => true,
    );
    if (isFree) return rename(path, free).catch(ifThere);
  }
}

/** One that is damaged is kept for people to look at. */
export async function removeSegment({ path, isDamaged }: Segment): Promise<void> {
  await (isDamaged ? putAside(path) : rm(path, { force: true }));
}
