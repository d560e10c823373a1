/** By which methods a path may be asked, for who asks it by another one. */
import type { FastifyInstance } from 'fastify';

export class KnownPaths {
  readonly #paths = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** Of all routes of `app` that are added after this. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const known = this.#paths.get(url) ?? { pattern: patternOf(url), methods: new Set() };
      for (const each of [method].flat()) known.methods.add(each);
      this.#paths.set(url, known);
    });
  }

  /** None for a path that is none. @param path without its query. */
  methodsOf(path: string): string[] {
    const fitting = Array.from(this.#paths.values()).filter(({ pattern }) => pattern.test(path));
    return [...new Set(fitting.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** `/api/v1/bans/:id` with anything for the part that has a name. */
function patternOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
