/** Rigs, their sessions, and what is ordered of them. */
import type { FastifyRequest } from 'fastify';
import type { RigWatch } from '../../../bridge/watch/rig-watch.js';
import type { Name } from '../../../core/names/names.js';
import { bans } from '../../../operations/bans.js';
import { addresses, difficulties, labels } from '../../../operations/orders/by-order.js';
import { type RigDetail, rig, rigs, type Session, sessions, unnamedRig } from '../../../operations/rigs.js';
import { isOperator } from '../../access/standing.js';
import type { SummarySources } from '../../state/summary.js';
import { shortenedAddress } from '../address.js';
import { Nothing, partAt, serve, serveList } from '../serve.js';
import type { Api } from '../typed.js';

export function addRigRoutes(
  api: Api,
  { rigs: watch, bridges, self }: Pick<SummarySources, 'rigs' | 'bridges' | 'self'>,
): void {
  serveList(api, rigs, async (query) => {
    await bridges.look();
    return watch.rigs(query);
  });
  const detail = async (named: Name, request: FastifyRequest) => {
    await bridges.look();
    return detailOf(watch, named, sessionFor(request, self()));
  };
  serve(api, rig, detail);
  serve(api, unnamedRig, ({ account }, request) => detail({ account, rig: '' }, request));
  serveList(api, sessions, async (query, request) => {
    await bridges.look();
    const { total, items } = await watch.sessions(query);
    return { total, items: items.map(sessionFor(request, self())) };
  });
  serveList(api, bans, async (slice, request) => {
    await bridges.look();
    const { total, items } = partAt(watch.bans(), slice);
    const shown = addressesFor(request);
    return {
      total,
      items: items.map((ban) => (ban.address === undefined ? ban : { ...ban, address: shown(ban.address) })),
    };
  });
  serveList(api, difficulties, async (slice) => partAt(watch.difficulties(), slice));
  serveList(api, labels, async (slice) => partAt(watch.labels(), slice));
  serveList(api, addresses, async (slice) => partAt(watch.addresses(), slice));
}

function detailOf(
  watch: RigWatch,
  { account, rig }: Name,
  shown: (session: Session) => Session,
): RigDetail | Nothing {
  const detail = watch.rig(account, rig);
  if (!detail) return new Nothing(whyNoRig(account, rig));
  return { ...detail, sessions: detail.sessions.map(shown) };
}

/** @param self as what this bridge stands in lists. */
function sessionFor(request: FastifyRequest, self: number | null): (session: Session) => Session {
  const address = addressesFor(request);
  return ({ peer, bridge, ...session }) => ({ ...session, peer: address(peer), bridge: bridge ?? self });
}

function whyNoRig(account: string, rig: string): string {
  const why = 'it is not connected, and had no share accepted since the bridge started';
  const those = `/api/v1/rigs?account=${encodeURIComponent(account)}`;
  if (rig === '')
    return `the account ${account} has no rig without a name: ${why}. Its others are at ${those}`;
  return `the account ${account} has no rig ${rig}: ${why}. Its others are at ${those}`;
}

/** In full for operators alone. */
export function addressesFor(request: FastifyRequest): (address: string) => string {
  return isOperator(request) ? (text) => text : shortenedAddress;
}
