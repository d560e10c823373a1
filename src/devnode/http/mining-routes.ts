/** Interface 4.6: work, solved, updates. */
import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { viewOf } from '../../core/bytes.js';
import type { NewWork } from '../mining.js';
import { chainsOf } from '../networks.js';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { refuseMoreStreams } from './event-routes.js';
import { leavingSignal } from './leaving.js';
import { bytesBody, jsonBody, minerOf, queryNumber } from './params.js';

const CHAIN_BYTES = 4;

export function miningRoutes(app: FastifyInstance, context: NodeContext): void {
  app.get('/mining/work', (request, reply) => work(context, request, reply));
  app.post('/mining/solved', async (request, reply) => solved(context, request, reply));
  app.get('/mining/updates', (request, reply) => updates(context, request, reply));
}

/** Waits while no chain can be mined, as long as the client does. */
async function work(context: NodeContext, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (!context.faults.miningEnabled) throw new RequestError(404, 'mining is disabled for now');
  const miner = minerOf(jsonBody(request), context.settings.profile === 'chainweb');
  const hint = queryNumber(request, 'chain');
  const signal = leavingSignal(reply, context.closing);
  for (;;) {
    const answer = context.mining.work(miner, hint);
    if (answer.outcome === 'work')
      return reply.type('application/octet-stream').send(Buffer.from(answer.bytes));
    if (answer.outcome === 'unauthorized') throw new RequestError(403, answer.reason);
    if (answer.outcome === 'tooMany') throw new RequestError(503, answer.reason);
    const gone = await once(context.mining.events, 'work', { signal }).then(
      () => false,
      () => true,
    );
    if (gone) throw new RequestError(503, 'the node is stopping');
  }
}

function solved(context: NodeContext, request: FastifyRequest, reply: FastifyReply): unknown {
  if (!context.faults.miningEnabled) throw new RequestError(404, 'mining is disabled for now');
  const answer = context.mining.solved(Uint8Array.from(bytesBody(request)));
  switch (answer.outcome) {
    case 'malformed':
      throw new RequestError(400, `Decoding error: ${answer.reason}`);
    case 'noPayload':
      throw new RequestError(404, answer.reason);
    case 'badWork':
      throw new RequestError(400, `Invalid solved work: ${answer.reason}`);
    case 'notTaken':
      // Real nodes check the rest of a header after they have answered.
      if (context.settings.profile === 'chainweb') return reply.code(200).send();
      throw new RequestError(400, `Invalid solved work: ${answer.reason}`);
    default:
      return reply.code(context.settings.profile === 'chainweb' ? 200 : 204).send();
  }
}

/** `event:New Cut` and an empty line, without data, whenever there is new work (for one chain if the body names it). */
async function updates(context: NodeContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const real = context.settings.profile === 'chainweb';
  const chainId = chainOf(context, bytesBody(request));
  refuseMoreStreams(context, context.miningStreams);
  // Real nodes answer nothing, not even the head, until the chain has work.
  if (real && !(await untilOpen(context, chainId, reply)))
    throw new RequestError(503, 'the node is stopping');
  context.miningStreams.serve(reply, (stream) => {
    const announce = (work: NewWork): void => {
      if (chainId === undefined) stream.send(NEW_CUT);
      else if (work.chains.has(chainId)) stream.send(real ? realEvents(context, work, chainId) : NEW_CUT);
    };
    context.mining.events.on('work', announce);
    return () => context.mining.events.off('work', announce);
  });
}

const NEW_CUT = 'event:New Cut\n\n';

/** False when the client or the node left before. */
async function untilOpen(
  { mining, closing }: NodeContext,
  chainId = -1,
  reply: FastifyReply,
): Promise<boolean> {
  const signal = leavingSignal(reply, closing);
  while (!mining.isOpen(chainId)) {
    const came = await once(mining.events, 'work', { signal }).then(
      () => true,
      () => false,
    );
    if (!came) return false;
  }
  return true;
}

/** Real nodes tell a refresh apart, and say New Cut once when work goes stale and once when new work is ready. */
function realEvents({ mining }: NodeContext, { kind, stale }: NewWork, chainId: number): string {
  if (kind === 'refreshed') return 'event:Refreshed Block\n\n';
  return NEW_CUT.repeat((stale.has(chainId) ? 1 : 0) + (mining.isOpen(chainId) ? 1 : 0));
}

/** `undefined` without a body: all chains. Real nodes need the body, and wait for ever for a chain that is not there. */
function chainOf({ chains: { network }, settings }: NodeContext, body: Uint8Array): number | undefined {
  const real = settings.profile === 'chainweb';
  if (body.length === 0 && !real) return undefined;
  if (body.length !== CHAIN_BYTES) {
    throw new RequestError(
      400,
      `the body must be the ${CHAIN_BYTES} chain bytes of a work, not ${body.length} bytes`,
    );
  }
  const chainId = viewOf(body).getUint32(0, true);
  if (!real && !chainsOf(network).includes(chainId)) {
    throw new RequestError(400, `the chain bytes name chain ${chainId}, which ${network.name} does not have`);
  }
  return chainId;
}
