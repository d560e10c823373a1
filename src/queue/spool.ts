/**
 * Records on disk for the time that the queue is away: appended and synced, given back in order.
 *
 *     <folder>/1700000000000.spool, …     records, one after the other (`spool-records.ts`)
 *
 * Records lie in files of bounded size so that what was given back frees its space. Files are numbered by the time of the
 * start, so that no number comes again. A file is removed when all its records are taken; a crash before that gives them back
 * once more, so takers must know repeats. A torn record at the end of a file was never acknowledged and is left out. A record
 * that does not check elsewhere is a broken disk: its file is put aside as `.broken` for people to look at, and said loudly;
 * its good records are given back.
 */
import { type FileHandle, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { Log } from '../core/log.js';
import { openPrivateFolder } from './private-folder.js';
import { SpoolError } from './spool-error.js';
import { ifThere, openNew, pathOf, putAside, readFrom } from './spool-files.js';
import { encodeRecord, readRecords } from './spool-records.js';
import { syncFolder } from './sync-folder.js';

export interface SpoolLimits {
  /** All files together. */
  readonly totalBytes: number;
  readonly fileBytes: number;
}

/** A file is what is replayed once more after a crash; it holds some ten full entries, or some thousand small ones. */
export const SPOOL_LIMITS: SpoolLimits = { totalBytes: 512 * 2 ** 20, fileBytes: 256 * 2 ** 10 };

const FILE_NAME = /^(\d{6,15})\.spool$/;
/** Files that others remove at once while they are written; after that many it is no accident. */
const MAX_REMOVALS = 3;

interface SpoolFile {
  readonly number: number;
  bytes: number;
  records: number;
  /** Seen when it was given back. */
  isDamaged: boolean;
  /** Its content, where somebody has removed it and the disk takes no other in its place. */
  held?: Buffer | undefined;
}

/** Records on their way into a file. */
interface Bundle {
  readonly bytes: Buffer;
  readonly records: number;
}

const NOTHING: Bundle = { bytes: Buffer.alloc(0), records: 0 };

export class Spool {
  readonly #folder: string;
  readonly #limits: SpoolLimits;
  readonly #log: Log;
  /** Oldest first; the last is written to while {@link #handle} is open. */
  readonly #files: SpoolFile[];
  #handle: FileHandle | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  #nextNumber: number;

  private constructor(folder: string, limits: SpoolLimits, log: Log, files: SpoolFile[], nextNumber: number) {
    this.#folder = folder;
    this.#limits = limits;
    this.#log = log;
    this.#files = files;
    this.#nextNumber = nextNumber;
  }

  /** Opens the spool in `folder` (made if it is not there), which belongs to this process alone. */
  static async open(
    folder: string,
    log: Log,
    limits: SpoolLimits = SPOOL_LIMITS,
    nowMs: () => number = Date.now,
  ): Promise<Spool> {
    await openPrivateFolder(folder);
    const numbers = (await readdir(folder)).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).map(Number);
    const files: SpoolFile[] = [];
    for (const number of numbers.sort((a, b) => a - b)) {
      const path = pathOf(folder, number);
      const { records } = readRecords(await readFile(path));
      files.push({ number, bytes: (await stat(path)).size, records: records.length, isDamaged: false });
    }
    return new Spool(folder, limits, log, files, Math.max(nowMs(), ...numbers.map((number) => number + 1)));
  }

  /** Records that wait. */
  get records(): number {
    return this.#files.reduce((sum, file) => sum + file.records, 0);
  }

  get bytes(): number {
    return this.#files.reduce((sum, file) => sum + file.bytes, 0);
  }

  /** Resolves when the record is on the disk. Throws {@link SpoolError}; unless unsure, the record is not in the spool then. */
  append(text: string): Promise<void> {
    return this.#inTurn(() => this.#append(encodeRecord(text)));
  }

  /** The records of the oldest file; `undefined` when there is none. The file is closed to further records. */
  async oldest(): Promise<{ number: number; records: readonly string[] } | undefined> {
    return this.#inTurn(async () => {
      for (let file = this.#files[0]; file; file = this.#files[0]) {
        const bytes = await this.#contentOf(file);
        if (bytes) return { number: file.number, records: this.#recordsOf(file, bytes) };
        this.#files.shift();
        const fields = { path: pathOf(this.#folder, file.number), entries: file.records };
        this.#log.error(fields, 'a spool file was removed by somebody: its acknowledged shares are lost');
      }
      return undefined;
    });
  }

  /** Every record of that file was taken. */
  async remove(number: number): Promise<void> {
    await this.#inTurn(async () => {
      const path = pathOf(this.#folder, number);
      const at = this.#files.findIndex((file) => file.number === number);
      if (this.#files[at]?.isDamaged) await putAside(path);
      else await rm(path, { force: true });
      if (at >= 0) this.#files.splice(at, 1);
      await syncFolder(this.#folder).catch(ifThere);
    });
  }

  /** What that file gave back is not all of use: it is put aside when it is removed. */
  async spoil(number: number, records: number): Promise<void> {
    await this.#inTurn(async () => {
      const file = this.#files.find((one) => one.number === number);
      if (file) file.isDamaged = true;
      const fields = { path: pathOf(this.#folder, number), entries: records };
      this.#log.error(
        fields,
        'a spool file holds what is no entry: it is kept as .broken, and the rest is replayed',
      );
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#holdRemoved();
      await this.#closeFile();
      await this.#writeHeld();
      const entries = this.#files.reduce((sum, { held, records }) => sum + (held ? records : 0), 0);
      const words =
        'the spool ends and the disk does not take what somebody removed from it: its shares are lost';
      if (entries > 0) this.#log.error({ path: this.#folder, entries }, words);
    });
  }

  /** One operation at a time: what is written, read and counted belongs together. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action);
    this.#turn = result.catch(() => {}); // told to the caller; the next in turn starts anew
    return result;
  }

  async #append(record: Buffer): Promise<void> {
    if (this.bytes + record.length > this.#limits.totalBytes) {
      const size = `${this.#limits.totalBytes} bytes`;
      throw new SpoolError('spool-full', `the spool in ${this.#folder} holds all it may, ${size}`);
    }
    try {
      await this.#writeHeld();
      await this.#keep({ bytes: record, records: 1 });
    } catch (cause) {
      if (cause instanceof SpoolError) throw cause;
      const words = `the spool in ${this.#folder} cannot be written: ${(cause as Error).message}`;
      throw new SpoolError('spool-broken', words, { cause });
    }
  }

  /** What goes into a file that somebody has removed would be gone: all of it goes into a new one. */
  async #keep(bundle: Bundle): Promise<void> {
    let left = bundle;
    try {
      for (let removals = 0; ; removals++) {
        const { handle, file } = await this.#fileFor(left.bytes.length);
        await this.#writeWhole(handle, file, left);
        if ((await handle.stat()).nlink > 0) return;
        const path = pathOf(this.#folder, file.number);
        left = { bytes: await readFrom(handle, file.bytes), records: file.records };
        this.#files.pop();
        await this.#closeFile();
        if (removals === MAX_REMOVALS)
          throw new Error(`${path} was removed by somebody while it was written`);
        const words =
          'a spool file was removed by somebody while it was written; its shares go into a new one';
        this.#log.error({ path, entries: left.records }, words);
      }
    } catch (error) {
      await this.#hold(left, bundle);
      throw error;
    }
  }

  /** All but the last of what is left was acknowledged before: until the disk takes it, it is kept here. */
  async #hold(left: Bundle, last: Bundle): Promise<void> {
    const records = left.records - last.records;
    if (records === 0) return;
    await this.#closeFile();
    const held = left.bytes.subarray(0, left.bytes.length - last.bytes.length);
    this.#files.push({ number: this.#nextNumber++, bytes: held.length, records, isDamaged: false, held });
  }

  /** What was removed since it was written last. */
  async #holdRemoved(): Promise<void> {
    const file = this.#files.at(-1);
    if (!this.#handle || !file || (await this.#handle.stat()).nlink > 0) return;
    this.#files.pop();
    await this.#hold({ bytes: await readFrom(this.#handle, file.bytes), records: file.records }, NOTHING);
  }

  /** As far as the disk takes it. */
  async #writeHeld(): Promise<void> {
    for (const file of this.#files) {
      const { held, records, number } = file;
      if (!held) continue;
      try {
        const handle = await openNew(this.#folder, pathOf(this.#folder, number));
        await this.#writeWhole(handle, { ...file, bytes: 0 }, { bytes: held, records }).finally(() =>
          handle.close(),
        );
        await syncFolder(this.#folder);
        file.held = undefined;
      } catch (error) {
        this.#log.debug(
          { error: (error as Error).message },
          'what was removed from the spool has no file yet',
        );
        await rm(pathOf(this.#folder, number), { force: true }).catch(() => {}); // it is tried anew
      }
    }
  }

  /** What a failed write left behind is cut off; if even that fails, the file gets no further record. */
  async #writeWhole(handle: FileHandle, file: SpoolFile, { bytes, records }: Bundle): Promise<void> {
    try {
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, file.bytes);
      if (bytesWritten < bytes.length)
        throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were taken`);
      await handle.datasync();
    } catch (error) {
      const cut = await handle
        .truncate(file.bytes)
        .then(() => handle.datasync())
        .then(
          () => true,
          () => false,
        );
      if (cut) throw error;
      await this.#closeFile().catch(() => {}); // it gets no further record, whatever its end was
      const words = `the spool in ${this.#folder} failed and keeps what it failed with: ${(error as Error).message}`;
      throw new SpoolError('spool-unsure', words, { cause: error });
    }
    file.bytes += bytes.length;
    file.records += records;
  }

  async #fileFor(bytes: number): Promise<{ handle: FileHandle; file: SpoolFile }> {
    const last = this.#files.at(-1);
    if (this.#handle && last && last.bytes + bytes <= this.#limits.fileBytes) {
      return { handle: this.#handle, file: last };
    }
    await this.#closeFile();
    const file = { number: this.#nextNumber++, bytes: 0, records: 0, isDamaged: false };
    this.#handle = await openNew(this.#folder, pathOf(this.#folder, file.number));
    this.#files.push(file);
    await syncFolder(this.#folder);
    return { handle: this.#handle, file };
  }

  /** `undefined` when it is not there any more. One that is open is read whatever became of its name. */
  async #contentOf(file: SpoolFile): Promise<Buffer | undefined> {
    if (file.held) return file.held;
    const handle = file === this.#files.at(-1) ? this.#handle : undefined;
    if (handle) {
      const bytes = await readFrom(handle, file.bytes);
      await this.#closeFile();
      return bytes;
    }
    return readFile(pathOf(this.#folder, file.number)).catch(ifThere);
  }

  #recordsOf(file: SpoolFile, bytes: Buffer): readonly string[] {
    const { records, damage } = readRecords(bytes);
    file.isDamaged = damage === 'inside' || records.length < file.records;
    const fields = { path: pathOf(this.#folder, file.number), read: records.length, written: file.records };
    if (file.isDamaged) this.#log.error(fields, 'a spool file is damaged: it is kept as .broken');
    return records;
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
