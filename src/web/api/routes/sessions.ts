/** Signing in at the page and out of it, and links that sign in. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { FAULT } from '../../../operations/entry/fields.js';
import { STANDING, standing } from '../../../operations/state.js';
import { type AccessRules, type Guard, refuse } from '../../access/guard.js';
import { LINK_MS, type Links } from '../../access/links.js';
import { type Refusal, WRONG_LINK, WRONG_TOKEN } from '../../access/refusals.js';
import { SESSION_MS, type Session, type Sessions } from '../../access/sessions.js';
import { tokenOf } from '../../access/tokens.js';
import { LINK, SIGN_IN, SIGNED_IN } from '../schemas/session-schemas.js';
import { serve } from '../serve.js';
import type { Api } from '../typed.js';

export interface SignInParts {
  readonly guard: Guard;
  readonly rules: () => AccessRules;
  readonly sessions: Sessions;
  readonly links: Links;
  /** At which the server listens; `undefined` where it does not. */
  readonly ownUrl: () => string | undefined;
  readonly nowMs: () => number;
}

/** What is sent is short: who has sent it is nobody yet. */
const BODY_BYTES = 4_096;
const FOR_ALL = { access: 'anonymous' } as const;

export function addSessionRoutes(api: Api, parts: SignInParts): void {
  const { guard, rules, sessions } = parts;
  const tags = ['state'];
  serve(api, standing, (_, { standing = 'anonymous' }) => ({ standing }));
  api.post(
    '/api/v1/session',
    {
      config: FOR_ALL,
      bodyLimit: BODY_BYTES,
      schema: {
        tags,
        summary: 'Signs in with a link or a token: the answer sets a cookie for pages of this bridge',
        description: 'The cookie stands for what signed in, for 30 days. A link signs in once',
        body: SIGN_IN,
        response: { 200: SIGNED_IN, 400: FAULT },
      },
    },
    async (request, reply) => {
      const session = sessionBy(request.body, parts);
      if ('error' in session) return refuse(reply, await guard.late(request, session));
      const untilMs = Date.now() + SESSION_MS;
      reply.header('set-cookie', sessions.cookieOf(session, rules().tokens, untilMs, isSecure(request)));
      return reply.send({ standing: session.standing, until: new Date(untilMs).toISOString() });
    },
  );
  api.delete(
    '/api/v1/session',
    {
      config: FOR_ALL,
      schema: {
        tags,
        summary: 'Signs out: takes the cookie away',
        response: { 200: STANDING },
      },
    },
    (request, reply) => {
      reply.header('set-cookie', sessions.endOf(isSecure(request)));
      return { standing: 'anonymous' as const };
    },
  );
  addLinks(api, parts);
}

function addLinks(api: Api, parts: SignInParts): void {
  const schema = {
    tags: ['orders'],
    summary: 'Makes a link that opens the page and signs in, once, within an hour',
    description: 'Another bridge, or this one after a restart, does not know it',
    response: { 200: LINK, 409: FAULT },
  };
  api.post('/api/v1/links', { schema }, async (_request, reply) => {
    const own = parts.ownUrl();
    if (own === undefined)
      return reply.code(409).send({ error: 'this bridge has no page: web.listen is off' });
    return reply.send({ ...makeLink(parts, own), until: new Date(Date.now() + LINK_MS).toISOString() });
  });
}

/** The secret stands behind `#`: no proxy and no preview is sent it. */
export function makeLink(
  { rules, links, nowMs }: SignInParts,
  own: string,
): { readonly url: string; readonly isForHere: boolean } {
  const { url } = rules();
  return { url: `${url || own}/#link=${links.make(nowMs())}`, isForHere: url === '' };
}

function sessionBy(asked: z.output<typeof SIGN_IN>, { rules, links, nowMs }: SignInParts): Session | Refusal {
  if ('link' in asked) return links.use(asked.link, nowMs()) ? { standing: 'admin' } : WRONG_LINK;
  const token = tokenOf(asked.token, rules().tokens);
  return token ? { standing: token.access, token: token.name } : WRONG_TOKEN;
}

/** Here, or at a proxy that is believed. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
