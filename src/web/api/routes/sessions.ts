/** Signing in at the page and out of it, and links that sign in. */
import type { FastifyRequest } from 'fastify';
import type { GivenTo } from '../../../operations/entry/operation.js';
import { makeLink, signIn, signOut, standing } from '../../../operations/session.js';
import { type AccessRules, type Guard, refuse } from '../../access/guard.js';
import { LINK_MS, type Links } from '../../access/links.js';
import { type Refusal, WRONG_LINK, WRONG_TOKEN } from '../../access/refusals.js';
import { SESSION_MS, type Session, type Sessions } from '../../access/sessions.js';
import { tokenOf } from '../../access/tokens.js';
import { serve, serveOrder } from '../serve.js';
import type { Api } from '../typed.js';

export interface SignInParts {
  readonly guard: Guard;
  readonly rules: () => AccessRules;
  readonly sessions: Sessions;
  /** Absent: none are made, and none sign in. */
  readonly links: Links | undefined;
  /** At which the server listens; `undefined` where it does not. */
  readonly ownUrl: () => string | undefined;
}

export function addSessionRoutes(api: Api, parts: SignInParts): void {
  const { guard, rules, sessions } = parts;
  serve(api, standing, (_, { standing = 'anonymous' }) => ({ standing }));
  serveOrder(api, signIn, async (given, request, reply) => {
    const session = sessionBy(given, parts);
    if ('error' in session) return refuse(reply, await guard.late(request, session));
    const untilMs = Date.now() + SESSION_MS;
    reply.header('set-cookie', sessions.cookieOf(session, rules().tokens, untilMs, isSecure(request)));
    return { standing: session.standing, until: new Date(untilMs).toISOString() };
  });
  serveOrder(api, signOut, (_, request, reply) => {
    reply.header('set-cookie', sessions.endOf(request.headers.cookie, isSecure(request)));
    return { standing: 'anonymous' as const };
  });
  serveOrder(api, makeLink, (_, { token }) => {
    const own = parts.ownUrl();
    const link = own === undefined ? undefined : linkOf(parts, own, token);
    if (!link) return { refused: 'busy', why: 'this bridge has no page: web.listen is off' };
    return { ...link, until: new Date(Date.now() + LINK_MS).toISOString() };
  });
}

/** The secret stands behind `#`: no proxy and no preview is sent it. `undefined` where no links are made. @param token of who asks for it. */
export function linkOf(
  { rules, links }: SignInParts,
  own: string,
  token?: string,
): { readonly url: string; readonly isForHere: boolean } | undefined {
  const { url } = rules();
  return links && { url: `${url || own}/#link=${links.make(Date.now(), token)}`, isForHere: url === '' };
}

function sessionBy(asked: GivenTo<typeof signIn>, { rules, links }: SignInParts): Session | Refusal {
  if ('link' in asked) {
    const by = links?.use(asked.link, Date.now());
    if (by === '') return { standing: 'admin' };
    // Nobody is two people by a link that he has made himself.
    const maker = rules().tokens.find(({ name, access }) => name === by && access === 'admin');
    return maker ? { standing: 'admin', token: maker.name } : WRONG_LINK;
  }
  const token = tokenOf(asked.token, rules().tokens);
  return token ? { standing: token.access, token: token.name } : WRONG_TOKEN;
}

/** Here, or at a proxy that is believed. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https';
}
