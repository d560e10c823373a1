/** Serves what `src/operations` declares: the question is read and the answer made by the schemas of the entry. */
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import { csv } from '../../operations/entry/csv.js';
import { FAULT } from '../../operations/entry/fields.js';
import type { GivenTo, Handlers, List, Operation, Order, Refused } from '../../operations/entry/operation.js';
import { orderedBy } from '../access/standing.js';
import { prefersCsv } from './accept.js';
import { Once } from './once.js';
import type { Api } from './typed.js';

/** There is no such thing, and why. */
export class Nothing {
  readonly error: string;

  constructor(error: string) {
    this.error = error;
  }
}

/** A question that is none, or not for who asks. */
export function refused(statusCode: 400 | 403, says: string): Error {
  return Object.assign(new Error(says), { statusCode });
}

type OutputOf<T> = T extends z.ZodType ? z.output<T> : unknown;
/** What is asked: the parts of the path that have names, and what stands behind `?`. */
type Asked<O> = OutputOf<O extends { readonly params: infer P } ? P : undefined> &
  OutputOf<O extends { readonly input: infer I } ? I : undefined>;

type Answer<T> = T | Nothing | Promise<T | Nothing>;

/** A question about one thing. */
export function serve<O extends Operation>(
  api: Api,
  entry: O,
  answer: (asked: Asked<O>, request: FastifyRequest) => Answer<z.output<O['output']>>,
): void {
  api.get(entry.path, routeOf(entry, entry.output), async (request, reply) => {
    const given = await answer(askedOf(request), request);
    return (given instanceof Nothing ? notFound(reply, given) : given) as never;
  });
}

function askedOf<O>({ params, query }: FastifyRequest): Asked<O> {
  return { ...(params as object), ...(query as object) } as Asked<O>;
}

function notFound(reply: FastifyReply, { error }: Nothing): object {
  reply.code(404);
  return { error };
}

/** @param answered what it answers with 200. */
export function routeOf(
  { summary, description, tag, params, input, access, faults = [] }: Operation,
  answered: object,
) {
  const codes = [...(params || input ? [400] : []), ...faults];
  const response: Record<number, object> = {
    200: answered,
    ...Object.fromEntries(codes.map((code) => [code, FAULT])),
  };
  return {
    config: { access },
    schema: {
      summary,
      ...(description === undefined ? {} : { description }),
      tags: [tag],
      ...(params ? { params } : {}),
      ...(input ? { querystring: input } : {}),
      response,
    },
  };
}

/** What an answer has beside the items and which part of the list they are. */
type Beside<L extends List> = Omit<z.output<L['output']>, 'offset' | 'limit' | L['name']>;

/** A list, a part of it at a time, as JSON or as CSV. */
export function serveList<L extends List>(
  api: Api,
  entry: L,
  answer: (
    asked: Asked<L>,
    request: FastifyRequest,
  ) => Promise<({ readonly items: readonly z.output<L['item']>[] } & Beside<L>) | Nothing>,
): void {
  const content = { 'application/json': { schema: entry.output }, 'text/csv': { schema: z.string() } };
  const route = routeOf(entry, { description: 'a part of the list', content });
  api.get(entry.path, route, async (request, reply) => {
    const given = await answer(askedOf(request), request);
    if (given instanceof Nothing) return notFound(reply, given) as never;
    const { items, ...beside } = given;
    reply.header('vary', 'accept');
    if (!prefersCsv(request.headers.accept))
      return { ...(request.query as object), ...beside, [entry.name]: items } as never;
    reply.type('text/csv; charset=utf-8');
    // A table has no room for how many there are in all.
    if ('total' in beside) reply.header('x-total-count', beside.total);
    return csv(items, entry.columns) as never;
  });
}

/** Of a list that is at hand. */
export function partAt<T>(all: readonly T[], { offset, limit }: Slice): Listing<T> {
  return { total: all.length, items: all.slice(offset, offset + limit) };
}

const STATUS = { unfit: 400, forbidden: 403, unknown: 404, full: 409, busy: 409 } as const;

/** Of a server that has nobody to give orders on to. */
const NOBODY: Refused = { refused: 'busy', why: 'here is nobody to give this order to' };

/** What is answered. */
type Outcome<O extends Order> = z.output<O['output']> | Refused | FastifyReply;

/** @param act may answer itself, by the reply. */
export function serveOrder<O extends Order>(
  api: Api,
  order: O,
  act: (given: GivenTo<O>, request: FastifyRequest, reply: FastifyReply) => Outcome<O> | Promise<Outcome<O>>,
): void {
  const { method, path: url, access, takesLong = false, bodyLimit } = order;
  const once = new Once();
  api.route({
    ...{ method, url, schema: schemaOf(order), config: { access } },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    handler: async (request, reply) => {
      const { socket } = request.raw;
      // Where it is asked in this process there is none.
      if (takesLong && socket instanceof Socket) socket.setTimeout(0);
      const given = { ...(request.params as object), ...((request.body ?? {}) as object) } as GivenTo<O>;
      const give = async () => (await act(given, request, reply)) as object;
      // Who is anonymous would fill it for all others.
      const outcome = await (access === 'anonymous' ? give() : once.give(request, give));
      // By the reply itself, which gives nothing once it is sent.
      if (reply.sent) return reply as never;
      if (!isRefused(outcome)) return outcome as never;
      const { refused, why, now } = outcome;
      return reply.code(STATUS[refused]).send({ error: why, ...now } as never) as never;
    },
  });
}

function isRefused(outcome: object): outcome is Refused {
  return 'refused' in outcome && 'why' in outcome;
}

const ONCE = z.looseObject({
  'idempotency-key': z
    .string()
    .max(200)
    .optional()
    .describe('the same order with the same key is given once, and answered the same'),
});

function schemaOf({ summary, description, tag, params, body, output, refusal, access }: Order) {
  const moved = refusal ? FAULT.extend(refusal) : FAULT;
  return {
    ...{ summary, tags: [tag] },
    ...(description === undefined ? {} : { description }),
    ...(params ? { params } : {}),
    ...(body ? { body } : {}),
    ...(access === 'anonymous' ? {} : { headers: ONCE }),
    response: { 200: output, 400: FAULT, 403: FAULT, 404: FAULT, 409: moved, 503: FAULT },
  };
}

/** @param handlers absent where nobody carries these orders out: each is refused. */
export function serveOrders<Orders extends Readonly<Record<string, Order>>>(
  api: Api,
  orders: Orders,
  handlers: Handlers<Orders> | undefined,
): void {
  for (const [name, order] of Object.entries(orders)) {
    const carryOut = handlers?.[name]?.bind(handlers) as
      | ((given: object, by: string) => object | Promise<object>)
      | undefined;
    serveOrder(api, order, (given, request) => carryOut?.(given as object, orderedBy(request)) ?? NOBODY);
  }
}
