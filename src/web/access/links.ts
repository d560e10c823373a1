/** Links by which an operator opens the page: each signs in once, within an hour, to the process that made it. */
import { createHash, randomBytes } from 'node:crypto';

export const LINK_MS = 3_600_000;
/** The oldest gives way. */
const MOST_LINKS = 16;

export class Links {
  /** Digest of the secret -> until when, the oldest first. */
  readonly #open = new Map<string, number>();

  /** @param nowMs on a rising clock, as below. */
  make(nowMs: number): string {
    const secret = randomBytes(32).toString('base64url');
    this.#open.set(digestOf(secret), nowMs + LINK_MS);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_LINKS && oldest !== undefined) this.#open.delete(oldest);
    return secret;
  }

  /** Whether it signs in; then it does so no more. */
  use(secret: string, nowMs: number): boolean {
    const digest = digestOf(secret);
    const untilMs = this.#open.get(digest) ?? 0;
    return this.#open.delete(digest) && nowMs < untilMs;
  }
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
