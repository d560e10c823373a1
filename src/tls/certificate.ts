/** The certificate in force, of rigs' ports or of the web: read from two files, and read again when they change. */
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Log } from '../core/names/log.js';

export interface CertificateFiles {
  /** PEM: the certificate and those it hangs on. */
  readonly certificateFile: string;
  /** PEM. */
  readonly privateKeyFile: string;
}

/** The files are missing, or hold no certificate and the key to it. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly code = 'certificate';
}

/** Both as they stand in their files: PEM. */
interface CertificatePem {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** What we serve, whoever offers less. */
export const MIN_TLS_VERSION = 'TLSv1.2';

const LOOK_AGAIN_MS = 5000;

interface Pair {
  readonly pem: CertificatePem;
  readonly context: SecureContext;
}

/** A server asks for `context` at each TLS hello; one of Node.js's own keeps a pair, and is told of the next. */
export class Certificate {
  #files: CertificateFiles;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<(pem: CertificatePem) => void>();
  #pair: Pair;
  #seen: string;
  /** What was told last of files that are no pair: each state of them is told once. */
  #told = '';

  /** Rejects with {@link CertificateError}. Looks at the files every few seconds until closed. */
  static async open(
    files: CertificateFiles,
    log: Log,
    lookAgainMs: number = LOOK_AGAIN_MS,
  ): Promise<Certificate> {
    const seen = await changedAt(files);
    return new Certificate(files, log, lookAgainMs, await pairIn(files), seen);
  }

  private constructor(files: CertificateFiles, log: Log, lookAgainMs: number, pair: Pair, seen: string) {
    this.#files = files;
    this.#log = log;
    this.#pair = pair;
    this.#seen = seen;
    this.#timer = setInterval(() => void this.#lookAgain(), lookAgainMs);
  }

  get context(): SecureContext {
    return this.#pair.context;
  }

  get pem(): CertificatePem {
    return this.#pair.pem;
  }

  /** `listener` is told of each pair from now on, until what is returned is called. */
  onChange(listener: (pem: CertificatePem) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * Reads the files now, or others in their place. Rejects with {@link CertificateError} when they are no pair; the former
   * certificate stays in force then, and its files are looked at.
   */
  async read(files: CertificateFiles = this.#files): Promise<void> {
    const seen = await changedAt(files);
    this.#pair = await pairIn(files);
    this.#seen = seen;
    this.#files = files;
    for (const listener of this.#listeners) listener(this.#pair.pem);
    this.#log.info({ file: files.certificateFile }, 'the certificate was read again');
  }

  /** A pair that does not fit, as when one of the two files is written and the other not yet, changes nothing. */
  async #lookAgain(): Promise<void> {
    let seen = '';
    try {
      seen = await changedAt(this.#files);
      if (seen !== this.#seen && seen !== this.#told) await this.read();
    } catch (error) {
      const { message } = error as Error;
      if (this.#told === (seen || message)) return;
      this.#told = seen || message;
      this.#log.warn({ error: message }, 'the former certificate stays in force');
    }
  }
}

async function changedAt({ certificateFile, privateKeyFile }: CertificateFiles): Promise<string> {
  const times = await Promise.all(
    [certificateFile, privateKeyFile].map(async (file) => (await read(file, stat)).mtimeMs),
  );
  return times.join(' ');
}

async function pairIn({ certificateFile, privateKeyFile }: CertificateFiles): Promise<Pair> {
  const cert = await read(certificateFile, (file) => readFile(file));
  const key = await read(privateKeyFile, (file) => readFile(file));
  try {
    return { pem: { cert, key }, context: createSecureContext({ cert, key, minVersion: MIN_TLS_VERSION }) };
  } catch (cause) {
    const message = `${certificateFile} and ${privateKeyFile} are no certificate with its key: ${(cause as Error).message}`;
    throw new CertificateError(message, { cause });
  }
}

async function read<T>(file: string, reader: (file: string) => Promise<T>): Promise<T> {
  try {
    return await reader(file);
  } catch (cause) {
    throw new CertificateError(`cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}
