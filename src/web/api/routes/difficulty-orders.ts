/** Share difficulties by order: who is held at one, and the orders to set and clear it. */
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OrderedDifficulty, Steering } from '../../../bridge/orders/steering.js';
import type { Name } from '../../../core/names.js';
import type { Difficulty } from '../../../core/target.js';
import { orderedBy } from '../../access/standing.js';
import { FAULT, nameOf, partOf, SLICE } from '../schemas/fields.js';
import { DIFFICULTY_ORDER, HELD, ORDERED_DIFFICULTY } from '../schemas/order-schemas.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS, iso } from './orders.js';

const OF_RIG = { path: '/api/v1/rigs/:account/:rig/difficulty', whom: 'a rig' } as const;
const OF_NAMELESS = {
  path: '/api/v1/rigs/:account/difficulty',
  whom: 'the rig of an account that has no name',
} as const;
const NAMED = z.object({ account: nameOf('account'), rig: nameOf('rig') });
const NAMELESS = z.object({ account: nameOf('account') });

export function addDifficultyOrders(api: Api, steering: Steering | undefined): void {
  addList(api, steering);
  addOrders(api, OF_RIG, NAMED, steering);
  addOrders(api, OF_NAMELESS, NAMELESS, steering);
}

function addList(api: Api, steering: Steering | undefined): void {
  const schema = {
    tags: ['rigs'],
    summary: 'Rigs that an operator holds at a share difficulty, in the order in which that was ordered',
    querystring: z.strictObject(SLICE),
    response: { 200: partOf('difficulties', ORDERED_DIFFICULTY), 400: FAULT },
  };
  api.get('/api/v1/difficulties', { schema }, ({ query: slice }) => {
    const all = steering?.difficulties() ?? [];
    const { offset, limit } = slice;
    return {
      total: all.length,
      ...slice,
      difficulties: all.slice(offset, offset + limit).map(showOrdered),
    };
  });
}

function showOrdered({ account, rig, difficulty, sinceMs, by }: OrderedDifficulty) {
  return { account, rig, difficulty: String(difficulty), since: iso(sinceMs), by };
}

/** To hold it at one, and to let it go. */
function addOrders(
  api: Api,
  { path, whom }: typeof OF_RIG | typeof OF_NAMELESS,
  params: typeof NAMED | typeof NAMELESS,
  steering: Steering | undefined,
): void {
  const response = { 200: HELD, ...FAULTS };
  const order = async (request: FastifyRequest, difficulty: Difficulty | undefined) => {
    const { account, rig = '' } = request.params as Pick<Name, 'account'> & Partial<Name>;
    const by = orderedBy(request);
    const done = carriedOut(await steering?.setDifficulty({ account, rig }, difficulty, by));
    return { account, rig, difficulty: difficulty === undefined ? null : String(difficulty), ...done };
  };
  const set = {
    tags: ['orders'],
    summary: `Holds all sessions of ${whom} at a share difficulty, from their next job on`,
    description: 'Also those that come later. It wins over what the rig asks for',
    ...{ params, body: DIFFICULTY_ORDER, response },
  };
  api.put(path, { schema: set }, (request) => order(request, BigInt(request.body.difficulty) as Difficulty));
  const clear = {
    tags: ['orders'],
    summary: `Holds ${whom} at no share difficulty any more`,
    ...{ params, response },
  };
  api.delete(path, { schema: clear }, (request) => order(request, undefined));
}
