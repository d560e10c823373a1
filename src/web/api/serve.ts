/** Serves what `src/operations` declares: the question is read and the answer made by the schemas of the entry. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import { csv } from '../../operations/csv.js';
import { FAULT } from '../../operations/fields.js';
import type { Handlers, List, Operation, Order, Refused } from '../../operations/operation.js';
import { orderedBy } from '../access/standing.js';
import { prefersCsv } from './accept.js';
import type { Api } from './typed.js';

/** There is no such thing, and why. */
export class Nothing {
  readonly error: string;

  constructor(error: string) {
    this.error = error;
  }
}

type ParamsOf<O> = O extends { readonly params: infer P extends z.ZodType } ? z.output<P> : unknown;

/** A question about one thing. */
export function serve<O extends Operation>(
  api: Api,
  { summary, description, tag, path, params, output, access }: O,
  answer: (params: ParamsOf<O>, request: FastifyRequest) => z.output<O['output']> | Nothing,
): void {
  const schema = {
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(params ? { params } : {}),
    response: { 200: output, ...(params ? { 400: FAULT, 404: FAULT } : {}) },
  };
  api.get(path, { schema, config: { access } }, (request, reply) => {
    const given = answer(request.params as ParamsOf<O>, request);
    if (!(given instanceof Nothing)) return given as never;
    reply.code(404);
    return { error: given.error } as never;
  });
}

/** What an answer has beside the list. */
type Beside<L extends List> = Omit<z.output<L['output']>, 'total' | 'offset' | 'limit' | L['name']>;

/** A list, a part of it at a time, as JSON or as CSV. */
export function serveList<L extends List>(
  api: Api,
  { name, summary, description, tag, path, input, output, columns, access }: L,
  answer: (
    query: z.output<L['input']>,
    request: FastifyRequest,
  ) => Promise<Listing<z.output<L['item']>> & Beside<L>>,
): void {
  const content = { 'application/json': { schema: output }, 'text/csv': { schema: z.string() } };
  const schema = {
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    querystring: input,
    response: { 200: { description: 'a part of the list', content }, 400: FAULT },
  };
  api.get(path, { schema, config: { access } }, async (request, reply) => {
    const { total, items, ...beside } = await answer(request.query as z.output<L['input']>, request);
    const { offset, limit } = request.query as { readonly offset: number; readonly limit: number };
    reply.header('vary', 'accept');
    if (!prefersCsv(request.headers.accept))
      return { total, offset, limit, [name]: items, ...beside } as never;
    // A table has no room for how many there are in all.
    reply.type('text/csv; charset=utf-8').header('x-total-count', total);
    return csv(items, columns) as never;
  });
}

/** Of a list that is at hand. */
export function partAt<T>(all: readonly T[], { offset, limit }: Slice): Listing<T> {
  return { total: all.length, items: all.slice(offset, offset + limit) };
}

const STATUS = { unfit: 400, unknown: 404, full: 409, busy: 409 } as const;

/** Told to who gave the order as what is wrong with it. */
class OrderRefused extends Error {
  override readonly name = 'OrderRefused';
  readonly statusCode: number;

  constructor({ refused, why }: Refused) {
    super(why);
    this.statusCode = STATUS[refused];
  }
}

/** Of a server that has nobody to give orders on to. */
const NOBODY: Refused = { refused: 'busy', why: 'here is nobody to give this order to' };

/** What came of an order that was carried out; one that was not ends the request. */
export function carriedOut<T extends object>(outcome: T | Refused = NOBODY): T {
  if ('refused' in outcome) throw new OrderRefused(outcome as Refused);
  return outcome;
}

/** @param handlers absent where nobody carries these orders out: each is refused. */
export function serveOrders<Orders extends Readonly<Record<string, Order>>>(
  api: Api,
  orders: Orders,
  handlers: Handlers<Orders> | undefined,
): void {
  for (const [name, { method, path, params, body, output, ...said }] of Object.entries(orders)) {
    const schema = {
      summary: said.summary,
      ...(said.description === undefined ? {} : { description: said.description }),
      tags: [said.tag],
      ...(params ? { params } : {}),
      ...(body ? { body } : {}),
      response: { 200: output, 400: FAULT, 404: FAULT, 409: FAULT },
    };
    const handler = handlers?.[name]?.bind(handlers) as ((given: object, by: string) => object) | undefined;
    api.route({
      method,
      url: path,
      schema,
      config: { access: said.access },
      handler: async (request) => {
        const given = { ...(request.params as object), ...((request.body ?? {}) as object) };
        return carriedOut(await handler?.(given, orderedBy(request))) as never;
      },
    });
  }
}
