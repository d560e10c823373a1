/**
 * One HTTP connection that is kept, and written to at once.
 *
 * undici lets a round of the event loop pass before it writes to an idle connection, to see whether the server has closed
 * it. With thousands of sessions there is much to do in a round: a solution would wait for all of it. Node's own client
 * writes in the tick in which it is asked.
 */
import { Agent, request } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { RawAnswer, RawRequest, Way } from './http.js';

export interface KeptSocketEvents {
  /** The connection stands, TLS included. */
  opened(): void;
  /** It has ended, or could not be had. */
  lost(): void;
}

export class KeptSocket implements Way {
  readonly #agent: Agent;
  readonly #isSecure: boolean;
  readonly #events: KeptSocketEvents;
  #socket: Socket | undefined;

  /** @param tls what `tls.connect` takes. Nothing is opened before the first request. */
  constructor(origin: string, tls: object, events: KeptSocketEvents) {
    this.#isSecure = new URL(origin).protocol === 'https:';
    const one = { keepAlive: true, maxSockets: 1 };
    this.#agent = this.#isSecure ? new SecureAgent({ ...one, ...tls }) : new Agent(one);
    // Node's own would give the connection up a second before the time that the server hints at, or at once.
    this.#agent.keepSocketAlive = () => true;
    this.#events = events;
  }

  request({ origin, path, method, headers, body, signal }: RawRequest): Promise<RawAnswer> {
    const ask = this.#isSecure ? requestSecurely : request;
    return new Promise((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
      const options = { agent: this.#agent, method, headers: { ...headers, ...length }, signal };
      const asked = ask(new URL(path, origin), options, (answer) =>
        resolve({ statusCode: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
      );
      asked.on('socket', (socket) => this.#use(socket));
      asked.on('error', reject);
      asked.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #use(socket: Socket): void {
    if (socket === this.#socket) return;
    this.#socket = socket;
    socket.once(this.#isSecure ? 'secureConnect' : 'connect', () => this.#events.opened());
    socket.once('close', () => this.#events.lost());
  }
}
