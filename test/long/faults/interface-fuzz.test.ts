/** Whatever is sent, the node answers below 500 with its headers, in time and in words, or closes; and it goes on. */
import { once } from 'node:events';
import fc from 'fast-check';
import { Agent, type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, open } from '../../conformance/raw.js';
import { ask, mineMany } from '../../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../../devnode/process.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { PATIENCE_MS } from '../../helpers/until.js';

/** Begins the paths that stand at the host root. */
const ROOT = '//root';
const QUERY_NAMES = [
  ...['limit', 'next', 'minheight', 'maxheight', 'height', 'chain', 'nonce', 'since', 'backupPact', 'x'],
] as const;
const ANSWER_WITHIN_MS = PATIENCE_MS;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: NodeHere;
let chainweb: NodeHere;
let heads: string[];
const agent = new Agent({ connect: { rejectUnauthorized: false } });

beforeAll(async () => {
  folder = await temporaryFolder();
  const flags = ['--graph', 'triangle', '--mining-limit', '100000', '--header-stream', 'true'];
  [node, chainweb] = await Promise.all([
    startEasyHere(...flags, '--backup-dir', `${folder.path}/one`),
    startEasyHere(...flags, '--backup-dir', `${folder.path}/two`, '--profile', 'chainweb'),
  ]);
  await mineMany(node, 9);
  await mineMany(chainweb, 9);
  const { hashes } = (await ask(`${node.url}/cut`)).json<{ hashes: Record<string, { hash: string }> }>();
  heads = Object.values(hashes).map(({ hash }) => hash);
});
afterAll(async () => {
  await agent.close();
  await Promise.all([node, chainweb].map((one) => one[Symbol.asyncDispose]()));
  await folder[Symbol.asyncDispose]();
});

const hash = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat(2).map((i) => heads[i] ?? ''),
    fc.string({ maxLength: 60 }),
    fc.constant('A'.repeat(43)),
  );
const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.integer().map(String),
    fc.constantFrom('NaN', '1e9', '0x10', '-0', '9007199254740993', '../../..', '%00', 'null'),
  );
const segment = (): fc.Arbitrary<string> =>
  fc.oneof(hash(), text(), fc.constantFrom('0', '1', '2', '19', '20'));
const path = (): fc.Arbitrary<string> => {
  const templates = fc
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
        '/chain/{}/mempool/peer',
        '/header/updates',
        '/block/updates',
        '/make-backup',
        '/check-backup/{}',
        '/health-check',
        '/info',
        '/config',
        `${ROOT}/config`,
        `${ROOT}/info`,
        `${ROOT}/health-check`,
      ),
      fc.oneof({ weight: 2, arbitrary: fc.constantFrom('0', '1', '2') }, { weight: 1, arbitrary: segment() }),
      segment(),
    )
    .map(([template, chain, second]) =>
      template.replace('{}', encodeURIComponent(chain)).replace('{}', encodeURIComponent(second)),
    );
  return fc.oneof({ weight: 9, arbitrary: templates }, { weight: 1, arbitrary: fc.webPath() });
};
const query = (): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.constantFrom(...QUERY_NAMES),
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

interface Sent {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer | undefined;
  readonly type: string | undefined;
  readonly accept: string | undefined;
}

const anyRequest = (): fc.Arbitrary<Sent> =>
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'),
    path: path(),
    query: query(),
    body: body(),
    type: contentType(),
    accept: accept(),
  });

/** The path below the base, or at the root. */
function urlOf(base: string, { path: where, query: what }: Sent): string {
  const url = where.startsWith(ROOT) ? new URL(base).origin + where.slice(ROOT.length) : base + where;
  return `${url}?${what}`;
}

/** Sends it, and checks what must hold of every answer. */
async function expectAnswered(base: string, sent: Sent, headers: readonly string[]): Promise<void> {
  const { method, type, accept: accepted, body: content } = sent;
  const url = urlOf(base, sent);
  const answer = await request(url, {
    method,
    dispatcher: agent,
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(accepted ? { accept: accepted } : {}),
    },
    ...(content === undefined ? {} : { body: content }),
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
  });
  const about = `${method} ${url} ${content?.toString('latin1').slice(0, 200)}`;
  for (const name of headers) expect(answer.headers[name], `${name} of ${about}`).toBeDefined();
  expect(answer.statusCode, about).toBeLessThan(500);
  if (answer.headers['content-type'] === 'text/event-stream') {
    answer.body.on('error', () => {}).destroy();
    return;
  }
  const text = await answer.body.text();
  if (answer.statusCode === 400 && method !== 'HEAD') expect(text.length, about).toBeGreaterThan(10);
}

const SPECIFIED = ['x-peer-addr', 'x-server-timestamp', 'x-ledger-node-version'];
const REAL = ['x-server-timestamp', 'x-chainweb-node-version'];

describe('arbitrary requests', () => {
  it('are answered in time below 500, with the three headers', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest(), (sent) => expectAnswered(node.url, sent, SPECIFIED)),
      { numRuns: 1500 },
    );
    expect((await ask(`${node.url}/health-check`)).status).toBe(200);
  });

  it('are so by profile chainweb on either port, but for update streams, which may wait for ever there', async () => {
    const waits = (sent: Sent): boolean => sent.path.includes('/mining/updates');
    const requests = fc.tuple(
      anyRequest().filter((sent) => !waits(sent)),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(requests, ([sent, ofPeers]) =>
        ofPeers
          ? expectAnswered(chainweb.peerUrl, sent, [...REAL, 'x-peer-addr'])
          : expectAnswered(chainweb.url, sent, REAL),
      ),
      { numRuns: 500 },
    );
    expect((await ask(`${chainweb.rootUrl}/health-check`)).status).toBe(200);
  });
});

describe('arbitrary bytes', () => {
  /** Everything that comes back until the connection closes. */
  const rawAnswer = async (bytes: Uint8Array): Promise<string> => {
    const socket = await open(node.url);
    const received = collect(socket);
    socket.end(bytes);
    await once(socket, 'close');
    return received();
  };

  it('that are no HTTP are answered 4xx with the headers, or the connection closes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const text = await rawAnswer(Buffer.concat([bytes, Buffer.from('\r\n\r\n')]));
        if (text === '') return;
        expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
        for (const name of SPECIFIED) expect(text).toContain(`\r\n${name}: `);
      }),
      { numRuns: 200 },
    );
    expect((await ask(`${node.url}/health-check`)).status).toBe(200);
  });

  it('behind a good first line are answered below 500 too', async () => {
    const lines = fc.tuple(
      fc.constantFrom('GET', 'POST', 'PUT'),
      fc.constantFrom('/cut', '/info', '/mining/solved'),
    );
    await fc.assert(
      fc.asyncProperty(lines, fc.uint8Array({ maxLength: 200 }), async ([method, where], bytes) => {
        const line = `${method} ${new URL(node.url).pathname}${where} HTTP/1.1\r\nconnection: close\r\n`;
        const text = await rawAnswer(Buffer.concat([Buffer.from(line), bytes, Buffer.from('\r\n\r\n')]));
        if (text === '') return;
        expect(text).toMatch(/^HTTP\/1\.1 [24]\d\d /);
        for (const name of SPECIFIED) expect(text).toContain(`\r\n${name}: `);
      }),
      { numRuns: 200 },
    );
  });
});
