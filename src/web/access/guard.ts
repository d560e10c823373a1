/** Stands before every route: is this server meant, who asks, may he, and not too often. */
import { isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOwnName } from '../../core/names/host-header.js';
import type { Log } from '../../core/names/log.js';
import { peerAt } from '../../core/names/peer.js';
import { may } from '../../operations/enums.js';
import { AddressCounts, type AddressLimits } from './address-counts.js';
import { controlUser, isForOthers } from './control-user.js';
import {
  corsHeaders,
  isNavigation,
  isOfForeignPage,
  isPreflight,
  mayRead,
  PREFLIGHT_HEADERS,
} from './pages.js';
import {
  FOREIGN_PAGE,
  NOT_FOR_OTHERS,
  notEnough,
  orderNeedsToken,
  READS_NEED_TOKEN,
  type Refusal,
  TOO_MANY_WRONG,
  TWO_HOSTS,
  tooManyRequests,
  WRONG_TOKEN,
  wrongHost,
} from './refusals.js';
import type { Sessions } from './sessions.js';
import { isOperator, orderedBy } from './standing.js';
import { bearerIn, type Token, tokenOf } from './tokens.js';

/** Of the settings; they may change while the server runs. */
export interface AccessRules {
  /** Everybody may see what a miner may see of a pool. */
  readonly isPublic: boolean;
  /** By which people open the page, where that is not at which it listens; empty otherwise. */
  readonly url: string;
  /** Names that this server is asked by, besides that at which it listens. */
  readonly hosts: readonly string[];
  /** Web pages from elsewhere that may ask; `*` for all. */
  readonly origins: readonly string[];
  readonly tokens: readonly Token[];
}

/** None but who comes by the control socket. */
export const NOBODY: AccessRules = {
  isPublic: false,
  url: '',
  hosts: [],
  origins: [],
  tokens: [],
};

interface GuardOptions {
  /** Those in force now. */
  readonly rules: () => AccessRules;
  /** Reads tokens again that are kept in files, as far as there are other ones now. */
  readonly readTokens: () => Promise<void>;
  readonly sessions: Sessions;
  /** At which the server listens, as it was asked to. */
  readonly host: string;
  readonly limits: AddressLimits;
  /** On a rising clock. */
  readonly nowMs: () => number;
  readonly log: Log;
  /** Whether a connection came by the control socket, which is open to operators alone. */
  readonly isControl: (socket: Socket) => boolean;
}

/** For all routes of `app`, those too that are added later, and for paths where there is nothing. */
export function addGuard(app: FastifyInstance, guard: Guard): void {
  app.decorateRequest('standing', 'anonymous');
  app.decorateRequest('askedBy', '');
  app.decorateRequest('token', undefined);
  app.decorateRequest('isStillKnown', undefined);
  app.addHook('onRequest', (request, reply) => guard.admit(request, reply));
}

const WRONG_LINES_MS = 60_000;

export class Guard {
  readonly #options: GuardOptions;
  readonly #counts: AddressCounts;
  /** Wrong tokens that wait for their answer. */
  #waiting = 0;
  /** Since the last line about them, and when the next one may come. */
  #wrong = { count: 0, nextLineMs: 0 };

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#counts = new AddressCounts(options.limits, options.nowMs);
  }

  /** Answers itself, and resolves with the reply, what is to be refused. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const { rules, log, isControl } = this.#options;
    const { method, headers } = request;
    setAll(reply, SAFE_HEADERS);
    if (isControl(request.raw.socket)) return admitControl(request, reply, log);
    const { origins } = rules();
    const isNamedPage = mayRead(headers.origin, origins);
    // On the socket's own answer, as the stream of events writes there.
    if (isNamedPage) setAll(reply, corsHeaders(headers.origin ?? '', origins));
    const refusal = await this.#whyNot(request);
    if (refusal) return refuse(reply, refusal);
    if (isNamedPage && isPreflight(method, headers)) {
      setAll(reply, PREFLIGHT_HEADERS);
      return reply.code(204).send();
    }
    if (isOrder(request) && !request.is404) tellOrder(request, log, keyOf(request));
    return undefined;
  }

  /** After a while, as for whoever shows a token, link or anything else by which he could guess. */
  async late(request: FastifyRequest, refusal: Refusal): Promise<Refusal> {
    const { limits } = this.#options;
    this.#count(keyOf(request));
    if (this.#waiting >= limits.refusalsWaiting) return TOO_MANY_WRONG;
    this.#waiting++;
    await pause(limits.refusalDelayMs, undefined, { ref: false });
    this.#waiting--;
    return refusal;
  }

  /** One line a minute, whoever shows them. */
  #count(address: string): void {
    const { log, nowMs } = this.#options;
    this.#wrong.count++;
    if (nowMs() < this.#wrong.nextLineMs) return;
    log.warn(
      { event: 'wrong-token', address, count: this.#wrong.count },
      'wrong tokens were shown to the web, the last one by this address',
    );
    this.#wrong = { count: 0, nextLineMs: nowMs() + WRONG_LINES_MS };
  }

  /** `undefined` when it is answered; then the request has its standing. */
  async #whyNot(request: FastifyRequest): Promise<Refusal | undefined> {
    const { isPublic, url, hosts, origins } = this.#options.rules();
    const { headers } = request;
    const named = [this.#options.host, hostname(), url && new URL(url).hostname, ...hosts];
    if (hostHeadersOf(request) > 1) return TWO_HOSTS;
    if (!isOwnName(headers.host, named)) return wrongHost(headers.host ?? '');
    const isForeign = isOfForeignPage(headers) && !mayRead(headers.origin, origins);
    if (isForeign && (isOrder(request) || !isNavigation(headers))) return FOREIGN_PAGE;
    const refusal = await this.#identify(request);
    if (request.standing === 'anonymous' && isPublic) request.standing = 'miner';
    return refusal ?? this.#whyTooOften(request) ?? whyNotFor(request);
  }

  /** By a token or by a session; a page from elsewhere, which may be named, has no part in the sessions of this one. */
  async #identify(request: FastifyRequest): Promise<Refusal | undefined> {
    const { rules, readTokens, sessions } = this.#options;
    const { authorization, cookie } = request.headers;
    const token = bearerIn(authorization);
    if (token !== undefined) {
      const known = (): Token | undefined => tokenOf(token, rules().tokens);
      if (!known()) await readTokens();
      const { access, name } = known() ?? {};
      if (access === undefined) return this.late(request, WRONG_TOKEN);
      request.standing = access;
      request.askedBy = `${name} token`;
      request.token = name;
      request.isStillKnown = () => known()?.access === access;
      return undefined;
    }
    if (isOfForeignPage(request.headers)) return undefined;
    await sessions.learn(cookie);
    const session = () => sessions.sessionIn(cookie, rules().tokens, Date.now());
    const { standing, token: name } = session() ?? {};
    if (!standing) return undefined;
    request.standing = standing;
    request.askedBy = name === undefined ? 'admin link' : `${name} token`;
    request.token = name;
    request.isStillKnown = () => session() !== undefined;
    return undefined;
  }

  /** Operators may ask as often as they like. */
  #whyTooOften(request: FastifyRequest): Refusal | undefined {
    const isUncounted = !request.is404 && request.routeOptions.config.isUncounted === true;
    if (isUncounted || isOperator(request)) return undefined;
    const seconds = this.#counts.request(keyOf(request));
    return seconds > 0 ? tooManyRequests(seconds) : undefined;
  }
}

/** Who may open the socket has shown who he is: no token, name or limit matters there. */
function admitControl(request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply | undefined {
  if (isForOthers(request)) return refuse(reply, NOT_FOR_OTHERS);
  request.standing = 'admin';
  request.askedBy = controlUser(request);
  if (isOrder(request) && !request.is404) tellOrder(request, log, 'ctl.sock');
  return undefined;
}

function whyNotFor(request: FastifyRequest): Refusal | undefined {
  if (request.is404) return undefined;
  const { standing = 'anonymous', routeOptions } = request;
  const { access = isOrder(request) ? 'admin' : 'read' } = routeOptions.config;
  if (may(standing, access)) return undefined;
  if (isOperator(request)) return notEnough(standing, access);
  return isOrder(request) ? orderNeedsToken(access) : READS_NEED_TOKEN;
}

function isOrder({ method }: FastifyRequest): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/** Of several the first one would be taken, and something before this server may have looked at another one. */
function hostHeadersOf({ raw }: FastifyRequest): number {
  return raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** Of whom a proxy asks for, if it is believed and says so in an address. */
function keyOf({ ip, raw }: FastifyRequest): string {
  return peerAt(isIP(ip) ? ip : (raw.socket.remoteAddress ?? ''), 0).addressKey;
}

/** @param from an address, or the control socket. */
function tellOrder(request: FastifyRequest, log: Log, from: string): void {
  // A query may hold what somebody took for the place of a token.
  const [path = ''] = request.url.split('?');
  const order = `${request.method} ${path.slice(0, 200)}`;
  // Of those that anonymous users may give, as often as they are let, it is told elsewhere what comes.
  const say = isOperator(request) ? 'info' : 'debug';
  log[say]({ event: 'order', order, by: orderedBy(request), address: from }, 'an order came to the web');
}

/** Answers are of their moment and for who asked, and no page from elsewhere has them as its picture or script. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

function setAll(reply: FastifyReply, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, value);
}

export function refuse(reply: FastifyReply, { status, error, headers = {} }: Refusal): FastifyReply {
  return reply.code(status).headers(headers).send({ error });
}
