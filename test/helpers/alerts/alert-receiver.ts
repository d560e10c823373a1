/** A real HTTP server that notices are sent to: it checks signatures by code of its own, and answers as it is told. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** As JSON. */
  readonly told: Told;
  /** By the key that the receiver knows. */
  readonly isSigned: boolean;
}

export interface Told {
  readonly v?: number;
  readonly id?: string;
  readonly what?: string;
  readonly alert?: {
    readonly condition: string;
    readonly about: string;
    readonly says: string;
    readonly from: string;
    readonly until: string | null;
    readonly resolvedSays: string;
  };
  readonly [field: string]: unknown;
}

/** PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

type Answer = (response: ServerResponse, received: Received) => void;

export class AlertReceiver implements AsyncDisposable {
  readonly received: Received[] = [];
  /** How the next ones are answered; by default with 204. */
  answer: Answer = (response) => response.writeHead(204).end();
  /** By which signatures are checked. */
  secret: string;
  readonly #tls: TlsPair | undefined;
  readonly #server;

  private constructor(secret: string, tls: TlsPair | undefined) {
    this.secret = secret;
    this.#tls = tls;
    const hear = (request: IncomingMessage, response: ServerResponse): void => this.#hear(request, response);
    this.#server = tls ? createSecureServer(tls, hear) : createServer(hear);
  }

  static async open(secret = '', tls?: TlsPair): Promise<AlertReceiver> {
    const receiver = new AlertReceiver(secret, tls);
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `${this.#tls ? 'https' : 'http'}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What was received of a condition, as `opened diskLow bridge 0`. */
  words(condition?: string): string[] {
    return this.received
      .filter(({ told }) => condition === undefined || told.alert?.condition === condition)
      .map(({ told }) => `${told.what} ${told.alert?.condition} ${told.alert?.about}`);
  }

  #hear(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { headers, url = '' } = request;
      const heard = {
        path: url,
        headers,
        body,
        told: JSON.parse(body) as Told,
        isSigned: this.#check(headers, body),
      };
      this.received.push(heard);
      this.answer(response, heard);
    });
  }

  #check(headers: IncomingMessage['headers'], body: string): boolean {
    const [time, signature] = [headers['x-stratum-bridge-timestamp'], headers['x-stratum-bridge-signature']];
    const [, given = ''] = /^sha256=([0-9a-f]{64})$/.exec(String(signature)) ?? [];
    const isFresh = Math.abs(Date.now() / 1000 - Number(time)) < 300;
    const expected = createHmac('sha256', this.secret).update(String(time)).update('.').update(body).digest();
    return isFresh && given !== '' && timingSafeEqual(Buffer.from(given, 'hex'), expected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
