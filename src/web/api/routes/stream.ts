/** The state as it changes, for who looks on: server-sent events. */
import type { Log } from '../../../core/names/log.js';
import { stream } from '../../../operations/state.js';
import { type SummarySources, summarizeAll } from '../../state/summary.js';
import { shortenedAddress } from '../address.js';
import { Broadcast } from '../broadcast.js';
import { routeOf } from '../serve.js';
import type { Api } from '../typed.js';
import { showEvent } from './events.js';

/** Each holds a socket and what it has not read yet. */
const MAX_READERS = 256;
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export function addStream(api: Api, sources: SummarySources, log: Log): void {
  const broadcast = new Broadcast({ snapshot: () => summarizeAll(sources), log });
  api.addHook('preClose', async () => broadcast.close());
  // One frame for all who read, whoever they are.
  sources.timeline.onLine((line) => broadcast.tell('event', showEvent(line, shortenedAddress)));
  const content = { 'text/event-stream': { schema: stream.output } };
  api.get(stream.path, routeOf(stream, { description: 'events', content }), (request, reply) => {
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
