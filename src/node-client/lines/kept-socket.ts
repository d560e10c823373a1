/**
 * One HTTP connection that is kept, and written to at once.
 *
 * undici lets a round of the event loop pass before it writes to an idle connection, to see whether the server has closed
 * it. With thousands of sessions there is much to do in a round: a solution would wait for all of it. So Node's own
 * client is used, and a request of it is made in advance: it has the connection, and lacks nothing but what is asked.
 */
import { Agent, type ClientRequest, request } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { RawAnswer, RawRequest, Way } from '../http.js';

export interface KeptSocketEvents {
  /** The connection stands, TLS included. */
  opened(): void;
  /** It has ended, or could not be had. */
  lost(): void;
}

/** How long a connection is silent before the operating system looks whether it still stands. */
const TCP_KEEP_ALIVE_MS = 5_000;

export class KeptSocket implements Way {
  readonly #origin: URL;
  readonly #agent: Agent;
  readonly #isSecure: boolean;
  readonly #events: KeptSocketEvents;
  #socket: Socket | undefined;
  /** Has the connection to itself, and nothing of it was written. */
  #prepared: ClientRequest | undefined;

  /** @param tls what `tls.connect` takes. Nothing is opened before the first request. */
  constructor(origin: string, tls: object, events: KeptSocketEvents) {
    this.#origin = new URL(origin);
    this.#isSecure = this.#origin.protocol === 'https:';
    const one = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#isSecure ? new SecureAgent({ ...one, ...tls }) : new Agent(one);
    // Node's own would give the connection up a second before the time that the server hints at, or at once.
    this.#agent.keepSocketAlive = (socket) => {
      (socket as Socket).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      return true;
    };
    this.#events = events;
  }

  /** To the origin of this connection, whatever the request names. */
  request({ path, method, headers, body, signal }: RawRequest): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const asked = this.#prepared ?? this.#create();
      this.#prepared = undefined;
      asked.on('response', (answer) =>
        resolve({ statusCode: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
      );
      asked.on('error', reject);
      asked.on('close', () => this.#prepare());
      const abort = (): void => {
        asked.destroy();
        // Where it has no connection yet, that alone would say nothing.
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      asked.method = method;
      asked.path = path;
      for (const [name, value] of Object.entries(headers)) asked.setHeader(name, value);
      if (body !== null) asked.setHeader('content-length', Buffer.byteLength(body));
      asked.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Not where the server has closed the connection after its answer: whether to open another is for its user to say. */
  #prepare(): void {
    if (this.#prepared || !this.#socket?.writable) return;
    const prepared = this.#create();
    this.#prepared = prepared;
    prepared.on('error', () => this.#lose(prepared.socket));
    // An answer to nothing, as some servers give before they close an idle connection.
    prepared.on('response', () => this.#prepared === prepared && prepared.destroy());
  }

  #create(): ClientRequest {
    const ask = this.#isSecure ? requestSecurely : request;
    const created = ask(this.#origin, { agent: this.#agent, method: 'POST' });
    created.on('socket', (socket) => this.#use(socket));
    return created;
  }

  #use(socket: Socket): void {
    if (socket === this.#socket) return;
    this.#socket = socket;
    socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => this.#events.opened());
    socket.once('close', () => this.#lose(socket));
  }

  #lose(socket: Socket | null): void {
    if (socket !== this.#socket) return;
    this.#socket = undefined;
    this.#prepared = undefined;
    this.#events.lost();
  }
}
