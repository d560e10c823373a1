/** `Idempotency-Key`: an order that came before with the same key is not given again; who asks gets the answer of the first. */
import type { FastifyRequest } from 'fastify';
import { orderedBy } from '../access/standing.js';

const MOST_KEYS = 100;

/** Another order under a key that was used. */
class KeyUsed extends Error {
  override readonly name = 'KeyUsed';
  readonly statusCode = 409;
}

interface Given {
  readonly order: string;
  readonly answer: Promise<object>;
}

/** Of one order. The latest keys are kept, each for who used it, until the server ends; an order that was refused or failed may be given again. */
export class Once {
  readonly #given = new Map<string, Given>();

  async give<T extends object>(request: FastifyRequest, act: () => Promise<T>): Promise<T> {
    const { 'idempotency-key': given } = request.headers;
    if (typeof given !== 'string' || given === '') return act();
    const key = `${orderedBy(request)} ${given}`;
    const order = `${request.url} ${JSON.stringify(request.body ?? null)}`;
    const former = this.#given.get(key);
    if (former && former.order !== order)
      throw new KeyUsed('this Idempotency-Key came with another order before: take a new one for each');
    if (former) return (await former.answer) as T;
    const answer = act();
    this.#given.set(key, { order, answer });
    const forget = () => this.#given.delete(key);
    answer.then((outcome) => 'refused' in outcome && forget(), forget);
    const [oldest] = this.#given.keys();
    if (this.#given.size > MOST_KEYS && oldest !== undefined) this.#given.delete(oldest);
    return answer;
  }
}
