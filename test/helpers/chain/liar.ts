/** A node's false friend: an HTTP proxy in front of it that tells lies on command, each until it is taken back. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';

export interface Lies {
  /** Says no payload of anything. */
  hidesPayloads: boolean;
  /** Says the cut that it said when this began. */
  isFrozen: boolean;
  /** Changes any other answer, as text. */
  garbles: ((path: string, answer: string) => string) | undefined;
  /** Closes each connection without a word. */
  isSilent: boolean;
  /** Never answers; what was asked meanwhile is dropped when this is taken back. */
  isStalled: boolean;
}

export interface Liar extends AsyncDisposable {
  /** In place of the node's own. */
  readonly url: string;
  lie(lies: Partial<Lies>): void;
  beHonest(): void;
}

const HONEST: Lies = {
  hidesPayloads: false,
  isFrozen: false,
  garbles: undefined,
  isSilent: false,
  isStalled: false,
};

interface Said {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** In place of the text: it goes on for as long as the node tells. */
  readonly stream?: Readable;
}

/** @param node its base URL, with the path. */
export async function openLiar(node: { readonly url: string }): Promise<Liar> {
  const { origin, pathname } = new URL(node.url);
  const agent = new Agent();
  let frozenCut: Said | undefined;
  const lies: Lies = { ...HONEST };

  const handOn = async (to: IncomingMessage, body: Buffer): Promise<Said> => {
    const { 'content-type': type, accept } = to.headers;
    const answer = await request(origin + (to.url ?? '/'), {
      dispatcher: agent,
      method: (to.method ?? 'GET') as 'GET' | 'POST' | 'PUT',
      headers: { ...(type ? { 'content-type': type } : {}), ...(accept ? { accept } : {}) },
      ...(body.length > 0 ? { body } : {}),
    });
    const { 'content-length': _, 'transfer-encoding': __, connection: ___, ...headers } = answer.headers;
    const said = { status: answer.statusCode, headers };
    if (String(headers['content-type']).startsWith('text/event-stream'))
      return { ...said, text: '', stream: answer.body };
    return { ...said, text: await answer.body.text() };
  };
  const answerTo = async (to: IncomingMessage, body: Buffer): Promise<Said> => {
    const path = to.url ?? '/';
    if (path.includes('/cut') && lies.isFrozen) {
      frozenCut ??= await handOn(to, body);
      return frozenCut;
    }
    const said = await handOn(to, body);
    if (said.status !== 200 || said.stream) return said;
    if (lies.hidesPayloads && path.endsWith('/payload/outputs/batch')) return { ...said, text: '[]' };
    return lies.garbles ? { ...said, text: lies.garbles(path, said.text) } : said;
  };
  const serve = async (to: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of to) parts.push(part as Buffer);
    if (lies.isStalled) return;
    const said = lies.isSilent ? undefined : await answerTo(to, Buffer.concat(parts));
    if (!said) return void to.socket.destroy();
    reply.writeHead(said.status, said.headers);
    if (said.stream) await pipeline(said.stream, reply);
    else reply.end(said.text);
  };
  const server = createServer((to, reply) => {
    // The node may be gone: then so is the answer.
    serve(to, reply).catch(() => to.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}${pathname}`,
    lie(more) {
      if (more.isFrozen) frozenCut = undefined;
      Object.assign(lies, more);
    },
    beHonest: () => void Object.assign(lies, HONEST),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await agent.close();
    },
  };
}
