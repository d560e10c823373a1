/** The certificate in force: read from two files, and read again when they change. */
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Log } from '../core/log.js';

export interface CertificateFiles {
  /** PEM: the certificate and those it hangs on. */
  readonly certificateFile: string;
  /** PEM. */
  readonly privateKeyFile: string;
}

/** The files are missing, or hold no certificate and the key to it. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly code = 'stratum-certificate';
}

/** What a server asks for the certificate in force, at each TLS hello. */
export interface CertificateSource {
  readonly context: SecureContext;
}

const LOOK_AGAIN_MS = 5000;

export class Certificate implements CertificateSource {
  readonly #files: CertificateFiles;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #context: SecureContext;
  #seen: string;

  /** Rejects with {@link CertificateError}. Looks at the files every few seconds until closed. */
  static async open(
    files: CertificateFiles,
    log: Log,
    lookAgainMs: number = LOOK_AGAIN_MS,
  ): Promise<Certificate> {
    const seen = await changedAt(files);
    return new Certificate(files, log, lookAgainMs, await contextOf(files), seen);
  }

  private constructor(
    files: CertificateFiles,
    log: Log,
    lookAgainMs: number,
    context: SecureContext,
    seen: string,
  ) {
    this.#files = files;
    this.#log = log;
    this.#context = context;
    this.#seen = seen;
    this.#timer = setInterval(() => void this.#lookAgain(), lookAgainMs);
  }

  get context(): SecureContext {
    return this.#context;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A pair that does not fit, as when one of the two files is written and the other not yet, changes nothing. */
  async #lookAgain(): Promise<void> {
    try {
      const seen = await changedAt(this.#files);
      if (seen === this.#seen) return;
      this.#context = await contextOf(this.#files);
      this.#seen = seen;
      this.#log.info({ file: this.#files.certificateFile }, 'the certificate was read again');
    } catch (error) {
      this.#log.warn({ error: (error as Error).message }, 'the former certificate stays in force');
    }
  }
}

async function changedAt({ certificateFile, privateKeyFile }: CertificateFiles): Promise<string> {
  const times = await Promise.all(
    [certificateFile, privateKeyFile].map(async (file) => (await read(file, stat)).mtimeMs),
  );
  return times.join(' ');
}

async function contextOf({ certificateFile, privateKeyFile }: CertificateFiles): Promise<SecureContext> {
  const [cert, key] = [await read(certificateFile, readFile), await read(privateKeyFile, readFile)];
  try {
    return createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
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
