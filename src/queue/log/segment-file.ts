/**
 * The segment that is written to: whole groups, each synced before it counts. Behind what is written lie zeros, that a disk which is full later
 * has given already: the last of them are for solutions alone.
 */
import { fstatSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { Log } from '../../core/names/log.js';
import { syncFolder } from '../../files/sync-folder.js';
import type { NameTable } from './group.js';
import { openNew, pathOf, readFrom, type Segment } from './segments.js';

/** For solutions, when the disk takes nothing else. */
const RESERVED_BYTES = 64 * 2 ** 10;
const ZEROS = Buffer.alloc(64 * 2 ** 10);

interface SegmentOptions {
  readonly folder: string;
  readonly logId: string;
  /** Zeros are written so many at a time. */
  readonly stepBytes: number;
  readonly log: Log;
}

export class SegmentFile {
  readonly segment: Segment;
  readonly table: NameTable;
  readonly #folder: string;
  readonly #log: Log;
  #handle: FileHandle;
  readonly #stepBytes: number;
  /** Of the file, with its zeros. */
  #given = 0;
  /** Of a write that failed: what it may have left behind {@link Segment.bytes}. */
  #failed = 0;

  private constructor(options: SegmentOptions, segment: Segment, table: NameTable, handle: FileHandle) {
    this.#folder = options.folder;
    this.segment = segment;
    this.table = table;
    this.#handle = handle;
    this.#stepBytes = options.stepBytes;
    this.#log = options.log;
  }

  /** Leaves nothing behind where it fails, as far as the disk lets it. */
  static async create(options: SegmentOptions, number: number, table: NameTable): Promise<SegmentFile> {
    const { folder, logId } = options;
    const path = pathOf(folder, logId, number);
    const handle = await openNew(folder, path);
    const segment: Segment = { number, path, bytes: 0, names: table.names, isDamaged: false, handle };
    const file = new SegmentFile(options, segment, table, handle);
    await syncFolder(folder).catch(async (error: Error) => {
      await file.discard();
      throw error;
    });
    return file;
  }

  /**
   * Resolves when all of it is on the disk, under its name. After a rejection nobody knows how much of it is: {@link cutOff}.
   *
   * @param isSolution it may use what is reserved.
   */
  async write(parts: readonly Buffer[], isSolution = false): Promise<void> {
    const { segment } = this;
    if (this.#isRemoved()) await this.#writeAnew(segment.bytes);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    await this.#getRoom(segment.bytes + length, isSolution);
    this.#failed = length;
    const { bytesWritten } = await this.#handle.writev(parts, segment.bytes);
    if (bytesWritten < length)
      throw new Error(`no space left: ${bytesWritten} of ${length} bytes were taken`);
    await this.#handle.datasync();
    if (this.#isRemoved()) await this.#writeAnew(segment.bytes + length);
    segment.bytes += length;
    this.#failed = 0;
  }

  /** True when nothing is left on the disk of what {@link write} failed with. Room that was given is kept, if it can be. */
  async cutOff(): Promise<boolean> {
    if (this.#failed === 0) return true;
    const { bytes } = this.segment;
    try {
      await writeZeros(this.#handle, bytes, bytes + this.#failed).catch(async () => {
        await this.#handle.truncate(bytes);
        this.#given = bytes;
      });
      await this.#handle.datasync();
    } catch {
      return false; // it is tried again, and then a new segment
    }
    this.#failed = 0;
    return true;
  }

  /** Zeros up to there, and behind it what is reserved, unless they are there already. */
  async #getRoom(end: number, isSolution: boolean): Promise<void> {
    if (this.#given >= end + (isSolution ? 0 : RESERVED_BYTES)) return;
    const least = end + RESERVED_BYTES;
    try {
      await this.#takeRoom(least + this.#stepBytes).catch(() => this.#takeRoom(least));
    } catch (error) {
      if (!isSolution || this.#given < end) throw error;
    }
  }

  /** A disk that does not give all of it gets back what it gave. */
  async #takeRoom(to: number): Promise<void> {
    try {
      await writeZeros(this.#handle, this.#given, to);
      this.#given = to;
    } catch (error) {
      await this.#handle.truncate(this.#given).catch(() => {}); // it is written over
      throw error;
    }
  }

  /** It gets no further record. What somebody removed meanwhile is written anew, as far as the disk takes it. */
  async close(): Promise<void> {
    if (this.#isRemoved() && this.segment.bytes > 0) {
      await this.#writeAnew(this.segment.bytes).catch((error: Error) => {
        const fields = { path: this.segment.path, bytes: this.segment.bytes, error: error.message };
        const words = 'somebody removed a segment of the share log, and the disk does not take it anew';
        this.#log.error(fields, `${words}: shares of it that were not shipped are lost`);
      });
    }
    this.segment.handle = undefined;
    this.segment.names = undefined;
    await this.#handle.truncate(this.segment.bytes).catch(() => {}); // zeros are read over
    await this.#handle.close();
  }

  /** It holds nothing that counts. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.segment.path, { force: true }).catch(() => {}); // a start removes what is empty
  }

  /** A look at what the kernel has at hand, before each `true`: an unlinked file takes writes as ever. */
  #isRemoved(): boolean {
    return fstatSync(this.#handle.fd).nlink === 0;
  }

  /** Under the same name: the open file still has all of it. */
  async #writeAnew(bytes: number): Promise<void> {
    const { segment } = this;
    const content = await readFrom(this.#handle, 0, bytes);
    const handle = await openNew(this.#folder, segment.path);
    try {
      await handle.writeFile(content);
      await handle.datasync();
      await syncFolder(this.#folder);
    } catch (error) {
      await handle.close().catch(() => {});
      await rm(segment.path, { force: true }).catch(() => {}); // it is tried anew
      throw error;
    }
    const former = this.#handle;
    this.#handle = handle;
    this.#given = bytes;
    segment.handle = handle;
    await former.close();
    const words = 'somebody removed a segment of the share log while it was written; it is written anew';
    this.#log.error({ path: segment.path, bytes }, words);
  }
}

async function writeZeros(handle: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; ) {
    const length = Math.min(ZEROS.length, to - at);
    const { bytesWritten } = await handle.write(ZEROS, 0, length, at);
    if (bytesWritten < length)
      throw new Error(`no space left: ${bytesWritten} of ${length} bytes were taken`);
    at += length;
  }
}
