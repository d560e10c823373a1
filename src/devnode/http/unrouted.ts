/** What has no route: another method of a known path, a preflight of a browser, or nothing at all. */
import type { FastifyInstance, FastifyReply } from 'fastify';

const METHODS = ['GET', 'POST', 'PUT'] as const;

/** To be called before the routes are added, since it learns of them as they come. @param options.explains a 404 has words. */
export function answerUnrouted(app: FastifyInstance, options: { readonly explains: boolean }): void {
  const routes: { readonly method: string; readonly pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+')}$`);
    for (const one of [method].flat()) routes.push({ method: one, pattern });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = decoded(request.url.split('?')[0] ?? '');
    const allowed = METHODS.filter((method) =>
      routes.some((route) => route.method === method && route.pattern.test(path)),
    );
    if (allowed.length === 0 && !options.explains) return reply.code(404).send();
    return answer(request.method, path.slice(0, 200), allowed.join(', '), reply);
  });
}

function answer(method: string, path: string, allowed: string, reply: FastifyReply): FastifyReply {
  if (allowed === '') return reply.code(404).type('text/plain').send(`there is nothing at ${path}`);
  if (method === 'OPTIONS') {
    return reply
      .code(204)
      .header('access-control-allow-methods', allowed)
      .header('access-control-allow-headers', 'content-type')
      .send();
  }
  const text = `${method} is not a method of ${path}; ${allowed} is`;
  return reply.code(405).header('allow', allowed).type('text/plain').send(text);
}

/** As the routes are looked for: a character may be written as itself or as its code, in digits of either case. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path; // no text in any encoding
  }
}
