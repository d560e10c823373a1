/** The cut, read and offered: how nodes learn of each other's blocks. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toBase64Url, writeUintLittleEndian } from '../../core/bytes.js';
import { sha512t256 } from '../../core/hash-tree.js';
import { type Block, blockHashBytes } from '../block.js';
import { ancestorAt } from '../branches.js';
import type { Chains } from '../chains.js';
import { Cut } from '../cut.js';
import type { KnownPeers } from '../known-peers.js';
import type { PeerLinks } from '../peers.js';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { checkHash, jsonBody, objectOf, queryNumber, quoted } from './params.js';

export function cutRoutes(app: FastifyInstance, { chains }: NodeContext): void {
  app.get('/cut', async (request, reply) => {
    const most = queryNumber(request, 'maxheight');
    return reply
      .type('application/json')
      .send(cutJson(chains, most === undefined ? chains.cut : limited(chains, most)));
  });
}

export function putCutRoute(app: FastifyInstance, { peers, knownPeers }: NodeContext): void {
  app.put('/cut', async (request, reply) => {
    putCut(peers, knownPeers, request);
    return reply.code(204).send();
  });
}

export function cutJson(chains: Chains, cut: Cut): object {
  const heads = [...cut.heads].sort(([a], [b]) => a - b);
  const hashes = heads.map(([id, { height, hash }]) => [String(id), { height, hash }] as const);
  return {
    origin: null,
    height: cut.height,
    weight: toBase64Url(writeUintLittleEndian(cut.weight, 32)),
    hashes: Object.fromEntries(hashes),
    instance: chains.network.name,
    id: toBase64Url(sha512t256(Buffer.concat(heads.map(([, head]) => blockHashBytes(head.hash))))),
  };
}

/** The cut as it was at a sum of heights of at most `most`, with all heads at one height. */
function limited(chains: Chains, most: number): Cut {
  const level = Math.floor(most / chains.cut.heads.size);
  const heads = new Map<number, Block>();
  for (const [chainId, head] of chains.cut.heads) {
    heads.set(chainId, ancestorAt(chains.store, head, Math.min(head.height, level)) ?? head);
  }
  return new Cut(chains.network, heads);
}

/** Tells the link to that peer that there is something to fetch; what is fetched is checked block by block. */
function putCut(peers: PeerLinks, knownPeers: KnownPeers, request: FastifyRequest): void {
  const body = objectOf(jsonBody(request), 'the body');
  if (body['origin'] === undefined || body['origin'] === null) {
    throw new RequestError(400, 'Cut is missing an origin entry');
  }
  const { id, address: given } = objectOf(body['origin'], 'origin');
  const address = objectOf(given, 'origin.address');
  const { hostname, port } = address;
  if (typeof hostname !== 'string' || !Number.isInteger(port) || Number(port) < 1 || Number(port) > 65535) {
    throw new RequestError(
      400,
      `origin.address must hold hostname and port 1 to 65535, not ${quoted(address)}`,
    );
  }
  for (const [chainId, entry] of Object.entries(objectOf(body['hashes'], 'hashes'))) {
    checkHash(objectOf(entry, `hashes[${quoted(chainId)}]`)['hash'], 'the hash of a chain in hashes');
  }
  const known = peers.wake({ hostname, port: Number(port) }, request.socket.remoteAddress ?? '');
  if (!known) throw new RequestError(401, 'Unknown peer');
  if (typeof id === 'string') knownPeers.add({ id: checkHash(id, 'origin.id'), address: known });
}
