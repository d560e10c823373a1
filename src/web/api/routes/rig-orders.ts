/** What is ordered for single rigs: share difficulties and labels, with their lists. */
import type { FastifyRequest } from 'fastify';
import type { OrderedDifficulty, RigLabel, Steering } from '../../../bridge/orders/steering.js';
import type { Name } from '../../../core/names/names.js';
import type { Difficulty } from '../../../core/work/target.js';
import { difficulties, labels } from '../../../operations/by-order.js';
import { rig, unnamedRig } from '../../../operations/rigs.js';
import { orderedBy } from '../../access/standing.js';
import { DIFFICULTY_ORDER, HELD, LABEL_ORDER, LABELLED } from '../schemas/order-schemas.js';
import { partAt, serveList } from '../serve.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS, iso } from './orders.js';

const OF_RIG = { path: rig.path, whom: 'a rig' } as const;
const OF_NAMELESS = {
  path: unnamedRig.path,
  whom: 'the rig of an account that has no name',
} as const;

/** A rig by its path, and how its parameters are read. */
interface Place {
  readonly of: typeof OF_RIG | typeof OF_NAMELESS;
  readonly params: typeof rig.params | typeof unnamedRig.params;
}

const PLACES: readonly Place[] = [
  { of: OF_RIG, params: rig.params },
  { of: OF_NAMELESS, params: unnamedRig.params },
];

export function addRigOrders(api: Api, steering: Steering | undefined): void {
  addLists(api, steering);
  for (const place of PLACES) {
    addDifficulty(api, place, steering);
    addLabel(api, place, steering);
  }
}

function addLists(api: Api, steering: Steering | undefined): void {
  serveList(api, difficulties, async (slice) => {
    const { total, items } = partAt(steering?.difficulties() ?? [], slice);
    return { total, items: items.map(showOrdered) };
  });
  serveList(api, labels, async (slice) => {
    const { total, items } = partAt(steering?.labels() ?? [], slice);
    return { total, items: items.map(showLabel) };
  });
}

function showOrdered({ account, rig, difficulty, sinceMs, by }: OrderedDifficulty) {
  return { account, rig, difficulty: String(difficulty), since: iso(sinceMs), by };
}

function showLabel({ account, rig, label, sinceMs, by }: RigLabel) {
  return { account, rig, label, since: iso(sinceMs), by };
}

/** To hold it at one, and to let it go. */
function addDifficulty(api: Api, { of, params }: Place, steering: Steering | undefined): void {
  const path = `${of.path}/difficulty` as const;
  const response = { 200: HELD, ...FAULTS };
  const order = async (request: FastifyRequest, difficulty: Difficulty | undefined) => {
    const rig = rigOf(request);
    const done = carriedOut(await steering?.setDifficulty(rig, difficulty, orderedBy(request)));
    return { ...rig, difficulty: difficulty === undefined ? null : String(difficulty), ...done };
  };
  const set = {
    tags: ['orders'],
    summary: `Holds all sessions of ${of.whom} at a share difficulty, from their next job on`,
    description: 'Also those that come later. It wins over what the rig asks for',
    ...{ params, body: DIFFICULTY_ORDER, response },
  };
  api.put(path, { schema: set }, (request) => order(request, BigInt(request.body.difficulty) as Difficulty));
  const summary = `Holds ${of.whom} at no share difficulty any more`;
  const clear = { tags: ['orders'], summary, params, response };
  api.delete(path, { schema: clear }, (request) => order(request, undefined));
}

/** To give it one, and to take it away. */
function addLabel(api: Api, { of, params }: Place, steering: Steering | undefined): void {
  const path = `${of.path}/label` as const;
  const response = { 200: LABELLED, ...FAULTS };
  const order = async (request: FastifyRequest, label: string | undefined) => {
    const rig = rigOf(request);
    const done = carriedOut(await steering?.setLabel(rig, label, orderedBy(request)));
    return { ...rig, label: label ?? null, ...done };
  };
  const set = {
    tags: ['orders'],
    summary: `Gives ${of.whom} a label, in place of what it had`,
    description: 'Whether or not it is here. The login stays as it is: nothing is paid by a label',
    ...{ params, body: LABEL_ORDER, response },
  };
  api.put(path, { schema: set }, (request) => order(request, request.body.label));
  const summary = `Takes the label of ${of.whom} away`;
  const clear = { tags: ['orders'], summary, params, response };
  api.delete(path, { schema: clear }, (request) => order(request, undefined));
}

function rigOf(request: FastifyRequest): Name {
  const { account, rig = '' } = request.params as Pick<Name, 'account'> & Partial<Name>;
  return { account, rig };
}
