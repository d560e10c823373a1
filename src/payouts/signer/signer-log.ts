/**
 * What was signed, beside the key and not in the books: this is what a restored backup and a copied machine cannot forget.
 *
 *     {"signerLog":1,"key":"<public key>","atMs":…,"closed":{}} <16 hex digits>
 *     {"signed":"<request key>","ledger":"3f9ea","payment":"31","attempt":1,"chain":0,"amount":"1.5","created":…,"ttl":900,"atMs":…} …
 *     {"dead":"<request key>","evidence":"…","atMs":…} …
 *
 * Behind each line stands the hash of it and of all before it: a line that is altered, moved or gone is seen. Only the last may be
 * torn: nobody was handed a signature for it.
 *
 * It refuses a second, different command of a payment whose former one is not marked dead, and more than its own sum in 24 hours.
 * That sum counts what is dead too: who says so is the one that is to be bounded.
 *
 * Memory: a payment takes some 700 bytes (measured with 100,000). Beyond `keep` payments, those that are older than eight days (no command lives that
 * long) are closed: the log keeps of each ledger the highest of their numbers, and signs nothing up to it that it does not hold,
 * be it old or new. Nothing is ever forgotten into being allowed.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Amount } from '../../core/money/amount.js';
import { type FolderLock, lockFolder } from '../../files/folder-lock.js';
import { deadText, headText, linesAfter, readLog, signedText } from './log-lines.js';
import { explained, openPrivate, replacePrivate, writeNewPrivate } from './private-file.js';
import { SignedBook, type Signing } from './signed-book.js';
import { SignerError } from './signer.js';

interface SignerLogOptions {
  /** Of the key beside it: the log of another key is refused. */
  readonly publicKey: string;
  /** In 24 hours; without it there is no such limit. */
  readonly daySum?: Amount | undefined;
  readonly nowMs: () => number;
  readonly limits?: LogLimits;
}

interface LogLimits {
  /** Payments in memory beyond which old ones are closed. */
  readonly keep: number;
  /** Beyond which nothing more is signed. */
  readonly most: number;
}

const LIMITS: LogLimits = { keep: 100_000, most: 1_000_000 };
const WHAT = 'the signer log';
/** The lock of the folder that key and log are in: whoever signs there, bridge or command, is one. */
const SIGNER_LOCK = 'payouts-signer';
/** Longer than a command lives (two days), and than a clock is wrong that anybody looks at. */
const OLD_MS = 8 * 86_400_000;

type LogAnswer = { readonly is: 'written' } | { readonly is: 'refused'; readonly why: string };

/** `payouts.signer-log` for `payouts.key`. */
export function signerLogOf(keyFile: string): string {
  return `${keyFile.replace(/\.key$/, '')}.signer-log`;
}

/** Makes an empty one: for a key that has signed nothing yet. Throws {@link SignerError} `exists` where there is one. */
export function newSignerLog(path: string, publicKey: string, nowMs: number): Promise<void> {
  return writeNewPrivate(path, linesAfter('', [headText(publicKey, nowMs)]).bytes, WHAT);
}

/**
 * Opens it. Throws {@link SignerError}: `no-file` too, because a key without its log may have signed anything; `bad-file` for one
 * that is damaged.
 */
export async function openSignerLog(path: string, options: SignerLogOptions): Promise<SignerLog> {
  const lock = lockFolder(dirname(path), SIGNER_LOCK);
  try {
    const log = new SignerLog(path, options, lock);
    await log.open();
    return log;
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface LogFacts {
  /** That it holds one by one. */
  readonly payments: number;
  /** Of the last 24 hours. */
  readonly daySum: Amount;
}

/** Reads all of it and changes nothing; one that is being written may be read. Throws as {@link openSignerLog}. */
export async function checkSignerLog(path: string, publicKey: string, nowMs: number): Promise<LogFacts> {
  const file = await openPrivate(path, constants.O_RDONLY, WHAT);
  try {
    const { book } = await readLog(file, path, publicKey);
    return { payments: book.size, daySum: book.daySum(nowMs) };
  } catch (error) {
    throw explained(error, path, WHAT);
  } finally {
    await file.close();
  }
}

export class SignerLog {
  readonly #path: string;
  readonly #options: SignerLogOptions;
  readonly #limits: LogLimits;
  readonly #lock: FolderLock;
  #book = new SignedBook();
  #sum = '';
  #bytes = 0;
  /** So many payments in memory before it is looked again whether half of them are old. */
  #nextLook = 0;
  /** None after a write of which nobody knows what the disk has. */
  #file: FileHandle | undefined;
  /** One after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** For {@link openSignerLog}. */
  constructor(path: string, options: SignerLogOptions, lock: FolderLock) {
    this.#path = path;
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    this.#lock = lock;
  }

  async open(): Promise<void> {
    await this.#read();
    await this.#closeOld();
  }

  /** In memory. */
  get payments(): number {
    return this.#book.size;
  }

  /** Of the last 24 hours. */
  get daySum(): Amount {
    return this.#book.daySum(this.#options.nowMs());
  }

  /**
   * Writes down what is about to be signed; resolves when it is on the disk, with an answer for each. What was signed before may be
   * signed again and is not written twice. Rejects with {@link SignerError}: then nothing of it may be signed.
   */
  append(signings: readonly Signing[]): Promise<readonly LogAnswer[]> {
    return this.#inTurn(async () => {
      const nowMs = this.#options.nowMs();
      const bounds = { daySum: this.#options.daySum, most: this.#limits.most };
      const judgements = this.#book.judge(signings, bounds, nowMs);
      const fresh = signings.filter((_, i) => judgements[i]?.is === 'new');
      await this.#write(fresh.map((one) => signedText(one, nowMs)));
      for (const one of fresh) this.#book.note(one, nowMs);
      if (fresh.length > 0) await this.#closeOld();
      return judgements.map((each): LogAnswer => (each.is === 'refused' ? each : { is: 'written' }));
    });
  }

  /** Another command of its payment may be signed from now on. Nothing happens for a command that it does not hold. */
  markDead(requestKey: string, evidence: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#book.isLive(requestKey)) return;
      await this.#write([deadText(requestKey, evidence, this.#options.nowMs())]);
      this.#book.noteDead(requestKey);
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => this.#file?.close());
    this.#file = undefined;
    this.#lock.release();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn;
    return turn;
  }

  async #read(): Promise<void> {
    const file = await openPrivate(this.#path, constants.O_RDWR | constants.O_APPEND, WHAT);
    try {
      const { book, sum, bytes, size } = await readLog(file, this.#path, this.#options.publicKey);
      if (size > bytes) {
        await file.truncate(bytes);
        await file.sync();
      }
      [this.#book, this.#sum, this.#bytes, this.#file] = [book, sum, bytes, file];
    } catch (error) {
      await file.close();
      throw explained(error, this.#path, WHAT);
    }
  }

  /** All of them on the disk, or none: what was written of them is cut off again. */
  async #write(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    const file = this.#file;
    if (!file) throw new SignerError('broken', `${WHAT} ${this.#path} could not be written: open it anew`);
    const { bytes, sum } = linesAfter(this.#sum, texts);
    try {
      await file.appendFile(bytes);
      await file.datasync();
    } catch (error) {
      await this.#cutOff(file);
      throw explained(error, this.#path, WHAT);
    }
    this.#sum = sum;
    this.#bytes += bytes.length;
  }

  async #cutOff(file: FileHandle): Promise<void> {
    try {
      await file.truncate(this.#bytes);
      await file.sync();
    } catch {
      // Told by the error of the write itself, and by every one that follows.
      this.#file = undefined;
      await file.close().catch(() => undefined);
    }
  }

  /** A new log in place of this one, without what is old, where there is too much and half of that is old. */
  async #closeOld(): Promise<void> {
    const { keep } = this.#limits;
    if (this.payments <= keep || this.payments < this.#nextLook || !this.#file) return;
    this.#nextLook = this.payments + Math.ceil(keep / 10);
    const nowMs = this.#options.nowMs();
    const { closed, left } = this.#book.closedBefore(nowMs - OLD_MS);
    if (left < keep / 2) return;
    this.#nextLook = 0;
    const { publicKey } = this.#options;
    const { young } = await readLog(this.#file, this.#path, publicKey, nowMs - OLD_MS);
    await replacePrivate(
      this.#path,
      linesAfter('', [headText(publicKey, nowMs, closed), ...young]).bytes,
      WHAT,
    );
    await this.#file.close();
    this.#file = undefined;
    await this.#read();
  }
}
