/** Interface 4.8 and 6: a line of news for every block the node takes, orphans included. */
import type { FastifyReply } from 'fastify';
import type { Block } from '../../consensus/block.js';
import type { CutChange } from '../../consensus/chains.js';
import type { Payload } from '../../mining/payload.js';
import type { EventWriter } from '../block-news.js';
import type { NodeContext } from '../context.js';
import { RequestError } from '../errors.js';
import type { StreamSet } from '../streams.js';
import type { Handlers } from '../table.js';

export const EVENT_HANDLERS: Handlers<'headerUpdates' | 'blockUpdates'> = {
  headerUpdates: (context, { reply }) => serve(context, reply, context.blockNews.header),
  blockUpdates: (context, { reply }) => serve(context, reply, context.blockNews.whole),
};

/** 503 at the limit; real nodes refuse the stream that would reach it, and name no content type. */
export function refuseMoreStreams({ settings, dialect }: NodeContext, { size }: StreamSet): void {
  const text = 'No more update streams available currently. Retry later.';
  const most = settings.streamLimit - (dialect.refusesLastStream ? 1 : 0);
  if (size < most) return;
  throw new RequestError(503, text, dialect.bareRefusals ? 'bare' : 'text');
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
    if (context.dialect.tellsJoined) events.on('cut', sendJoined);
    else events.on('block', send);
    return () => {
      events.off('cut', sendJoined);
      events.off('block', send);
    };
  });
}
