/** Interface 1 and 9 over raw sockets against the process: three headers on every response, whatever it is. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainBytes, MINER } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere, startNodeHere } from '../devnode/process.js';
import { collect, open, type RawAnswer, type RawRequest, rawAsk, rawStream, requestBytes } from './raw.js';

let node: NodeHere;
beforeAll(async () => {
  node = await startEasyHere();
});
afterAll(() => node[Symbol.asyncDispose]());

function expectHeaders({ headers, from }: RawAnswer): void {
  expect(headers.get('x-peer-addr')).toBe(from);
  expect(headers.get('x-server-timestamp')).toMatch(/^\d+$/);
  expect(Math.abs(Number(headers.get('x-server-timestamp')) - Date.now() / 1000)).toBeLessThan(60);
  expect(headers.get('x-ledger-node-version')).toBe('0.2.0');
}

const JSON_TYPE = { 'content-type': 'application/json' };
const REQUESTS: readonly [status: number, what: string, path: string, request: RawRequest][] = [
  [200, 'a success', '/info', {}],
  [204, 'a preflight', '/mining/solved', { method: 'OPTIONS' }],
  [400, 'a bad parameter', '/chain/0/hash?limit=x', {}],
  [400, 'bad JSON', '/chain/0/hash/branch', { method: 'POST', headers: JSON_TYPE, body: '{' }],
  [400, 'a short solution', '/mining/solved', { method: 'POST', body: 'abc' }],
  [400, 'a path that does not decode', '/chain/%ff/hash', {}],
  [404, 'a path that does not exist', '/nowhere', {}],
  [404, 'a hash that does not exist', `/chain/0/header/${'A'.repeat(43)}`, {}],
  [405, 'a method that is none', '/info', { method: 'DELETE' }],
  [406, 'an Accept that cannot be', '/chain/0/header', { headers: { accept: 'text/html' } }],
  [413, 'a body too large', '/mining/solved', { method: 'POST', body: new Uint8Array(2 * 1024 * 1024 + 1) }],
  [415, 'a wrong content type', '/mining/work', { headers: { 'content-type': 'text/plain' }, body: '{}' }],
  [417, 'a strange expectation', '/info', { headers: { expect: 'a miracle' } }],
  [431, 'a header too long', '/info', { headers: { 'x-long': 'x'.repeat(20_000) } }],
];

describe('1: every response carries the three headers', () => {
  it.each(REQUESTS)('1: %d, %s', async (status, _what, path, request) => {
    const answer = await rawAsk(node.url + path, request);
    expect(answer.status).toBe(status);
    expectHeaders(answer);
  });

  it.each(['/config', '/info', '/health-check'])('1: %s at the host root', async (path) => {
    expectHeaders(await rawAsk(node.rootUrl + path));
  });

  it.each(['/mining/updates', '/header/updates', '/block/updates'])('1: the stream %s', async (path) => {
    const body = path.startsWith('/mining') ? { body: chainBytes(0) } : {};
    using stream = await rawStream(node.url + path, body);
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream');
    expectHeaders(stream.answer);
  });

  it('1: bytes that are no HTTP at all', async () => {
    const socket = await open(node.url);
    const bytes = collect(socket);
    const from = `${socket.localAddress}:${socket.localPort}`;
    socket.write('what is this\r\n\r\n');
    await once(socket, 'close');
    expect(bytes()).toMatch(/^HTTP\/1\.1 400 /);
    expect(bytes()).toContain(`x-peer-addr: ${from}\r\n`);
    expect(bytes()).toMatch(/x-server-timestamp: \d+\r\n/);
    expect(bytes()).toContain('x-ledger-node-version: 0.2.0\r\n');
  });

  it('1: 403, and 503 at a limit', async () => {
    const key = 'ab'.repeat(32);
    await using strict = await startEasyHere('--miners', key, '--stream-limit', '1');
    const body = JSON.stringify(MINER);
    const stranger = await rawAsk(`${strict.url}/mining/work`, { headers: JSON_TYPE, body });
    expect(stranger.status).toBe(403);
    expectHeaders(stranger);
    using _first = await rawStream(`${strict.url}/header/updates`);
    const second = await rawAsk(`${strict.url}/header/updates`);
    expect(second.status).toBe(503);
    expectHeaders(second);
  });
});

describe('a request byte by byte', () => {
  it('4.6: work is a GET with a JSON body, however it arrives', async () => {
    const socket = await open(node.url);
    const bytes = collect(socket);
    const headers = { ...JSON_TYPE, connection: 'close' };
    for (const byte of requestBytes(`${node.url}/mining/work`, { headers, body: JSON.stringify(MINER) })) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await once(socket, 'close');
    expect(bytes()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\ncontent-length: 322\r\n/);
    expect(Buffer.from(bytes(), 'latin1').subarray(-286).subarray(278)).toEqual(Buffer.alloc(8));
  });
});

describe('9 versioning', () => {
  it('9.1 and 9.2: API version and network stand in the path and in /info, the network in headers too', async () => {
    for (const network of ['test-singleton', 'development', 'mainnet01', 'testnet04']) {
      await using one = await startNodeHere('--network', network);
      expect(new URL(one.url).pathname).toBe(`/chainweb/0.0/${network}`);
      const info = JSON.parse((await rawAsk(`${one.url}/info`)).body) as Record<string, unknown>;
      expect(info).toMatchObject({ nodeApiVersion: '0.0', nodeVersion: network });
      const accept = 'application/json;blockheader-encoding=object';
      const { body } = await rawAsk(`${one.url}/chain/0/header`, { headers: { accept } });
      expect(body).toContain(`"ledgerVersion":"${network}"`);
      // 9.5: reserved.
      expect(body).toContain('"featureFlags":0');
    }
  });

  it('9.3: the version of the software is that of /info', async () => {
    const { headers, body } = await rawAsk(`${node.url}/info`);
    expect(JSON.parse(body)).toMatchObject({ nodePackageVersion: headers.get('x-ledger-node-version') });
  });
});
