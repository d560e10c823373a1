/**
 * The control port: faults on demand, for tests. Off by default, and never the port that serves the interface.
 *
 * | request | body | does |
 * |---|---|---|
 * | GET /faults | | what is on |
 * | PUT /faults | `{"delayMs":200,"stall":false,"refuse":false,"miningEnabled":true,"onlyPath":"/mining/"}`, any of them | sets them |
 * | DELETE /faults | | heals all, links included |
 * | POST /cut-connections | | ends every connection now |
 * | POST /end-streams | | ends every event stream now |
 * | PUT /clock | `{"skewMs":-5000}` | sets the node's clock wrong by this much |
 * | POST /rewind | `{"height":10}` | makes the cut at that height of every chain the current one |
 * | PUT /links | `{"url":"http://…","connected":false}`, url may be left out | cuts or heals links to peers |
 */
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { ancestorAt } from '../branches.js';
import type { SkewedClock } from '../clock.js';
import type { FaultState } from '../faults.js';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { objectOf, quoted } from './params.js';
import { refuseStrangeHosts, refuseWebPages } from './web-pages.js';

export interface ControlParts {
  readonly context: NodeContext;
  readonly clock: SkewedClock;
  /** Ends every connection of the node's own port. */
  cutConnections(): void;
}

export function createControl({ context, clock, cutConnections }: ControlParts): FastifyInstance {
  const { faults, peers } = context;
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (request) => {
    refuseWebPages(request);
    refuseStrangeHosts(request, [context.settings.control?.host]);
  });
  app.get('/faults', async () => ({ ...faults.state, skewMs: Number(clock.skewMicros) / 1000 }));
  app.put('/faults', async (request) => {
    faults.set(readFaults(request.body));
    return faults.state;
  });
  app.delete('/faults', async () => {
    faults.clear();
    clock.skewMicros = 0n;
    peers.setConnected(true);
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
  app.put('/clock', async (request) => {
    const skewMs = fieldOf(request, 'skewMs', 'number');
    clock.skewMicros = BigInt(Math.round(skewMs * 1000));
    return { skewMs };
  });
  app.post('/rewind', async (request) => rewind(context, heightOf(request)));
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

function readFaults(body: unknown): Partial<FaultState> {
  const fields = objectOf(body, 'the body');
  for (const [name, value] of Object.entries(fields)) {
    const type = FAULT_TYPES[name as keyof FaultState];
    if (type === undefined) throw new RequestError(400, `there is no fault ${quoted(name)}`);
    const fits = type === 'number' ? Number.isFinite(value) && Number(value) >= 0 : true;
    if (typeof value !== type || !fits)
      throw new RequestError(400, `${name} must be a ${type}, not ${quoted(value)}`);
  }
  return fields as Partial<FaultState>;
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
