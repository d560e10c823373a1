/** Peers of the exchange of cuts, and of that of each chain's transactions: here they are the same nodes. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PeerInfo } from '../known-peers.js';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { chainOf } from './paging.js';
import { checkHash, jsonBody, objectOf, queryNumber, queryText, quoted } from './params.js';

const DEFAULT_PAGE = 64;
const MOST_OF_A_PAGE = 512;

export function peerRoutes(app: FastifyInstance, context: NodeContext): void {
  const { knownPeers } = context;
  const serve = (path: string, check: (request: FastifyRequest) => void): void => {
    app.get(path, async (request, reply) => {
      check(request);
      return reply.type('application/json').send(pageOf(knownPeers.all, request));
    });
    app.put(path, async (request, reply) => {
      check(request);
      knownPeers.add(peerOf(jsonBody(request)));
      return reply.code(204).send();
    });
  };
  serve('/cut/peer', () => {});
  serve('/chain/:chain/mempool/peer', (request) => void chainOf(context, request));
}

/** The cursor is the number of the next entry. */
function pageOf(peers: readonly PeerInfo[], request: FastifyRequest): object {
  const limit = Math.min(queryNumber(request, 'limit') ?? DEFAULT_PAGE, MOST_OF_A_PAGE);
  const from = startOf(queryText(request, 'next'));
  const items = peers.slice(from, from + limit);
  const end = from + items.length;
  return { items, limit: items.length, next: end < peers.length ? `inclusive:${end}` : null };
}

function startOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [, form, digits] = /^(inclusive|exclusive):([0-9]{1,9})$/.exec(cursor) ?? [];
  if (form === undefined) {
    throw new RequestError(
      400,
      `next must be inclusive:<number> or exclusive:<number>, not ${quoted(cursor)}`,
    );
  }
  return Number(digits) + (form === 'exclusive' ? 1 : 0);
}

/** 400 with the words of real nodes for what is no address. */
export function peerOf(value: unknown): PeerInfo {
  const { id = null, address } = objectOf(value, 'the body');
  const { hostname, port } = objectOf(address, 'address');
  if (typeof hostname !== 'string' || !HOSTNAME.test(hostname) || !isPort(port)) {
    throw new RequestError(
      400,
      `Invalid hostaddress: address must hold a hostname and a port from 1 to 65535, not ${quoted(address)}`,
    );
  }
  return { id: id === null ? null : checkHash(id, 'id'), address: { hostname, port } };
}

/** A domain name, IPv4 or IPv6 address, loosely. */
const HOSTNAME = /^[a-zA-Z0-9.:_[\]-]{1,253}$/;

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65535;
}
