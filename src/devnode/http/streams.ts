/** Event streams: opened by a route, ended by the client, by their lifetime, or by the node. */
import type { FastifyReply } from 'fastify';

interface EventStream {
  /** Writes one event as given, lines and closing empty line included. */
  send(event: string): void;
}

/** A client that lets this many bytes wait is cut off: it does not read. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

export class StreamSet {
  readonly #lifetimeMs: number;
  readonly #random: () => number;
  readonly #open = new Set<() => void>();

  /** @param lifetimeMs streams end after about this time (a tenth more or less); clients are to come back. */
  constructor(lifetimeMs: number, random: () => number) {
    this.#lifetimeMs = lifetimeMs;
    this.#random = random;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Answers with a stream; `start` connects it to its source and returns what disconnects it. */
  serve(reply: FastifyReply, start: (stream: EventStream) => () => void): void {
    const { raw } = reply;
    reply.hijack();
    raw.writeHead(200, {
      ...reply.getHeaders(),
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    } as Record<string, string>);
    if (reply.request.method === 'HEAD') {
      raw.end();
      return;
    }
    raw.flushHeaders();
    const stop = start({
      send(event) {
        raw.write(event);
        if (raw.writableLength > MOST_WAITING_BYTES) raw.destroy();
      },
    });
    const end = (): void => {
      if (!this.#open.delete(end)) return;
      clearTimeout(timer);
      stop();
      raw.end();
    };
    const timer = setTimeout(end, this.#lifetimeMs * (0.9 + 0.2 * this.#random()));
    this.#open.add(end);
    raw.on('close', end);
  }

  endAll(): void {
    for (const end of [...this.#open]) end();
  }
}
