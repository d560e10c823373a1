/** Emptying the bridge by order, and another start in its place. */
import type { z } from 'zod';
import type { Replacing } from '../../../bridge/orders/replacing.js';
import type { DrainReport, Steering } from '../../../bridge/orders/steering.js';
import type { RigWatch } from '../../../bridge/watch/rig-watch.js';
import { orderedBy } from '../../access/standing.js';
import { DRAIN, DRAIN_ORDER, REFUSED_REPLACEMENT, REPLACEMENT } from '../schemas/order-schemas.js';
import type { Api } from '../typed.js';
import { carriedOut, FAULTS, iso } from './orders.js';

const PATH = '/api/v1/drain';

export function addDrainOrders(
  api: Api,
  watch: Pick<RigWatch, 'drain'>,
  steering: Steering | undefined,
): void {
  const read = { tags: ['state'], summary: 'How far a drain is', response: { 200: DRAIN } };
  api.get(PATH, { schema: read }, () => showDrain(watch.drain()));
  const begin = {
    tags: ['orders'],
    summary: 'Lets nobody in, and asks rigs that take it to reconnect, each at a time of its own',
    description:
      'With `stop` the bridge ends, with exit code 0, once all have gone or the time is over; without it, it stays, and lets nobody in until the drain is cancelled',
    ...{ body: DRAIN_ORDER, response: { 200: DRAIN, ...FAULTS } },
  };
  api.post(PATH, { schema: begin }, (request) => {
    const { overMs, stop } = request.body;
    return showDrain(carriedOut(steering?.drain(overMs, orderedBy(request), stop)));
  });
  const cancel = {
    tags: ['orders'],
    summary: 'Cancels a drain: rigs are let in again',
    response: { 200: DRAIN, ...FAULTS },
  };
  api.delete(PATH, { schema: cancel }, (request) =>
    showDrain(carriedOut(steering?.cancelDrain(orderedBy(request)))),
  );
}

function showDrain({ by, startedAtMs, endsAtMs, ...report }: DrainReport): z.output<typeof DRAIN> {
  const isOff = report.state === 'off';
  return {
    ...report,
    by: isOff ? null : by,
    startedAt: isOff ? null : iso(startedAtMs),
    endsAt: isOff ? null : iso(endsAtMs),
  };
}

export function addReplaceOrders(api: Api, replacing: Replacing | undefined): void {
  const schema = {
    tags: ['orders'],
    summary: 'Starts the command of this bridge once more, which takes its place, as `serve --replace` does',
    description:
      'The program that lies there now is started, with the words of this start. It reads and checks its settings; then this bridge stops. Ports of rigs stay open',
    response: { 202: REPLACEMENT, 409: REFUSED_REPLACEMENT },
  };
  api.post('/api/v1/replace', { schema }, async (request, reply) => {
    const replaced = (await replacing?.replace(orderedBy(request))) ?? {
      refused: 'this start takes no such order',
    };
    if ('pid' in replaced) return reply.code(202).send(replaced);
    return reply.code(409).send({ error: replaced.refused });
  });
}
