/**
 * The part of the control port that developers use: blocks on demand, time, snapshots.
 *
 * | request | body | does |
 * |---|---|---|
 * | POST /mine | `{"chains":[0,1],"count":3,"withNeighbours":true}`, any of them | mines, and answers what was mined and which chains wait for which |
 * | GET /clock | | time of the node |
 * | PUT /clock | one of `{"advanceMs":60000}`, `{"frozen":true,"stepMs":1000}`, `{"nextBlockAt":"2026-12-01T00:00:00Z"}`, `{"skewMs":-5000}` | orders about its time |
 * | GET /snapshots | | those that were taken |
 * | PUT /snapshots/ID | | notes cut, blocks, mempool and clock |
 * | POST /snapshots/ID/revert | | goes back there |
 * | DELETE /snapshots/ID | | forgets it |
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MineError, type MineOrder } from '../../mining/block-maker.js';
import type { ClockInfo, Orders } from '../../orders.js';
import { OrderError } from '../../orders.js';
import { SnapshotError } from '../../storage/snapshots.js';
import { RequestError } from '../errors.js';
import { leavingSignal } from '../leaving.js';
import { objectOf, pathText, quoted } from '../params.js';

export function orderRoutes(app: FastifyInstance, orders: Orders, closing: AbortSignal): void {
  const { snapshots } = orders;
  const answered = <T>(order: (request: FastifyRequest) => T) => {
    return async (request: FastifyRequest): Promise<T> => inWords(() => order(request));
  };
  app.post('/mine', (request, reply) =>
    inWords(() => orders.mine(mineOrderOf(request.body), leavingSignal(reply, closing))),
  );
  app.get('/clock', async () => orders.clock);
  app.put(
    '/clock',
    answered((request) => orderClock(orders, objectOf(request.body, 'the body'))),
  );
  app.get('/snapshots', async () => ({ snapshots: snapshots.list() }));
  app.put(
    '/snapshots/:id',
    answered((request) => snapshots.take(pathText(request, 'id'))),
  );
  app.post(
    '/snapshots/:id/revert',
    answered((request) => snapshots.revert(pathText(request, 'id'))),
  );
  app.delete(
    '/snapshots/:id',
    answered((request) => {
      snapshots.delete(pathText(request, 'id'));
      return { snapshots: snapshots.list() };
    }),
  );
}

const STATUS: Readonly<Record<string, number>> = {
  'unknown-snapshot': 404,
  'too-many-snapshots': 409,
  'not-taken': 409,
  busy: 503,
  'given-up': 503,
};

async function inWords<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isOurs =
      error instanceof OrderError || error instanceof MineError || error instanceof SnapshotError;
    if (isOurs) throw new RequestError(STATUS[error.code] ?? 400, error.message);
    throw error;
  }
}

function mineOrderOf(body: unknown): MineOrder {
  const { chains, count, withNeighbours, ...rest } = objectOf(body ?? {}, 'the body');
  const [strange] = Object.keys(rest);
  if (strange !== undefined) throw new RequestError(400, `an order to mine has no ${quoted(strange)}`);
  if (chains !== undefined && !(Array.isArray(chains) && chains.every(Number.isSafeInteger))) {
    throw new RequestError(400, `chains must be a list of chain ids, not ${quoted(chains)}`);
  }
  if (count !== undefined && typeof count !== 'number') {
    throw new RequestError(400, `count must be a number, not ${quoted(count)}`);
  }
  if (withNeighbours !== undefined && typeof withNeighbours !== 'boolean') {
    throw new RequestError(400, `withNeighbours must be true or false, not ${quoted(withNeighbours)}`);
  }
  return {
    ...(chains === undefined ? {} : { chains: chains as number[] }),
    ...(count === undefined ? {} : { count }),
    ...(withNeighbours === undefined ? {} : { withNeighbours }),
  };
}

function orderClock(orders: Orders, fields: Record<string, unknown>): ClockInfo {
  const { advanceMs, frozen, stepMs, nextBlockAt, skewMs, ...rest } = fields;
  const [strange] = Object.keys(rest);
  if (strange !== undefined) throw new RequestError(400, `the clock takes no ${quoted(strange)}`);
  if (advanceMs !== undefined) return orders.advance(numberOf('advanceMs', advanceMs));
  if (skewMs !== undefined) return orders.skew(numberOf('skewMs', skewMs));
  if (nextBlockAt !== undefined) return orders.nextBlockAt(timeOf(nextBlockAt));
  if (frozen === false) return orders.run();
  if (frozen === true) return orders.freeze(stepMs === undefined ? undefined : numberOf('stepMs', stepMs));
  throw new RequestError(400, 'the body must hold advanceMs, frozen, nextBlockAt or skewMs');
}

function numberOf(name: string, value: unknown): number {
  if (typeof value === 'number') return value;
  throw new RequestError(400, `${name} must be a number of milliseconds, not ${quoted(value)}`);
}

/** A time of the calendar, or milliseconds since the epoch. */
function timeOf(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number(value);
  if ((typeof value === 'string' || typeof value === 'number') && Number.isFinite(time)) return time;
  throw new RequestError(
    400,
    `nextBlockAt must be a time such as 2026-12-01T00:00:00Z, not ${quoted(value)}`,
  );
}
