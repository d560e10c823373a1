/**
 * Links by which an operator opens the page: each signs in once, within an hour, at any bridge of the data directory.
 *
 *     <folder>/<digest of the secret>    the name of the token that made it, empty for who is on the machine; its time is the file's
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const LINK_MS = 3_600_000;
/** The oldest gives way. */
const MOST_LINKS = 16;

export class Links {
  readonly #folder: string;

  /** @param folder made with the first of them. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param nowMs on the machine's clock, as below. @param token whose holder makes it; empty: who is on the machine. */
  make(nowMs: number, token = ''): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const secret = randomBytes(32).toString('base64url');
    const path = this.#pathOf(secret);
    writeFileSync(path, token, { mode: 0o600 });
    utimesSync(path, nowMs / 1000, nowMs / 1000);
    const all = readdirSync(this.#folder).map((name) => join(this.#folder, name));
    for (const old of all.sort((a, b) => madeAtMs(b) - madeAtMs(a)).slice(MOST_LINKS))
      rmSync(old, { force: true });
    return secret;
  }

  /** Where it signs in, which it does no more then, the token that made it, or empty; else `undefined`. */
  use(secret: string, nowMs: number): string | undefined {
    const path = this.#pathOf(secret);
    const untilMs = madeAtMs(path) + LINK_MS;
    try {
      const token = readFileSync(path, 'utf8');
      // Of several who come with it at once one removes it.
      rmSync(path);
      return nowMs < untilMs ? token : undefined;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #pathOf(secret: string): string {
    return join(this.#folder, createHash('sha256').update(secret).digest('base64url'));
  }
}

/** 0 where it is there no more. */
function madeAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
