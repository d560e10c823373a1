/** Whatever is sent, the node answers below 500 with its headers, or closes; and it goes on serving. */
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevNode } from '../../src/devnode/server.js';
import { ask, mineMany, startEasyNode } from './helpers.js';

let node: DevNode;
let known: string[];

beforeAll(async () => {
  node = await startEasyNode({ graph: 'triangle', miningLimit: 100_000 });
  await mineMany(node, 9);
  known = Object.values(node.cut().hashes);
});
afterAll(() => node.close());

const hash = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat(2).map((i) => known[i] ?? ''),
    fc.string({ maxLength: 60 }),
    fc.constant('A'.repeat(43)),
  );
const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.integer().map(String),
    fc.constantFrom('NaN', '1e9', '0x10', '-0', '9007199254740993', '../..', '%00', 'null'),
  );
const segment = (): fc.Arbitrary<string> =>
  fc.oneof(hash(), text(), fc.constantFrom('0', '1', '2', '19', '20'));
const path = (): fc.Arbitrary<string> => {
  const known = fc
    .tuple(
      fc.constantFrom(
        '/chain/{}/hash',
        '/chain/{}/header',
        '/chain/{}/block',
        '/chain/{}/hash/branch',
        '/chain/{}/header/branch',
        '/chain/{}/block/branch',
        '/chain/{}/header/{}',
        '/chain/{}/payload/{}',
        '/chain/{}/payload/{}/outputs',
        '/chain/{}/payload/batch',
        '/chain/{}/payload/outputs/batch',
        '/chain/{}/mempool/getPending',
        '/chain/{}/mempool/member',
        '/chain/{}/mempool/lookup',
        '/chain/{}/mempool/insert',
        '/mining/work',
        '/mining/solved',
        '/mining/updates',
        '/cut',
        '/cut/peer',
        '/info',
      ),
      fc.oneof({ weight: 2, arbitrary: fc.constantFrom('0', '1', '2') }, { weight: 1, arbitrary: segment() }),
      segment(),
    )
    .map(([template, chain, second]) =>
      template.replace('{}', encodeURIComponent(chain)).replace('{}', encodeURIComponent(second)),
    );
  return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: fc.webPath() });
};
const query = (): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom('limit', 'next', 'minheight', 'maxheight', 'height', 'chain', 'nonce', 'since', 'x'),
        fc.oneof(
          text(),
          hash().map((one) => `inclusive:${one}`),
          hash().map((one) => `exclusive:${one}`),
        ),
      ),
      { maxLength: 4 },
    )
    .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'));
const body = (): fc.Arbitrary<Buffer | undefined> =>
  fc.oneof(
    fc.constant(undefined),
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.uint8Array({ minLength: 250, maxLength: 250 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((json) => Buffer.from(json)),
    fc
      .record(
        {
          upper: fc.array(fc.oneof(hash(), fc.anything())),
          lower: fc.array(hash()),
          hashes: fc.array(hash()),
          heights: fc.array(fc.integer()),
          account: text(),
          predicate: fc.constantFrom('keys-all', 'x'),
          'public-keys': fc.array(text()),
          origin: fc.anything(),
        },
        { requiredKeys: [] },
      )
      .map((value) =>
        Buffer.from(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? 1 : one)) ?? ''),
      ),
  );
const contentType = (): fc.Arbitrary<string | undefined> =>
  fc.constantFrom(
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'application/octet-stream',
    'x',
    '',
  );
const accept = (): fc.Arbitrary<string | undefined> =>
  fc.constantFrom(
    undefined,
    '*/*',
    'application/json;blockheader-encoding=object',
    'application/octet-stream',
    ';;,=',
    'a/b;q=x',
  );

/** Everything that comes back until the connection closes. */
async function rawAnswer(bytes: string | Buffer): Promise<string> {
  const socket = connect(node.address.port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset is a way of closing, too.
  socket.on('error', () => {});
  socket.end(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe('arbitrary requests', () => {
  it('are answered below 500, with the three headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Dispatcher.HttpMethod>('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
        path(),
        query(),
        body(),
        contentType(),
        accept(),
        async (method, where, what, content, type, accepted) => {
          const answer = await request(`${node.url}${where}?${what}`, {
            method,
            headers: {
              ...(type === undefined ? {} : { 'content-type': type }),
              ...(accepted ? { accept: accepted } : {}),
            },
            ...(content === undefined ? {} : { body: content }),
            headersTimeout: 5000,
          });
          const streams = answer.headers['content-type'] === 'text/event-stream';
          if (streams) answer.body.on('error', () => {}).destroy();
          else await answer.body.dump();
          expect(answer.statusCode, `${method} ${where}?${what}`).toBeLessThan(500);
          for (const name of ['x-peer-addr', 'x-server-timestamp', 'x-ledger-node-version']) {
            expect(answer.headers[name], name).toBeDefined();
          }
        },
      ),
      { numRuns: 1500 },
    );
    expect((await ask(`${node.url}/health-check`)).status).toBe(200);
  }, 60_000);

  it('bytes that are no HTTP are answered 400 with the headers, or the connection closes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const text = await rawAnswer(Buffer.concat([bytes, Buffer.from('\r\n\r\n')]));
        if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*x-server-timestamp: \d+/);
      }),
      { numRuns: 200 },
    );
    expect((await ask(`${node.url}/health-check`)).status).toBe(200);
  }, 30_000);

  it('a header too long is 431, an address that does not decode 400, each with the headers', async () => {
    const long = await ask(`${node.url}/info`, { headers: { 'x-long': 'x'.repeat(20_000) } });
    expect([long.status, long.headers['x-ledger-node-version']]).toEqual([431, '0.1.0']);
    const expecting = await rawAnswer(
      'GET /health-check HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\nconnection: close\r\n\r\n',
    );
    expect(expecting).toMatch(/^HTTP\/1\.1 417 [\s\S]*x-ledger-node-version: 0\.1\.0/);
    const broken = await ask(`${node.url}/chain/%ff/hash`);
    expect([broken.status, broken.headers['x-ledger-node-version']]).toEqual([400, '0.1.0']);
  });
});
