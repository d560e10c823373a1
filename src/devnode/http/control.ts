/**
 * The control port: faults on demand, for tests. Off by default, and never the port that serves the interface.
 *
 * | request | body | does |
 * |---|---|---|
 * | GET /openapi.json | | the OpenAPI document of the node |
 * | GET /faults | | what is on |
 * | PUT /faults | `{"delayMs":200,"stall":false,"refuse":false,"miningEnabled":true,"onlyPath":"/mining/"}`, any of them | sets them |
 * | DELETE /faults | | heals all, links included |
 * | POST /cut-connections | | ends every connection now |
 * | POST /end-streams | | ends every event stream now |
 * | POST /rewind | `{"height":10}` | makes the cut at that height of every chain the current one |
 * | GET /mempool | | what the pool is told to do wrong |
 * | PUT /mempool | `{"drop":true,"hold":true}`, any of them | drop: what comes is answered as if it were taken, and is gone; hold: what waits gets into no block |
 * | DELETE /mempool | | forgets what waits, as a restart does |
 * | PUT /links | `{"url":"http://…","connected":false}`, url may be left out | cuts or heals links to peers |
 *
 * What is no fault stands in control/order-routes.ts.
 */
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { openApiDocument } from '../../chain/openapi.js';
import { ancestorAt } from '../consensus/branches.js';
import type { FaultState } from '../faults.js';
import type { PoolFaults } from '../mining/mempool.js';
import type { Orders } from '../orders.js';
import type { NodeContext } from './context.js';
import { orderRoutes } from './control/order-routes.js';
import { RequestError } from './errors.js';
import { objectOf, quoted } from './params.js';
import { refuseStrangeHosts, refuseWebPages } from './web-pages.js';

interface ControlParts {
  readonly context: NodeContext;
  readonly orders: Orders;
  /** Ends every connection of the node's own port. */
  cutConnections(): void;
}

export function createControl({ context, orders, cutConnections }: ControlParts): FastifyInstance {
  const { faults, peers, mempool } = context;
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (request) => {
    refuseWebPages(request);
    refuseStrangeHosts(request, [context.settings.control?.host]);
  });
  app.get('/openapi.json', async () => openApiDocument(context.settings.nodeVersion));
  app.get('/faults', async () => ({ ...faults.state, skewMs: orders.clock.skewMs }));
  app.put('/faults', async (request) => {
    faults.set(readFaults(request.body, FAULT_TYPES));
    return faults.state;
  });
  app.delete('/faults', async () => {
    faults.clear();
    orders.skew(0);
    peers.setConnected(true);
    mempool.setFaults({ drop: false, hold: false });
    return faults.state;
  });
  app.post('/cut-connections', async () => {
    cutConnections();
    return {};
  });
  app.post('/end-streams', async () => {
    context.miningStreams.endAll();
    context.blockStreams.endAll();
    return {};
  });
  orderRoutes(app, orders, context.closing);
  app.post('/rewind', async (request) => rewind(context, heightOf(request)));
  app.get('/mempool', async () => mempool.faults);
  app.put('/mempool', async (request) => {
    mempool.setFaults(readFaults(request.body, POOL_FAULT_TYPES));
    return mempool.faults;
  });
  app.delete('/mempool', async () => ({ forgotten: mempool.forget() }));
  app.put('/links', async (request) => {
    const { url } = objectOf(request.body, 'the body');
    if (url !== undefined && typeof url !== 'string') throw new RequestError(400, 'url must be a text');
    const changed = peers.setConnected(fieldOf(request, 'connected', 'boolean'), url);
    if (changed === 0) throw new RequestError(404, `there is no link to ${quoted(url)}`);
    return { changed };
  });
  return app;
}

function heightOf(request: FastifyRequest): number {
  const height = fieldOf(request, 'height', 'number');
  if (Number.isSafeInteger(height) && height >= 0) return height;
  throw new RequestError(400, `height must be a whole number from 0 on, not ${height}`);
}

interface FieldTypes {
  number: number;
  boolean: boolean;
}

function fieldOf<T extends keyof FieldTypes>(request: FastifyRequest, name: string, type: T): FieldTypes[T] {
  const value = objectOf(request.body, 'the body')[name];
  if (typeof value === type && (typeof value !== 'number' || Number.isFinite(value)))
    return value as FieldTypes[T];
  throw new RequestError(400, `${name} must be a ${type}, not ${quoted(value)}`);
}

const FAULT_TYPES: Readonly<Record<keyof FaultState, string>> = {
  delayMs: 'number',
  stall: 'boolean',
  refuse: 'boolean',
  miningEnabled: 'boolean',
  onlyPath: 'string',
};

const POOL_FAULT_TYPES: Readonly<Record<keyof PoolFaults, string>> = { drop: 'boolean', hold: 'boolean' };

function readFaults<T>(body: unknown, types: Readonly<Record<keyof T & string, string>>): Partial<T> {
  const fields = objectOf(body, 'the body');
  for (const [name, value] of Object.entries(fields)) {
    const type = Object.hasOwn(types, name) ? types[name as keyof T & string] : undefined;
    if (type === undefined) throw new RequestError(400, `there is no fault ${quoted(name)}`);
    const fits = type === 'number' ? Number.isFinite(value) && Number(value) >= 0 : true;
    if (typeof value !== type || !fits)
      throw new RequestError(400, `${name} must be a ${type}, not ${quoted(value)}`);
  }
  return fields as Partial<T>;
}

/** Heads at one height are a cut whenever that height is on every branch. */
function rewind({ chains }: NodeContext, height: number): object {
  const heads = [...chains.cut.heads].flatMap(([chainId, head]) => {
    const block = ancestorAt(chains.store, head, height);
    return block ? [[chainId, block.hash] as const] : [];
  });
  if (heads.length !== chains.cut.heads.size || !chains.forceCut(new Map(heads))) {
    throw new RequestError(
      400,
      `height must be at most ${chains.cut.leastHeight}, the lowest head, not ${height}`,
    );
  }
  return { height: chains.cut.height };
}
