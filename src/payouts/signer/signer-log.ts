/**
 * What was signed, beside the key and not in the books: this is what a restored backup and a copied machine cannot forget.
 *
 *     {"signerLog":2,"key":"<public key>","atMs":…} <16 hex digits>
 *     {"signed":"<request key>","nonce":"sb1:3f9ea:31:1","chain":0,"amount":"1.5","atMs":…} …
 *     {"dead":"<request key>","evidence":"…","atMs":…} …
 *
 * Behind each line stands the hash of it and of all before it: a line that is altered, moved or gone is seen. Only the last may be
 * torn: nobody was handed a signature for it.
 *
 * It refuses a second, different command of a payment whose former one is not marked dead, and more than its own sum in 24 hours.
 * That sum counts what is dead too: who says so is the one that is to be bounded.
 *
 * It is one file for as long as the key is used, and all of it is in memory.
 */
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { type FolderLock, lockFolder } from '../../files/folder-lock.js';
import { nonceOf } from '../command/nonce.js';
import { inOrder } from '../turns.js';
import { type LogLine, linesAfter, type ReadLog, readLog } from './log-lines.js';
import { explained, openPrivate, writeNewPrivate } from './private-file.js';
import type { Dead } from './quicksign.js';
import type { Judgement, SignedBook } from './signed-book.js';
import { SignerError, type SignRequest } from './signer.js';

interface SignerLogOptions {
  /** Of the key beside it: the log of another key is refused. */
  readonly publicKey: string;
  /** In 24 hours; without it there is no such limit. */
  readonly daySum?: Amount | undefined;
  readonly nowMs: () => number;
  /** Commands that it holds; beyond that it takes no new one. */
  readonly most?: number;
}

const MOST_COMMANDS = 1_000_000;
const LONGEST_EVIDENCE = 500;
const WHAT = 'the signer log';
/** The lock of the folder that key and log are in: whoever signs there, bridge or command, is one. */
const SIGNER_LOCK = 'payouts-signer';

/** `payouts.signer-log` for `payouts.key`. */
export function signerLogOf(keyFile: string): string {
  return `${keyFile.replace(/\.key$/, '')}.signer-log`;
}

/** Makes an empty one: for a key that has signed nothing yet. Throws {@link SignerError} `exists` where there is one. */
export function newSignerLog(path: string, publicKey: string, nowMs: number): Promise<void> {
  const { bytes } = linesAfter('', [{ signerLog: 2, key: publicKey, atMs: nowMs }]);
  return writeNewPrivate(path, bytes, WHAT);
}

interface LogFacts {
  readonly payments: number;
  /** Of the last 24 hours. */
  readonly daySum: Amount;
}

/** Reads all of it and changes nothing; one that is being written may be read. Throws as {@link openSignerLog}. */
export async function checkSignerLog(path: string, publicKey: string, nowMs: number): Promise<LogFacts> {
  const file = await openPrivate(path, constants.O_RDONLY, WHAT);
  try {
    const { book } = await readLog(file, path, publicKey);
    return { payments: book.payments, daySum: book.daySum(nowMs) };
  } catch (error) {
    throw explained(error, path, WHAT);
  } finally {
    await file.close();
  }
}

/**
 * Opens it. Throws {@link SignerError}: `no-file` too, because a key without its log may have signed anything; `bad-file` for one
 * that is damaged.
 */
export async function openSignerLog(path: string, options: SignerLogOptions): Promise<SignerLog> {
  const lock = lockFolder(dirname(path), SIGNER_LOCK);
  let file: FileHandle | undefined;
  try {
    file = await openPrivate(path, constants.O_RDWR | constants.O_APPEND, WHAT);
    const read = await readLog(file, path, options.publicKey);
    if (read.isTorn) {
      await file.truncate(read.bytes);
      await file.sync();
    }
    return new SignerLog(path, options, { ...read, file, lock });
  } catch (error) {
    await file?.close();
    lock.release();
    throw explained(error, path, WHAT);
  }
}

interface OpenLog extends ReadLog {
  readonly file: FileHandle;
  readonly lock: FolderLock;
}

export class SignerLog {
  readonly #path: string;
  readonly #options: SignerLogOptions;
  readonly #lock: FolderLock;
  readonly #book: SignedBook;
  /** Of the last line. */
  #sum: string;
  #bytes: number;
  /** None after a write of which nobody knows what the disk has. */
  #file: FileHandle | undefined;
  readonly #inOrder = inOrder();

  /** For {@link openSignerLog}. */
  constructor(path: string, options: SignerLogOptions, { book, sum, bytes, file, lock }: OpenLog) {
    this.#path = path;
    this.#options = options;
    this.#lock = lock;
    this.#book = book;
    this.#sum = sum;
    this.#bytes = bytes;
    this.#file = file;
  }

  /**
   * Writes down what is about to be signed; resolves when it is on the disk, with a judgement of each: `new` and `known` may be
   * signed. What was signed before is not written twice. Rejects with {@link SignerError}: then nothing of it may be signed.
   */
  append(requests: readonly SignRequest[]): Promise<readonly Judgement[]> {
    return this.#inOrder(async () => {
      const { daySum, most = MOST_COMMANDS, nowMs } = this.#options;
      const atMs = nowMs();
      const judgements = this.#book.judge(requests, { daySum, most }, atMs);
      const fresh = requests.filter((_, i) => judgements[i]?.is === 'new');
      await this.#write(
        fresh.map((one) => ({
          signed: one.requestKey,
          nonce: nonceOf(one),
          chain: one.chainId,
          amount: amountLiteral(one.amount),
          atMs,
        })),
      );
      for (const one of fresh) this.#book.note(one, atMs);
      return judgements;
    });
  }

  /** Other commands of their payments may be signed from now on. Nothing happens for a command that it does not hold. */
  markDead(dead: readonly Dead[]): Promise<void> {
    return this.#inOrder(async () => {
      // Each once: a line for what is dead already would be damage.
      const live = new Map(
        dead.flatMap(({ requestKey, evidence }) =>
          this.#book.isLive(requestKey) ? [[requestKey, evidence.slice(0, LONGEST_EVIDENCE)]] : [],
        ),
      );
      const atMs = this.#options.nowMs();
      await this.#write([...live].map(([key, evidence]) => ({ dead: key, evidence, atMs })));
      for (const requestKey of live.keys()) this.#book.noteDead(requestKey);
    });
  }

  async close(): Promise<void> {
    await this.#inOrder(async () => this.#file?.close());
    this.#file = undefined;
    this.#lock.release();
  }

  /** All of them on the disk, or none: what was written of them is cut off again. */
  async #write(lines: readonly LogLine[]): Promise<void> {
    if (lines.length === 0) return;
    const file = this.#file;
    if (!file) throw new SignerError('broken', `${WHAT} ${this.#path} could not be written: open it anew`);
    const { bytes, sum } = linesAfter(this.#sum, lines);
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
}
