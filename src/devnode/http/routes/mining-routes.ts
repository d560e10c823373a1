/** Interface 4.6: work, solved, updates. */
import { once } from 'node:events';
import { viewOf } from '../../../core/bytes/bytes.js';
import { chainsOf } from '../../consensus/networks.js';
import type { NewWork } from '../../mining/mining.js';
import type { Miner } from '../../mining/payload.js';
import type { NodeContext } from '../context.js';
import { RequestError } from '../errors.js';
import { leavingSignal } from '../leaving.js';
import type { Asked, Handlers } from '../table.js';
import { refuseMoreStreams } from './event-routes.js';

const CHAIN_BYTES = 4;

export const MINING_HANDLERS: Handlers<'work' | 'solved' | 'miningUpdates'> = {
  work,
  solved,
  miningUpdates: updates,
};

/** Waits while no chain can be mined, as long as the client does. */
async function work(context: NodeContext, { body, query, reply }: Asked): Promise<Uint8Array> {
  if (!context.faults.state.miningEnabled) throw new RequestError(404, 'mining is disabled for now');
  const { account, predicate, 'public-keys': keys } = body as Miner;
  const miner = { account, predicate, 'public-keys': keys };
  const hint = query['chain'] === undefined ? undefined : Number(query['chain']);
  const signal = leavingSignal(reply, context.closing);
  for (;;) {
    const answer = context.mining.work(miner, hint);
    if (answer.outcome === 'work') return answer.bytes;
    if (answer.outcome === 'notPayable') throw new RequestError(400, answer.reason);
    if (answer.outcome === 'unauthorized') throw new RequestError(403, answer.reason);
    if (answer.outcome === 'tooMany') throw new RequestError(503, answer.reason);
    await newWork(context, signal);
  }
}

/** Throws where the client or the node leaves before there is any. */
async function newWork({ mining }: NodeContext, signal: AbortSignal): Promise<void> {
  await once(mining.events, 'work', { signal }).catch(() => {
    throw new RequestError(503, 'the node is stopping');
  });
}

function solved({ faults, mining, dialect }: NodeContext, { body, reply }: Asked): void {
  if (!faults.state.miningEnabled) throw new RequestError(404, 'mining is disabled for now');
  const answer = mining.solved(Uint8Array.from(body as Uint8Array));
  if (answer.outcome === 'malformed') throw new RequestError(400, `Decoding error: ${answer.reason}`);
  if (answer.outcome === 'noPayload') throw new RequestError(404, answer.reason);
  // Real nodes check the rest of a header after they have answered.
  const isBad = answer.outcome === 'badWork' || (answer.outcome === 'notTaken' && dialect.judgesBeforeAnswer);
  if (isBad) throw new RequestError(400, `Invalid solved work: ${answer.reason}`);
  reply.code(dialect.solvedStatus);
}

/** `event:New Cut` and an empty line, without data, whenever there is new work (for one chain if the body names it). */
async function updates(context: NodeContext, { body, reply }: Asked): Promise<void> {
  const { streamsByChain } = context.dialect;
  const chainId = chainOf(context, body as Uint8Array);
  refuseMoreStreams(context, context.miningStreams);
  // Real nodes answer nothing, not even the head, until the chain has work.
  if (streamsByChain) {
    const signal = leavingSignal(reply, context.closing);
    while (!context.mining.isOpen(chainId ?? -1)) await newWork(context, signal);
  }
  context.miningStreams.serve(reply, (stream) => {
    const announce = (work: NewWork): void => {
      if (chainId === undefined) stream.send(NEW_CUT);
      else if (work.chains.has(chainId))
        stream.send(streamsByChain ? realEvents(context, work, chainId) : NEW_CUT);
    };
    context.mining.events.on('work', announce);
    return () => context.mining.events.off('work', announce);
  });
}

const NEW_CUT = 'event:New Cut\n\n';

/** Real nodes tell a refresh apart, and say New Cut once when work goes stale and once when new work is ready. */
function realEvents({ mining }: NodeContext, { kind, stale }: NewWork, chainId: number): string {
  if (kind === 'refreshed') return 'event:Refreshed Block\n\n';
  return NEW_CUT.repeat((stale.has(chainId) ? 1 : 0) + (mining.isOpen(chainId) ? 1 : 0));
}

/** `undefined` without a body: all chains. Real nodes need the body, and wait for ever for a chain that is not there. */
function chainOf({ chains: { network }, dialect }: NodeContext, body: Uint8Array): number | undefined {
  if (body.length === 0 && !dialect.streamsByChain) return undefined;
  if (body.length !== CHAIN_BYTES) {
    throw new RequestError(
      400,
      `the body must be the ${CHAIN_BYTES} chain bytes of a work, not ${body.length} bytes`,
    );
  }
  const chainId = viewOf(body).getUint32(0, true);
  if (!dialect.streamsByChain && !chainsOf(network).includes(chainId)) {
    throw new RequestError(400, `the chain bytes name chain ${chainId}, which ${network.name} does not have`);
  }
  return chainId;
}
