/** Stands before every route: is this server meant, who asks, may he, and not too often. */
import { isIP, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOwnName } from '../../core/names/host-header.js';
import type { Log } from '../../core/names/log.js';
import { peerAt } from '../../core/names/peer.js';
import { AddressCounts, type AddressLimits } from './address-counts.js';
import { controlUser, isForOthers } from './control-user.js';
import { isHere } from './here.js';
import { corsHeaders, isPreflight, isSentFromElsewhere, mayRead, PREFLIGHT_HEADERS } from './pages.js';
import {
  FOREIGN_PAGE,
  NOT_FOR_OTHERS,
  ORDERS_NEED_TOKEN,
  READ_ONLY,
  READS_NEED_TOKEN,
  type Refusal,
  tooManyRequests,
  tooManyTokens,
  WRONG_TOKEN,
  wrongHost,
} from './refusals.js';
import { type Audience, isOperator, orderedBy, type Standing } from './standing.js';
import { bearerIn, roleOf, type Tokens } from './tokens.js';

/** Of the settings; they may change while the server runs. */
export interface AccessRules {
  /** Strangers may see what a miner may see of a pool. */
  readonly isPublic: boolean;
  /** Names that this server is asked by, besides that at which it listens. */
  readonly hosts: readonly string[];
  /** Web pages from elsewhere that may ask; `*` for all. */
  readonly origins: readonly string[];
  readonly tokens: Tokens;
}

/** Nobody but this machine, and no orders. */
export const ONLY_HERE: AccessRules = {
  isPublic: false,
  hosts: [],
  origins: [],
  tokens: { admin: '', read: '' },
};

export interface GuardOptions {
  /** Those in force now. */
  readonly rules: () => AccessRules;
  /** At which the server listens, as it was asked to. */
  readonly host: string;
  readonly limits: AddressLimits;
  /** On a rising clock. */
  readonly nowMs?: () => number;
  readonly log: Log;
  /** Whether a connection came by the control socket, which is open to operators alone. */
  readonly isControl?: (socket: Socket) => boolean;
}

/** For all routes of `app`, those too that are added later, and for paths where there is nothing. */
export function addGuard(app: FastifyInstance, options: GuardOptions): void {
  const guard = new Guard(options);
  app.decorateRequest('standing', 'stranger');
  app.decorateRequest('controlUser', '');
  app.decorateRequest('isStillKnown', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { method, headers } = request;
    setAll(reply, SAFE_HEADERS);
    if (options.isControl?.(request.raw.socket)) return guardControl(request, reply, options.log);
    const { origins } = options.rules();
    const isNamedPage = mayRead(headers.origin, origins);
    // On the socket's own answer, as the stream of events writes there.
    if (isNamedPage) setAll(reply, corsHeaders(headers.origin ?? '', origins));
    const refusal = await guard.whyNot(request);
    if (refusal) return refuse(reply, refusal);
    if (isNamedPage && isPreflight(method, headers)) {
      setAll(reply, PREFLIGHT_HEADERS);
      return reply.code(204).send();
    }
    if (isOrder(request) && !request.is404) tellOrder(request, options.log, keyOf(request));
  });
}

/** Who may open the socket has shown who he is: no token, name or limit matters there. */
function guardControl(request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply | undefined {
  if (isForOthers(request)) return refuse(reply, NOT_FOR_OTHERS);
  request.standing = 'admin';
  request.controlUser = controlUser(request);
  if (isOrder(request) && !request.is404) tellOrder(request, log, 'ctl.sock');
  return undefined;
}

class Guard {
  readonly #options: GuardOptions;
  readonly #counts: AddressCounts;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#counts = new AddressCounts(options.limits, options.nowMs ?? (() => performance.now()));
  }

  /** `undefined` when it is answered; then the request has its standing. */
  async whyNot(request: FastifyRequest): Promise<Refusal | undefined> {
    const { isPublic, hosts, origins } = this.#options.rules();
    const { headers } = request;
    if (!isOwnName(headers.host, [this.#options.host, ...hosts])) return wrongHost(headers.host ?? '');
    if (isOrder(request) && isSentFromElsewhere(headers) && !mayRead(headers.origin, origins))
      return FOREIGN_PAGE;
    const standing = await this.#standingOf(request);
    if (typeof standing !== 'string') return standing;
    request.standing = standing;
    return this.#whyTooOften(request) ?? whyNotFor(standing, request, isPublic);
  }

  async #standingOf(request: FastifyRequest): Promise<Standing | Refusal> {
    const token = bearerIn(request.headers.authorization);
    if (token === undefined) return isHere(request) ? 'machine' : 'stranger';
    const key = keyOf(request);
    const barredSeconds = this.#counts.barredSeconds(key);
    // Also the right one, or it could be guessed all the same.
    if (barredSeconds > 0) return tooManyTokens(barredSeconds);
    const role = (): Standing | undefined => roleOf(token, this.#options.rules().tokens);
    const standing = role();
    request.isStillKnown = () => role() === standing;
    return standing ?? this.#wrongToken(key);
  }

  async #wrongToken(address: string): Promise<Refusal> {
    const { limits, log } = this.#options;
    const say = this.#counts.wrongToken(address) ? 'warn' : 'debug';
    log[say]({ event: 'wrong-token', address }, 'a wrong token was shown to the web');
    await pause(limits.refusalDelayMs, undefined, { ref: false });
    return WRONG_TOKEN;
  }

  /** Operators may ask as often as they like. */
  #whyTooOften(request: FastifyRequest): Refusal | undefined {
    const isUncounted = !request.is404 && request.routeOptions.config.isUncounted === true;
    if (isUncounted || isOperator(request)) return undefined;
    const seconds = this.#counts.request(keyOf(request));
    return seconds > 0 ? tooManyRequests(seconds) : undefined;
  }
}

function whyNotFor(standing: Standing, request: FastifyRequest, isPublic: boolean): Refusal | undefined {
  if (request.is404 || standing === 'admin') return undefined;
  const audience = audienceOf(request);
  if (isOrder(request)) {
    if (audience === 'owners') return undefined;
    if (audience === 'machine' && standing === 'machine') return undefined;
    if (audience === 'approvers' && standing === 'approve') return undefined;
    return standing === 'read' || standing === 'approve' ? READ_ONLY : ORDERS_NEED_TOKEN;
  }
  const isOpen = audience === 'everyone' || (audience === 'miners' && isPublic);
  return isOpen || standing !== 'stranger' ? undefined : READS_NEED_TOKEN;
}

/** Where there is nothing, no route says anything. */
function audienceOf({ is404, routeOptions }: FastifyRequest): Audience {
  return (is404 ? undefined : routeOptions.config.audience) ?? 'operators';
}

function isOrder({ method }: FastifyRequest): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(method);
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
  // Of owners strangers may ask, as often as they are let: what comes of it is told elsewhere.
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

function refuse(reply: FastifyReply, { status, error, headers = {} }: Refusal): FastifyReply {
  return reply.code(status).headers(headers).send({ error });
}
