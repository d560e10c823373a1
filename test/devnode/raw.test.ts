/** Interface 1 and 6 over raw sockets, against the real process: the very bytes of headers and streams. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isBuilt, startNodeProcess } from './child.js';
import { ask, chainBytes, MINER, mineOne } from './helpers.js';

let child: ChildProcess;
let url: URL;

beforeAll(async () => {
  if (!isBuilt) return;
  const node = await startNodeProcess({ graph: 'triangle' });
  child = node.child;
  url = new URL(node.url);
});
afterAll(async () => {
  if (child === undefined) return;
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

/** Sends bytes and collects what comes back. */
function send(text: string | Buffer): { socket: Socket; until: (wanted: RegExp) => Promise<string> } {
  const socket = connect(Number(url.port), url.hostname);
  let seen = '';
  let check = (): void => {};
  socket.on('data', (chunk: Buffer) => {
    seen += chunk.toString('latin1');
    check();
  });
  socket.write(text);
  const until = (wanted: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${wanted} in ${JSON.stringify(seen)}`)), 5000);
      check = () => {
        if (!wanted.test(seen)) return;
        clearTimeout(timer);
        resolve(seen);
      };
      check();
    });
  return { socket, until };
}

describe.runIf(isBuilt)('raw sockets', () => {
  it('1: the peer address is this very socket’s', async () => {
    const { socket, until } = send(`GET ${url.pathname}/health-check HTTP/1.1\r\nhost: x\r\n\r\n`);
    const answer = await until(/Health check OK\.$/);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain(`x-peer-addr: 127.0.0.1:${socket.localPort}\r\n`);
    expect(answer).toMatch(/x-server-timestamp: \d{10}\r\n/);
    socket.destroy();
  });

  it('4.6 and 6: mining/updates is a GET with four bytes; an event is one line and an empty line', async () => {
    const { socket, until } = send(
      Buffer.concat([
        Buffer.from(`GET ${url.pathname}/mining/updates HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n`),
        chainBytes(1),
      ]),
    );
    expect(await until(/\r\n\r\n/)).toMatch(/content-type: text\/event-stream\r\n/);
    await mineOne({ url: url.href }, 1);
    const events = (await until(/event:New Cut/)).split('\r\n\r\n')[1] ?? '';
    // Chunked: 15 bytes, in hexadecimal f.
    expect(events).toMatch(/^f\r\nevent:New Cut\n\n\r\n$|^f\r\nevent:New Cut\n\n$/);
    socket.destroy();
  });

  it('6: header/updates has an event line, a data line and an empty line', async () => {
    const { socket, until } = send(`GET ${url.pathname}/header/updates HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until(/text\/event-stream/);
    await mineOne({ url: url.href });
    expect(await until(/\n\n/)).toMatch(
      /\nevent:BlockHeader\ndata:\{"txCount":0,"powHash":"[0-9a-f]{64}",.*\}\n\n/,
    );
    socket.destroy();
  });

  it('4.6: work is a GET with a JSON body, byte by byte', async () => {
    const body = JSON.stringify(MINER);
    const head = `GET ${url.pathname}/mining/work HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const { socket, until } = send('');
    for (const character of head + body) {
      socket.write(character);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await until(/\r\n\r\n/)).toMatch(/content-length: 286\r\n/);
    socket.destroy();
  });

  it('1: pages of another origin may ask', async () => {
    const answer = await ask(`${url.href}/mining/solved`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers['access-control-allow-methods']]).toEqual([204, 'POST']);
  });
});
