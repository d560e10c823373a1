/**
 * Records on disk for the time that the queue is away: appended and synced, given back in order.
 *
 *     <folder>/000001.spool, 000002.spool, …     records, one after the other
 *     record: length (4 bytes), CRC-32 of the text (4 bytes), both little-endian, then the text in UTF-8
 *
 * Records lie in files of bounded size so that what was given back frees its space. A file is removed when all its records
 * are taken; a crash before that gives them back once more, so takers must know repeats. A torn record at the end of a
 * file was never acknowledged and is left out. A record that does not check elsewhere is a broken disk: its file is put
 * aside as `.broken` for people to look at, and said loudly; its good records are given back.
 */
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Log } from '../core/log.js';
import { syncFolder } from './sync-folder.js';

export interface SpoolLimits {
  /** All files together. */
  readonly totalBytes: number;
  readonly fileBytes: number;
}

/** A file is what is replayed once more after a crash; it holds some ten full entries, or some thousand small ones. */
export const SPOOL_LIMITS: SpoolLimits = { totalBytes: 512 * 2 ** 20, fileBytes: 256 * 2 ** 10 };

const HEAD_BYTES = 8;
const FILE_NAME = /^(\d{6,15})\.spool$/;

/** The spool could not take a record; `spool-unsure`: it may be in a file nevertheless. */
export class SpoolError extends Error {
  override readonly name = 'SpoolError';
  readonly code: 'spool-full' | 'spool-broken' | 'spool-unsure';

  constructor(code: SpoolError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

interface SpoolFile {
  readonly number: number;
  bytes: number;
  records: number;
}

export class Spool {
  readonly #folder: string;
  readonly #limits: SpoolLimits;
  readonly #log: Log;
  /** Oldest first; the last is written to while {@link #handle} is open. */
  readonly #files: SpoolFile[];
  #handle: FileHandle | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, limits: SpoolLimits, log: Log, files: SpoolFile[]) {
    this.#folder = folder;
    this.#limits = limits;
    this.#log = log;
    this.#files = files;
  }

  /** Opens the spool in `folder` (made if it is not there), which belongs to this process alone. */
  static async open(folder: string, log: Log, limits: SpoolLimits = SPOOL_LIMITS): Promise<Spool> {
    await mkdir(folder, { recursive: true });
    const numbers = (await readdir(folder)).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).map(Number);
    const files: SpoolFile[] = [];
    for (const number of numbers.sort((a, b) => a - b)) {
      const path = pathOf(folder, number);
      const { records } = readRecords(await readFile(path));
      files.push({ number, bytes: (await stat(path)).size, records: records.length });
    }
    return new Spool(folder, limits, log, files);
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
      const [file] = this.#files;
      if (!file) return undefined;
      if (this.#files.length === 1) await this.#closeFile();
      const path = pathOf(this.#folder, file.number);
      const { records, damage } = readRecords(await readFile(path));
      if (damage === 'inside') this.#log.error({ path }, 'a spool file is damaged: it is kept as .broken');
      return { number: file.number, records };
    });
  }

  /** Every record of that file was taken. */
  async remove(number: number): Promise<void> {
    await this.#inTurn(async () => {
      const path = pathOf(this.#folder, number);
      const { damage } = readRecords(await readFile(path));
      if (damage === 'inside') await rename(path, `${path}.broken`);
      else await rm(path, { force: true });
      await syncFolder(this.#folder);
      const at = this.#files.findIndex((file) => file.number === number);
      if (at >= 0) this.#files.splice(at, 1);
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(() => this.#closeFile());
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
      const { handle, file } = await this.#fileFor(record.length);
      await this.#writeWhole(handle, file, record);
    } catch (cause) {
      if (cause instanceof SpoolError) throw cause;
      const words = `the spool in ${this.#folder} cannot be written: ${(cause as Error).message}`;
      throw new SpoolError('spool-broken', words, { cause });
    }
  }

  /** What a failed write left behind is cut off; if even that fails, the file gets no further record. */
  async #writeWhole(handle: FileHandle, file: SpoolFile, record: Buffer): Promise<void> {
    try {
      const { bytesWritten } = await handle.write(record, 0, record.length, file.bytes);
      if (bytesWritten < record.length)
        throw new Error(`only ${bytesWritten} of ${record.length} bytes were taken`);
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
    file.bytes += record.length;
    file.records++;
  }

  async #fileFor(bytes: number): Promise<{ handle: FileHandle; file: SpoolFile }> {
    const last = this.#files.at(-1);
    if (this.#handle && last && last.bytes + bytes <= this.#limits.fileBytes) {
      return { handle: this.#handle, file: last };
    }
    await this.#closeFile();
    const file = { number: (last?.number ?? 0) + 1, bytes: 0, records: 0 };
    this.#handle = await open(pathOf(this.#folder, file.number), 'wx', 0o600);
    this.#files.push(file);
    await syncFolder(this.#folder);
    return { handle: this.#handle, file };
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

function pathOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.spool`);
}

function encodeRecord(text: string): Buffer {
  const body = Buffer.from(text);
  const record = Buffer.alloc(HEAD_BYTES + body.length);
  record.writeUInt32LE(body.length, 0);
  record.writeUInt32LE(crc32(body), 4);
  body.copy(record, HEAD_BYTES);
  return record;
}

interface ReadRecords {
  readonly records: string[];
  /** At the end: a write that was cut short. Inside: something that was once whole. */
  readonly damage: 'none' | 'end' | 'inside';
}

/**
 * Reads past a record whose text does not check, as long as its length leads to the next. A length of zero is none: that is
 * how a file looks that grew before its content came.
 */
export function readRecords(bytes: Buffer): ReadRecords {
  const records: string[] = [];
  let bad = 0;
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const end = at + HEAD_BYTES + length;
    if (length === 0 || end > bytes.length) break;
    const body = bytes.subarray(at + HEAD_BYTES, end);
    if (crc32(body) === bytes.readUInt32LE(at + 4)) records.push(body.toString());
    else bad++;
    at = end;
  }
  if (bad > 0) return { records, damage: 'inside' };
  return { records, damage: at < bytes.length ? 'end' : 'none' };
}
