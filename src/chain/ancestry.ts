/** Who is whose parent, as headers that were hashed say it: true whoever told it, so each is asked for once. */
import { toBase64Url } from '../core/bytes/bytes.js';
import type { EncodedHeader } from './encoded-header.js';
import { ForgedError } from './verify.js';

interface Known {
  readonly parent: string;
  readonly height: number;
}

/** Some 4 MB. */
const MOST = 20_000;

export class Ancestry {
  readonly #known = new Map<string, Known>();

  /** @param headers whose hashes were checked. */
  add(headers: readonly EncodedHeader[]): void {
    for (const { hash, fields } of headers) {
      const known = { parent: toBase64Url(fields.parent), height: fields.height };
      this.#known.set(toBase64Url(hash), known);
    }
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) return;
      this.#known.delete(oldest);
    }
  }

  /**
   * The ancestor of a block at a height, or the block itself; `undefined` where there is none or nobody tells. Throws
   * {@link ForgedError} where heights do not fall by one: to make up headers without end costs a node nothing.
   *
   * @param ask for headers of a branch, from the named block down; none when it is not known.
   */
  async ancestorAt(
    height: number,
    from: string,
    ask: (hash: string) => Promise<readonly EncodedHeader[]>,
  ): Promise<string | undefined> {
    let expected: number | undefined;
    for (let at = from; ; ) {
      if (!this.#known.has(at)) this.add(await ask(at));
      const known = this.#known.get(at);
      if (!known || known.height < height) return undefined;
      if (expected !== undefined && known.height !== expected)
        throw new ForgedError(`block ${at} has the height ${known.height}, and its child ${expected + 1}`);
      if (known.height === height) return at;
      expected = known.height - 1;
      at = known.parent;
    }
  }
}
