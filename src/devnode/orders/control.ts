/** The control port: what may be ordered of the node. Off by default, and never the port that serves the interface. */
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
} from 'fastify';
import { z } from 'zod';
import { openApiDocument } from '../../chain/openapi.js';
import { checkBody, quoted } from '../../chain/parameters.js';
import { isOwnName } from '../../core/names/host-header.js';
import { ancestorAt } from '../consensus/branches.js';
import { NODE_VERSION, type NodeContext } from '../http/context.js';
import { RequestError } from '../http/errors.js';
import { leavingSignal } from '../http/leaving.js';
import { checked, refuseWebPages } from '../http/params.js';
import { mineModel } from './block-maker.js';
import { faultsModel } from './faults.js';
import type { ClockInfo, Orders } from './orders.js';

interface Control {
  readonly context: NodeContext;
  readonly orders: Orders;
  /** Ends every connection of the node's own ports. */
  cutConnections(): void;
}

interface Route {
  readonly method: HTTPMethods;
  readonly url: string;
  answer(control: Control, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}

/** Bodies are refused, with 400, that are not as the model has them. */
function route<M extends z.ZodType>(
  method: HTTPMethods,
  url: string,
  model: M,
  run: (control: Control, body: z.output<M>, request: FastifyRequest, reply: FastifyReply) => unknown,
): Route {
  return {
    method,
    url,
    answer: async (control, request, reply) =>
      run(
        control,
        checked(() => checkBody(model, request.body)),
        request,
        reply,
      ),
  };
}

const nothing = z.unknown();
const flag = z.boolean('must be true or false');
const NO_HEIGHT = 'must be a whole number from 0 on';
const rewindModel = z.strictObject({ height: z.int(NO_HEIGHT).nonnegative(NO_HEIGHT) });
const linksModel = z.strictObject({ url: z.string('must be a text').optional(), connected: flag });
const ms = z.number('must be a number of milliseconds').optional();
const NO_TIME = 'must be a time such as 2026-12-01T00:00:00Z';
const clockModel = z.strictObject({
  advanceMs: ms,
  frozen: flag.optional(),
  stepMs: ms,
  /** A time of the calendar, or milliseconds since the epoch. */
  nextBlockAt: z
    .union([z.number(), z.string().transform((text) => Date.parse(text))], NO_TIME)
    .refine((time) => Number.isFinite(time), NO_TIME)
    .optional(),
  skewMs: ms,
});

const ROUTES: readonly Route[] = [
  route('GET', '/openapi.json', nothing, () => openApiDocument(NODE_VERSION)),
  route('POST', '/mine', mineModel.prefault({}), ({ context, orders }, body, _, reply) =>
    orders.mine(body, leavingSignal(reply, context.closing)),
  ),
  route('GET', '/clock', nothing, ({ orders }) => orders.clock),
  route('PUT', '/clock', clockModel, ({ orders }, body) => orderClock(orders, body)),
  route('GET', '/snapshots', nothing, ({ orders }) => ({ snapshots: orders.snapshots.list() })),
  route('PUT', '/snapshots/:id', nothing, ({ orders }, _, request) => orders.snapshots.take(idIn(request))),
  route('POST', '/snapshots/:id/revert', nothing, ({ orders }, _, request) =>
    orders.snapshots.revert(idIn(request)),
  ),
  route('DELETE', '/snapshots/:id', nothing, ({ orders }, _, request) => {
    orders.snapshots.delete(idIn(request));
    return { snapshots: orders.snapshots.list() };
  }),
  route('GET', '/faults', nothing, ({ context, orders }) => ({
    ...context.faults.state,
    skewMs: orders.clock.skewMs,
  })),
  route('PUT', '/faults', faultsModel, ({ context: { faults, mempool } }, body) => {
    const state = faults.set(body);
    if (body.holdTransactions !== undefined) mempool.refresh();
    return state;
  }),
  route('DELETE', '/faults', nothing, ({ context: { faults, peers, mempool }, orders }) => {
    orders.skew(0);
    peers.setConnected(true);
    const state = faults.clear();
    mempool.refresh();
    return state;
  }),
  route('POST', '/cut-connections', nothing, ({ cutConnections }) => {
    cutConnections();
    return {};
  }),
  route('POST', '/end-streams', nothing, ({ context: { miningStreams, blockStreams } }) => {
    miningStreams.endAll();
    blockStreams.endAll();
    return {};
  }),
  route('POST', '/rewind', rewindModel, ({ context }, { height }) => rewind(context, height)),
  route('DELETE', '/mempool', nothing, ({ context: { mempool } }) => ({ forgotten: mempool.forget() })),
  route('PUT', '/links', linksModel, ({ context: { peers } }, { url, connected }) => {
    const changed = peers.setConnected(connected, url);
    if (changed === 0) throw new RequestError(404, `there is no link to ${quoted(url)}`);
    return { changed };
  }),
];

function idIn({ params }: FastifyRequest): string {
  return (params as { readonly id: string }).id;
}

export function createControl(control: Control): FastifyInstance {
  const { control: where } = control.context.settings;
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (request) => {
    refuseWebPages(request);
    const { host } = request.headers;
    // A page's own name may lead here.
    if (isOwnName(host, where === 'off' ? [] : [where.host])) return;
    throw new RequestError(403, `this node is not called ${quoted(host)}: ask it by its address`);
  });
  for (const { method, url, answer } of ROUTES)
    app.route({ method, url, handler: (request, reply) => answer(control, request, reply) });
  return app;
}

function orderClock(orders: Orders, body: z.output<typeof clockModel>): ClockInfo {
  const { advanceMs, frozen, stepMs, nextBlockAt, skewMs } = body;
  if (advanceMs !== undefined) return orders.advance(advanceMs);
  if (skewMs !== undefined) return orders.skew(skewMs);
  if (nextBlockAt !== undefined) return orders.nextBlockAt(nextBlockAt);
  if (frozen !== undefined) return frozen ? orders.freeze(stepMs) : orders.run();
  throw new RequestError(400, 'the body must hold advanceMs, frozen, nextBlockAt or skewMs');
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
