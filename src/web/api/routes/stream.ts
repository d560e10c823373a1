/** The state as it changes, for who looks on: server-sent events. */
import { z } from 'zod';
import type { Log } from '../../../core/names/log.js';
import { FAULT } from '../../../operations/entry/fields.js';
import { type SummarySources, summarize } from '../../state/summary.js';
import { shortenedAddress } from '../address.js';
import { Broadcast } from '../broadcast.js';
import type { Api } from '../typed.js';
import { showEvent } from './events.js';

/** Each holds a socket and what it has not read yet. */
const MAX_READERS = 256;
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export function addStream(api: Api, sources: SummarySources, log: Log): void {
  const broadcast = new Broadcast({ snapshot: () => summarize(sources), log });
  api.addHook('preClose', async () => broadcast.close());
  // One frame for all who read, whoever they are.
  sources.timeline.onLine((line) => broadcast.tell('event', showEvent(line, shortenedAddress)));
  const schema = {
    tags: ['state'],
    summary: 'The state once a second, and what happens as it comes, as server-sent events',
    description:
      'Each event `snapshot` has a Summary as its data, made once for all who read. Each event `event` has a Happening, once: of this bridge at once and without `id`, of others as the ledger has it. Addresses lack their last part. Who does not keep up is dropped, and may come again; so is whose token is none any more',
    response: {
      200: { description: 'events', content: { 'text/event-stream': { schema: z.string() } } },
      503: FAULT,
    },
  };
  api.get('/api/v1/stream', { schema }, (request, reply) => {
    // It would wait for an end that never comes.
    if (request.method === 'HEAD') {
      reply.type(EVENT_STREAM).send('');
      return;
    }
    if (broadcast.readers >= MAX_READERS) {
      reply.code(503).send({ error: `${MAX_READERS} read this stream already: try again later` });
      return;
    }
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': EVENT_STREAM });
    broadcast.join(reply.raw, request.isStillKnown);
  });
}
