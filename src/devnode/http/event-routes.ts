/** Interface 4.8 and 6: a line of news for every block the node takes, orphans included. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Block } from '../block.js';
import type { CutChange } from '../chains.js';
import type { Payload } from '../payload.js';
import type { NodeContext } from './context.js';
import { blockEvent, headerEvent } from './encode.js';
import { BareError, RequestError } from './errors.js';
import type { StreamSet } from './streams.js';

type EventWriter = (block: Block, payload: Payload) => string;

export function eventRoutes(app: FastifyInstance, context: NodeContext): void {
  const { names } = context;
  app.get('/header/updates', (_request, reply) => {
    serve(context, reply, (block, payload) => headerEvent(block, payload, names));
  });
  app.get('/block/updates', (_request, reply) => {
    const eventName = context.settings.profile === 'chainweb' ? 'BlockHeader' : 'Block';
    serve(context, reply, (block, payload) => blockEvent(block, payload, names, eventName));
  });
}

/** 503 at the limit; real nodes refuse the stream that would reach it, and name no content type. */
export function refuseMoreStreams({ settings }: NodeContext, { size }: StreamSet): void {
  const { profile, updateStreamLimit } = settings;
  const text = 'No more update streams available currently. Retry later.';
  if (profile === 'chainweb' && size >= updateStreamLimit - 1) throw new BareError(503, text, 'text');
  if (size >= updateStreamLimit) throw new RequestError(503, text);
}

function serve(context: NodeContext, reply: FastifyReply, write: EventWriter): void {
  refuseMoreStreams(context, context.blockStreams);
  const { events, store } = context.chains;
  context.blockStreams.serve(reply, (stream) => {
    const send = (block: Block, payload: Payload): void => stream.send(write(block, payload));
    // Real nodes tell of blocks as they join the cut; the specification, as they come.
    const sendJoined = ({ joined }: CutChange): void => {
      for (const block of joined) {
        const payload = store.payload(block.chainId, block.payloadHash);
        if (payload) send(block, payload);
      }
    };
    const onJoining = context.settings.profile === 'chainweb';
    if (onJoining) events.on('cut', sendJoined);
    else events.on('block', send);
    return () => {
      events.off('cut', sendJoined);
      events.off('block', send);
    };
  });
}
