/** The last requests that the node has answered, for whoever looks at its page. */
import type { FastifyInstance } from 'fastify';
import type { WatchRequest } from './watch-state.js';

const MOST_REQUESTS = 60;
const MOST_PATH = 160;

export class RequestLog {
  readonly #requests: WatchRequest[] = [];
  #count = 0;

  note(app: FastifyInstance): void {
    app.addHook('onResponse', async ({ method, url }, reply) => {
      const path = url.length > MOST_PATH ? `${url.slice(0, MOST_PATH)}…` : url;
      const about = { number: ++this.#count, atMs: Date.now(), method, path };
      this.#requests.unshift({ ...about, status: reply.raw.statusCode, tookMs: reply.elapsedTime });
      this.#requests.length = Math.min(this.#requests.length, MOST_REQUESTS);
    });
  }

  /** Newest first. */
  get newest(): readonly WatchRequest[] {
    return this.#requests;
  }
}
