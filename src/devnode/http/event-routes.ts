/** Interface 4.8 and 6: a line of news for every block the node takes, orphans included. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Block } from '../block.js';
import type { Payload } from '../payload.js';
import type { NodeContext } from './context.js';
import { blockEvent, headerEvent } from './encode.js';
import { RequestError } from './errors.js';

type EventWriter = (block: Block, payload: Payload) => string;

export function eventRoutes(app: FastifyInstance, context: NodeContext): void {
  const { names } = context;
  app.get('/header/updates', (_request, reply) => {
    serve(context, reply, (block, payload) => headerEvent(block, payload, names));
  });
  app.get('/block/updates', (_request, reply) => {
    serve(context, reply, (block, payload) => blockEvent(block, payload, names, 'Block'));
  });
}

function serve(context: NodeContext, reply: FastifyReply, write: EventWriter): void {
  if (context.blockStreams.isFull) {
    throw new RequestError(503, 'No more update streams available currently. Retry later.');
  }
  const { events } = context.chains;
  context.blockStreams.serve(reply, (stream) => {
    const send = (block: Block, payload: Payload): void => stream.send(write(block, payload));
    events.on('block', send);
    return () => events.off('block', send);
  });
}
