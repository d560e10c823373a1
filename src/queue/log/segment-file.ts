/** The segment that is written to: whole groups, each synced before it counts. */
import { fstatSync } from 'node:fs';
import { type FileHandle, rm } from 'node:fs/promises';
import type { Log } from '../../core/names/log.js';
import { syncFolder } from '../../files/sync-folder.js';
import type { NameTable } from './group.js';
import { openNew, pathOf, readFrom, type Segment } from './segments.js';

export class SegmentFile {
  readonly segment: Segment;
  readonly table: NameTable;
  readonly #folder: string;
  readonly #log: Log;
  #handle: FileHandle;

  private constructor(folder: string, segment: Segment, table: NameTable, handle: FileHandle, log: Log) {
    this.#folder = folder;
    this.segment = segment;
    this.table = table;
    this.#handle = handle;
    this.#log = log;
  }

  /** Leaves nothing behind where it fails, as far as the disk lets it. */
  static async create(
    folder: string,
    producer: string,
    number: number,
    table: NameTable,
    log: Log,
  ): Promise<SegmentFile> {
    const path = pathOf(folder, producer, number);
    const handle = await openNew(folder, path);
    const segment: Segment = { number, path, bytes: 0, names: table.names, isDamaged: false, handle };
    const file = new SegmentFile(folder, segment, table, handle, log);
    await syncFolder(folder).catch(async (error: Error) => {
      await file.discard();
      throw error;
    });
    return file;
  }

  /** Resolves when all of it is on the disk, under its name. After a rejection nobody knows how much of it is: {@link cutOff}. */
  async write(parts: readonly Buffer[]): Promise<void> {
    const { segment } = this;
    if (this.#isRemoved()) await this.#writeAnew(segment.bytes);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const { bytesWritten } = await this.#handle.writev(parts, segment.bytes);
    if (bytesWritten < length)
      throw new Error(`no space left: ${bytesWritten} of ${length} bytes were taken`);
    await this.#handle.datasync();
    if (this.#isRemoved()) await this.#writeAnew(segment.bytes + length);
    segment.bytes += length;
  }

  /** True when nothing is left on the disk of what {@link write} failed with. */
  async cutOff(): Promise<boolean> {
    return this.#handle
      .truncate(this.segment.bytes)
      .then(() => this.#handle.datasync())
      .then(
        () => true,
        () => false,
      );
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
    segment.handle = handle;
    await former.close();
    const words = 'somebody removed a segment of the share log while it was written; it is written anew';
    this.#log.error({ path: segment.path, bytes }, words);
  }
}
