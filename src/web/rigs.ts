/** Rigs, accounts, sessions and bans as JSON, a slice of each at a time. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type {
  AccountReport,
  Ban,
  Listing,
  RigReport,
  RigWatch,
  SessionReport,
  Slice,
} from '../bridge/rig-watch.js';
import type { HashRate } from '../core/hash-rate.js';
import { isOwnName } from '../core/host-header.js';
import { isLoopback, shortenedAddress } from './address.js';
import { sliceOf } from './slice.js';

/** @param rigs `undefined` until the rigs' side is up. */
export function addRigRoutes(app: FastifyInstance, rigs: () => RigWatch | undefined): void {
  const list = <T>(
    name: string,
    listed: (watch: RigWatch, slice: Slice) => Listing<T>,
    show: Show<T>,
  ): void => {
    app.get(`/api/v1/${name}`, (request, reply) => {
      const slice = sliceOf(request.query as Record<string, unknown>);
      if (typeof slice === 'string') return reply.code(400).send({ error: slice });
      const watch = rigs();
      const { total, items } = watch ? listed(watch, slice) : { total: 0, items: [] };
      const isHere = isLoopback(listeningAddress(app)) && isDirect(request.headers);
      const address = isHere ? (text: string) => text : shortenedAddress;
      return reply.send({ total, ...slice, [name]: items.map((item) => show(item, address)) });
    });
  };
  list('rigs', (watch, slice) => watch.rigs(slice), showRig);
  list('accounts', (watch, slice) => watch.accounts(slice), showAccount);
  list('sessions', (watch, slice) => watch.sessions(slice), showSession);
  list('bans', (watch, slice) => watch.bans(slice), showBan);
}

/** Neither by a web page that made its name lead here, nor by a proxy for somebody elsewhere. */
function isDirect(headers: FastifyRequest['headers']): boolean {
  const isPassedOn = 'x-forwarded-for' in headers || 'forwarded' in headers;
  return !isPassedOn && isOwnName(headers.host);
}

type Show<T> = (item: T, address: (text: string) => string) => object;

function listeningAddress(app: FastifyInstance): string {
  const address = app.server.address();
  return typeof address === 'object' && address ? address.address : '';
}

/** `[{"minutes":1,"hashesPerSecond":1200000,"standardError":90000}, …]`. */
export function showRates(rates: readonly HashRate[]): object[] {
  return rates.map(({ windowMs, hashesPerSecond, standardError }) => ({
    minutes: windowMs / 60_000,
    hashesPerSecond: Math.round(hashesPerSecond),
    standardError: Math.round(standardError),
  }));
}

const iso = (ms: number): string => new Date(ms).toISOString();

function showAccount({ account, sessions, hashRates, lastShareAtMs }: AccountReport): object {
  return { account, sessions, hashRates: showRates(hashRates), lastShareAt: iso(lastShareAtMs) };
}

function showRig(report: RigReport): object {
  const { account, rig } = report;
  return { ...showAccount(report), account, rig };
}

function showSession(report: SessionReport, address: (text: string) => string): object {
  const { id, transport, peer, agent, logins, openedAtMs, chainId, difficulty, hashRates } = report;
  return {
    id,
    transport,
    peer: address(peer),
    agent,
    logins: logins.map(({ account, rig }) => ({ account, rig })),
    openedAt: iso(openedAtMs),
    chainId: chainId ?? null,
    difficulty: difficulty === undefined ? null : String(difficulty),
    hashRates: showRates(hashRates),
  };
}

function showBan(
  { kind, login, address: of, reason, untilMs }: Ban,
  address: (text: string) => string,
): object {
  return { kind, ...(kind === 'rig' ? { login } : {}), address: address(of), reason, until: iso(untilMs) };
}
