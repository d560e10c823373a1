/** A node's false friend: an HTTP proxy in front of it that tells lies on command, each until it is taken back. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';

export interface Lies {
  /**
   * What becomes of a command that is sent: dropped, and answered as if it were taken; or handed on, and then no answer, or
   * another one.
   */
  send: 'honest' | 'dropped' | 'lost' | { readonly status: number; readonly text: string };
  /** Nothing is known of any command. */
  hidesCommands: boolean;
  /** What is said at `local`. */
  local: ((path: string, answer: string) => string) | undefined;
  /** Changes payloads with their outputs, as JSON. */
  payloads: ((payloads: Payload[]) => Payload[]) | undefined;
  /** Says no payload of anything. */
  hidesPayloads: boolean;
  /** Says the cut that it said when this began. */
  isFrozen: boolean;
  /** Says this cut: text to text. */
  cut: ((answer: string) => string) | undefined;
  /** Says this page of the branch below a block, in place of what the node has; `undefined`: what the node says. */
  branch: ((upper: string) => string | undefined) | undefined;
  /** Changes any other answer, as text. */
  garbles: ((path: string, answer: string) => string) | undefined;
  /** Adds to its clock, seconds. */
  skewS: number;
  /** Closes each connection without a word. */
  isSilent: boolean;
  /** Never answers; what was asked meanwhile is dropped when this is taken back. */
  isStalled: boolean;
}

export interface Payload {
  transactions: [string, string][];
  coinbase: string;
  payloadHash: string;
}

export interface Liar extends AsyncDisposable {
  /** In place of the node's own. */
  readonly url: string;
  readonly lies: Lies;
  /** `METHOD path` of each request so far. */
  readonly asked: string[];
  lie(lies: Partial<Lies>): void;
  beHonest(): void;
}

const HONEST: Lies = {
  send: 'honest',
  hidesCommands: false,
  local: undefined,
  payloads: undefined,
  hidesPayloads: false,
  isFrozen: false,
  cut: undefined,
  branch: undefined,
  garbles: undefined,
  skewS: 0,
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
  const asked: string[] = [];
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
  const answerTo = async (to: IncomingMessage, body: Buffer): Promise<Said | undefined> => {
    const path = to.url ?? '/';
    if (path.endsWith('/send')) return await answerToSend(to, body);
    if (path.includes('/cut') && lies.isFrozen) {
      frozenCut ??= await handOn(to, body);
      return frozenCut;
    }
    const branch = lies.branch && path.includes('/header/branch') ? lies.branch(upperOf(body)) : undefined;
    if (branch !== undefined)
      return { status: 200, headers: { 'content-type': 'application/json' }, text: branch };
    const said = await handOn(to, body);
    if (said.status !== 200 || said.stream) return said;
    if (path.endsWith('/cut') && lies.cut) return { ...said, text: lies.cut(said.text) };
    if (path.includes('/poll') && lies.hidesCommands) return { ...said, text: '{}' };
    if (path.includes('/local') && lies.local) return { ...said, text: lies.local(path, said.text) };
    if (path.endsWith('/payload/outputs/batch')) {
      if (lies.hidesPayloads) return { ...said, text: '[]' };
      if (lies.payloads) return { ...said, text: JSON.stringify(lies.payloads(JSON.parse(said.text))) };
    }
    return lies.garbles ? { ...said, text: lies.garbles(path, said.text) } : said;
  };
  const answerToSend = async (to: IncomingMessage, body: Buffer): Promise<Said | undefined> => {
    if (lies.send === 'dropped') {
      const { cmds } = JSON.parse(body.toString('utf8')) as { cmds: { hash: string }[] };
      const text = JSON.stringify({ requestKeys: cmds.map(({ hash }) => hash) });
      return { status: 200, headers: { 'content-type': 'application/json' }, text };
    }
    const said = await handOn(to, body);
    if (lies.send === 'lost') return undefined;
    return typeof lies.send === 'string' ? said : { ...said, headers: {}, ...lies.send };
  };
  const serve = async (to: IncomingMessage, reply: ServerResponse): Promise<void> => {
    asked.push(`${to.method} ${(to.url ?? '').slice(pathname.length)}`);
    const parts: Buffer[] = [];
    for await (const part of to) parts.push(part as Buffer);
    if (lies.isStalled) return;
    const said = lies.isSilent ? undefined : await answerTo(to, Buffer.concat(parts));
    if (!said) return void to.socket.destroy();
    const stamp = Number(said.headers['x-server-timestamp']);
    const skewed = lies.skewS === 0 ? {} : { 'x-server-timestamp': String(stamp + lies.skewS) };
    reply.writeHead(said.status, { ...said.headers, ...skewed });
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
    lies,
    asked,
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

function upperOf(body: Buffer): string {
  const { upper } = JSON.parse(body.toString('utf8')) as { upper: string[] };
  return upper[0] ?? '';
}
