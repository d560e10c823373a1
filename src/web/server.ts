/** HTTP for people and machines that watch the bridge. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { MachineWatch } from '../bridge/watch/machine-watch.js';
import type { SessionSigners } from '../bridge/watch/session-signers.js';
import type { SetAsideWatch } from '../bridge/watch/set-aside-watch.js';
import type { SettingsWatch } from '../bridge/watch/settings-watch.js';
import { type ListenAddress, listenAt } from '../core/names/listening.js';
import type { Log } from '../core/names/log.js';
import type { BookOrderHandlers } from '../operations/orders/book-orders.js';
import type { RigOrderHandlers } from '../operations/orders/rig-orders.js';
import type { Certificate } from '../tls/certificate.js';
import { ADDRESS_LIMITS, type AddressLimits } from './access/address-counts.js';
import { type AccessRules, addGuard, Guard, NOBODY } from './access/guard.js';
import type { Links } from './access/links.js';
import { Sessions } from './access/sessions.js';
import { isOperator } from './access/standing.js';
import { addApi } from './api/api.js';
import { tellFaults } from './api/faults.js';
import { linkOf, type SignInParts } from './api/routes/sessions.js';
import { openControl } from './control-socket.js';
import { newServer, type ServerLimits } from './listener.js';
import { addPage, addReference } from './page-files.js';
import { whatIsMissing } from './state/readiness.js';
import type { SummarySources } from './state/summary.js';

interface ServerOptions {
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>;
  readonly log: Log;
  readonly limits?: Partial<WebLimits>;
  /** Who may ask, as is in force now; without it nobody but by the control socket. */
  readonly access?: (() => AccessRules) | undefined;
  /** Reads tokens again that are kept in files. */
  readonly readTokens?: (() => Promise<void>) | undefined;
  /** Private, of Ed25519: signs sessions. Without it they end with this server. */
  readonly sessionKey?: KeyObject | undefined;
  /** Of the other bridges on the ledger, whose sessions hold here. */
  readonly signers?: SessionSigners | undefined;
  /** Without it there are none. */
  readonly links?: Links | undefined;
  /** Addresses and prefixes of proxies that are believed when they say for whom they ask, besides those on this machine. */
  readonly proxies?: readonly string[];
  /** With it TLS alone is served. */
  readonly certificate?: Certificate | undefined;
  /** On a rising clock. */
  readonly nowMs?: () => number;
}

export interface WebLimits extends ServerLimits, AddressLimits {}

export const WEB_LIMITS: WebLimits = {
  ...{ connections: 320, connectionsOfAddress: 80, unreadOfAddress: 32 },
  ...{ requestMs: 10_000, headMs: 5_000, idleMs: 60_000 },
  ...ADDRESS_LIMITS,
};

interface ListenOptions extends ServerOptions, ListenAddress {
  /** Opens a port that this process shares with others; by default it has one of its own. Rejects with the system's error. */
  readonly listen?:
    | ((address: ListenAddress, onSocket: (socket: Socket) => void) => Promise<Shared>)
    | undefined;
}

interface Shared {
  /** As really bound. */
  readonly address: ListenAddress;
  close(): void;
}

interface ControlledOptions extends ServerOptions {
  readonly sources: SummarySources;
  readonly settings?: SettingsWatch | undefined;
  /** Without it orders to rigs are refused. */
  readonly operator?: RigOrderHandlers | undefined;
  /** Without it orders about payouts are refused. */
  readonly payouts?: BookOrderHandlers | undefined;
  /** Without it nothing is set aside. */
  readonly setAside?: SetAsideWatch | undefined;
  /** Without it this bridge is alone. */
  readonly machine?: MachineWatch | undefined;
  /** Where page and reference are as they were built, with a slash at its end; by default beside this module. */
  readonly built?: URL;
  /** `POST /make-blocks`; absent where blocks are not made on demand. */
  readonly makeBlocks?: ((body: unknown) => Promise<Answer>) | undefined;
  /** The same routes by a Unix socket too, for `stratum-bridge ctl`. */
  readonly control?: ControlPlace | undefined;
}

export interface WebOptions extends ControlledOptions, ListenOptions {}

export interface ControlPlace {
  readonly path: string;
  /** Told why there is no such socket; all else is served without it. */
  failed(why: string): void;
}

/** What a part of the bridge says to a request; the body is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface WebServer {
  readonly url: string;
  /** Opens the page and signs in, once, within an hour; `isForHere`: it leads to this machine. `undefined` where there are none. */
  makeLink(): { readonly url: string; readonly isForHere: boolean } | undefined;
  close(): Promise<void>;
}

/** The bridge's. Rejects with the system's error (`EADDRINUSE`, …) when it cannot listen. */
export function startWebServer(options: WebOptions): Promise<WebServer> {
  return serve(options, (app, signIn) => addRoutes(app, options, signIn), options.control);
}

/** The same by the control socket alone, where the web is off. */
export async function startControlServer(options: ControlledOptions): Promise<Pick<WebServer, 'close'>> {
  const { app, own, limits } = await makeServer(options, '', (made, signIn) =>
    addRoutes(made, options, signIn),
  );
  await app.ready();
  const close = await serveControl(app, { own, limits, place: options.control });
  return { close: () => close().then(() => app.close()) };
}

/**
 * The recorder's: health and metrics alone. Rejects as above.
 * @param whatIsMissing `undefined` when entries are recorded as they come.
 */
export function startRecorderWeb(
  options: ListenOptions,
  whatIsMissing: () => Promise<string | undefined>,
): Promise<WebServer> {
  return serve(options, (app) => {
    app.get('/', { config: { access: 'anonymous' } }, (_request, reply) => reply.redirect('/metrics'));
    addReadiness(app, whatIsMissing);
  });
}

const PROBE = { config: { access: 'anonymous', isUncounted: true } } as const;

type AddRoutes = (app: FastifyInstance, signIn: SignInParts) => void;

function serve(options: ListenOptions, addRoutes: AddRoutes, control?: ControlPlace): Promise<WebServer> {
  return listenAt(options, (at) => serveAt(at, options, addRoutes, control));
}

async function serveAt(
  address: ListenAddress,
  options: ListenOptions,
  addRoutes: AddRoutes,
  place: ControlPlace | undefined,
): Promise<WebServer> {
  const made = await makeServer(options, address.host, addRoutes);
  const { app, own, limits, signIn } = made;
  const shared = options.listen && (await joinPort(app, address, options.listen));
  made.bound.address = shared?.address ?? (await listen(app, address));
  const closeControl = await serveControl(app, { own, limits, place });
  const url = urlOf(made.bound.address, options.certificate !== undefined);
  return {
    url,
    makeLink: () => linkOf(signIn, signIn.ownUrl() ?? url),
    close: async () => {
      shared?.close();
      await closeControl();
      await app.close();
    },
  };
}

async function listen(app: FastifyInstance, { host, port, fd }: ListenAddress): Promise<ListenAddress> {
  await app.listen({ host, port, ...(fd === undefined ? {} : { fd }) });
  const bound = app.server.address() as AddressInfo;
  return { host: bound.address, port: bound.port };
}

async function joinPort(
  app: FastifyInstance,
  address: ListenAddress,
  join: ListenOptions['listen'] & object,
): Promise<Shared> {
  await app.ready();
  const shared = await join(address, (socket) => void app.server.emit('connection', socket));
  // From then on it looks for requests that take too long.
  app.server.emit('listening');
  return shared;
}

/** @param host as it is in a URL; by default that at which it listens. */
function urlOf(bound: ListenAddress, isSecure: boolean, host?: string): string {
  const own = isIPv6(bound.host) ? `[${bound.host}]` : bound.host;
  return `${isSecure ? 'https' : 'http'}://${host ?? own}:${bound.port}`;
}

/** As a browser on this machine asks for it; `undefined` where it does not listen. */
function urlHere({ address }: MadeServer['bound'], isSecure: boolean): string | undefined {
  const isEverywhere = address?.host === '0.0.0.0' || address?.host === '::';
  return address && urlOf(address, isSecure, isEverywhere ? 'localhost' : undefined);
}

interface MadeServer {
  readonly app: FastifyInstance;
  readonly limits: WebLimits;
  readonly signIn: SignInParts;
  /** Gets the connections of the control socket. */
  readonly own: WeakSet<Socket>;
  /** Where it listens, once it does. */
  readonly bound: { address?: ListenAddress };
}

/** @param host at which it will listen; empty where it does not. */
async function makeServer(options: ServerOptions, host: string, addRoutes: AddRoutes): Promise<MadeServer> {
  const { metrics, log, access = () => NOBODY, proxies = [], certificate } = options;
  const { readTokens = async () => {}, nowMs = () => performance.now() } = options;
  const limits = { ...WEB_LIMITS, ...options.limits };
  const own = new WeakSet<Socket>();
  const { sessionKey = generateKeyPairSync('ed25519').privateKey, signers } = options;
  const sessions = new Sessions(sessionKey, signers && { others: () => signers.all() });
  signers?.show(() => sessions.signer(access().tokens));
  const isControl = (socket: Socket): boolean => own.has(socket);
  const guard = new Guard({ rules: access, readTokens, sessions, host, limits, log, isControl, nowMs });
  const app = newServer(limits, proxies, certificate, guard);
  tellFaults(app, log);
  addGuard(app, guard);
  // Whoever restarts or balances has no token, and learns nothing but that this process lives.
  app.get('/healthz', PROBE, () => ({ status: 'ok' }));
  // For operators: it names nodes and tells how the bridge is from inside. Prometheus sends the token of a file along.
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
  const bound: MadeServer['bound'] = {};
  const ownUrl = (): string | undefined => urlHere(bound, certificate !== undefined);
  const signIn = { guard, rules: access, sessions, links: options.links, ownUrl };
  addRoutes(app, signIn);
  return { app, limits, signIn, own, bound };
}

/** @returns what closes it again; without it all else is served. */
async function serveControl(
  app: FastifyInstance,
  { own, limits, place }: Pick<MadeServer, 'own' | 'limits'> & { readonly place: ControlPlace | undefined },
): Promise<() => Promise<void>> {
  if (!place) return async () => {};
  try {
    return await openControl(app, { path: place.path, own, limits });
  } catch (error) {
    place.failed((error as Error).message);
    return async () => {};
  }
}

/** Balancers ask without a token, and look at the status alone. What is missing may name nodes: operators are told. */
function addReadiness(app: FastifyInstance, whatIsMissing: () => Promise<string | undefined>): void {
  app.get('/readyz', PROBE, async (request, reply) => {
    const missing = await whatIsMissing();
    if (missing === undefined) return reply.send({ status: 'ready' });
    return reply.code(503).send({ status: 'waiting', ...(isOperator(request) ? { missing } : {}) });
  });
}

function addRoutes(app: FastifyInstance, options: ControlledOptions, signIn: SignInParts): void {
  const { sources, makeBlocks, settings, operator, payouts, setAside, machine, log } = options;
  addPage(app, options.built);
  addReference(app, options.built);
  addReadiness(app, machine?.missing ?? (async () => whatIsMissing(sources)));
  const orders = { settings, operator, payouts, setAside, machine };
  addApi(app, { state: sources, rigs: sources.rigs, ...orders, signIn, log });
  if (!makeBlocks) return;
  app.post('/make-blocks', { config: { access: 'operate' } }, async (request, reply) => {
    // Blocks take the time that they take.
    request.raw.socket.setTimeout(0);
    const { status, body } = await makeBlocks(request.body);
    return reply.code(status).send(body);
  });
}
