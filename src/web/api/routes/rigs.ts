/** Rigs, accounts, sessions and bans, a slice of each at a time. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  type Listing,
  RIG_SORTS,
  RIG_STATES,
  type RigQuery,
  type RigWatch,
  type Slice,
} from '../../../bridge/watch/rig-watch.js';
import { NAME_BYTES } from '../../../core/names/names.js';
import { isOperator } from '../../access/standing.js';
import { prefersCsv } from '../accept.js';
import { shortenedAddress } from '../address.js';
import { FAULT, nameOf, partOf, SLICE } from '../schemas/fields.js';
import { BAN, RIG, RIG_DETAIL, SESSION } from '../schemas/schemas.js';
import { rigTable } from '../show/rig-table.js';
import { type Shown, showBan, showDetail, showRig, showSession } from '../show/show-rigs.js';
import type { Api } from '../typed.js';

const TAGS = ['rigs'];

export function addRigRoutes(api: Api, watch: RigWatch): void {
  addRigList(api, watch);
  addRigPages(api, watch);
  const list = <const K extends string, T, S extends z.ZodType>(
    name: K,
    summary: string,
    item: S,
    listed: (slice: Slice) => Promise<Listing<T>>,
    show: (item: T, address: Shown) => z.output<S>,
  ): void => {
    const schema = {
      summary,
      tags: TAGS,
      querystring: z.strictObject(SLICE),
      response: { 200: partOf(name, item), 400: FAULT },
    };
    const answer = async (request: FastifyRequest): Promise<object> => {
      const slice = request.query as Slice;
      const { total, items } = await listed(slice);
      const address = addressesFor(request);
      return { total, ...slice, [name]: items.map((each) => show(each, address)) };
    };
    api.get(`/api/v1/${name}`, { schema }, (request) => answer(request) as never);
  };
  list('sessions', 'Open sessions, fastest first', SESSION, (slice) => watch.sessions(slice), showSession);
  list('bans', 'Bans in force', BAN, async (slice) => watch.bans(slice), showBan);
}

const QUERY = z.strictObject({
  state: z.enum(RIG_STATES, `one of ${RIG_STATES.join(', ')}`).optional(),
  account: z
    .string('one name')
    .max(NAME_BYTES.account, `at most ${NAME_BYTES.account} characters`)
    .optional()
    .describe('the whole name'),
  q: z
    .string('one text')
    .max(200, 'at most 200 characters')
    .optional()
    .describe('a part of the login or of the label, in large or small letters'),
  sort: z
    .enum(RIG_SORTS, `one of ${RIG_SORTS.join(', ')}`)
    .default('hashRate')
    .describe(
      'hashRate is that of the last five minutes, rate1h and rate24h are those of longer windows, rejected is the part of all submits',
    ),
  order: z
    .enum(['asc', 'desc'], 'asc or desc')
    .optional()
    .describe('by default names, agents and states rise, and all else falls'),
  ...SLICE,
});

function addRigList(api: Api, watch: RigWatch): void {
  const schema = {
    summary: 'Rigs that are connected, and those that had shares accepted',
    description:
      'CPU threads are rigs too. Who has gone stays in the list; the longest silent are forgotten when there are too many. With `Accept: text/csv` the same as a table. The list is up to a second old',
    tags: TAGS,
    querystring: QUERY,
    response: {
      200: {
        description: 'a part of the list',
        content: {
          'application/json': { schema: partOf('rigs', RIG) },
          'text/csv': { schema: z.string() },
        },
      },
      400: FAULT,
    },
  };
  api.get('/api/v1/rigs', { schema }, async (request, reply) => {
    const query = request.query as RigQuery;
    const { total, items } = await watch.rigs(query);
    const rigs = items.map(showRig);
    const { offset, limit } = query;
    reply.header('vary', 'accept');
    if (!prefersCsv(request.headers.accept)) return { total, offset, limit, rigs };
    // A table has no room for how many there are in all.
    reply.type('text/csv; charset=utf-8').header('x-total-count', total);
    return rigTable(rigs);
  });
}

function addRigPages(api: Api, watch: RigWatch): void {
  const response = { 200: RIG_DETAIL, 400: FAULT, 404: FAULT };
  const page = (
    request: FastifyRequest,
    reply: { code(status: 404): unknown },
    account: string,
    rig: string,
  ) => {
    const detail = watch.rig(account, rig);
    if (detail) return showDetail(detail, addressesFor(request));
    reply.code(404);
    return { error: whyNoRig(account, rig) };
  };
  api.get(
    '/api/v1/rigs/:account/:rig',
    {
      schema: {
        summary: 'One rig with its sessions',
        tags: TAGS,
        params: z.object({ account: nameOf('account'), rig: nameOf('rig') }),
        response,
      },
    },
    (request, reply) => page(request, reply, request.params.account, request.params.rig),
  );
  api.get(
    '/api/v1/rigs/:account',
    {
      schema: {
        summary: 'The rig of an account that has no name, with its sessions',
        tags: TAGS,
        params: z.object({ account: nameOf('account') }),
        response,
      },
    },
    (request, reply) => page(request, reply, request.params.account, ''),
  );
}

function whyNoRig(account: string, rig: string): string {
  const why = 'it is not connected, and had no share accepted since the bridge started';
  const those = `/api/v1/rigs?account=${encodeURIComponent(account)}`;
  if (rig === '')
    return `the account ${account} has no rig without a name: ${why}. Its others are at ${those}`;
  return `the account ${account} has no rig ${rig}: ${why}. Its others are at ${those}`;
}

/** In full for operators alone. */
export function addressesFor(request: FastifyRequest): Shown {
  return isOperator(request) ? (text) => text : shortenedAddress;
}
