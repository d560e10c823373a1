/** `Idempotency-Key`: an order that came before with the same key is not given again; who asks gets the answer of the first. */
import type { FastifyRequest } from 'fastify';

const MOST_KEYS = 1_000;
const LONGEST_KEY = 200;

/** Another order under a key that was used. */
class KeyUsed extends Error {
  override readonly name = 'KeyUsed';
  readonly statusCode = 409;
}

interface Given {
  readonly order: string;
  readonly answer: Promise<unknown>;
}

/** Of one server. The latest keys are kept, until it ends; an order that failed may be given again. */
export class Once {
  readonly #given = new Map<string, Given>();

  async give<T>(request: FastifyRequest, act: () => Promise<T>): Promise<T> {
    const { 'idempotency-key': header } = request.headers;
    if (typeof header !== 'string' || header === '') return act();
    const key = header.slice(0, LONGEST_KEY);
    const order = `${request.standing} ${request.url} ${JSON.stringify(request.body ?? null)}`;
    const former = this.#given.get(key);
    if (former && former.order !== order)
      throw new KeyUsed('this Idempotency-Key came with another order before: take a new one for each');
    if (former) return (await former.answer) as T;
    const answer = act();
    this.#given.set(key, { order, answer });
    answer.catch(() => this.#given.delete(key));
    const [oldest] = this.#given.keys();
    if (this.#given.size > MOST_KEYS && oldest !== undefined) this.#given.delete(oldest);
    return answer;
  }
}
