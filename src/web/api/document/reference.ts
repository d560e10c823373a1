/** The API for people: a page made from its document, without scripts. */

import type { Api } from '../typed.js';
import type { Document } from './document.js';
import { page, STYLE } from './reference-page.js';

const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** It tells of the program, as its sources do, and nothing of this bridge. A browser could send no token for it. */
const FOR_ALL = { config: { audience: 'everyone' } } as const;

export function addReference(api: Api): void {
  // Made when somebody asks: all routes are there by then.
  const json = once(() => JSON.stringify(api.swagger(), null, 1));
  const html = once(() => page(api.swagger() as unknown as Document));
  api.get('/api/openapi.json', FOR_ALL, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(json()),
  );
  api.get('/api/reference.css', FOR_ALL, (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(STYLE),
  );
  api.get('/api', FOR_ALL, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(html()),
  );
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
