/** What passes between two nodes, seen and disturbed by a tap. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Log } from '../../../src/core/names/log.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { until } from '../../helpers/until.js';
import { ask, mineMany, mineOne, testNodes } from '../helpers.js';

const { easyNode, cleanUp } = testNodes();
const taps: Server[] = [];
afterEach(async () => {
  await cleanUp();
  for (const tap of taps.splice(0)) tap.close().closeAllConnections();
});

interface Passed {
  readonly path: string;
  readonly bytes: number;
}

interface Disturbance {
  /** Answers 500 instead. */
  fails?: (path: string) => boolean;
  /** What is answered instead. */
  changes?: (path: string, text: string) => string;
}

/** Stands before a node, under the same path. */
async function tapOf(
  url: string,
  { fails, changes }: Disturbance = {},
): Promise<{ url: string; passed: Passed[] }> {
  const target = new URL(url);
  const passed: Passed[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (fails?.(path)) return void response.writeHead(500).end('disturbed');
    const method = request.method as 'GET' | 'POST' | 'PUT';
    const headers = chunks.length > 0 ? { 'content-type': 'application/json' } : {};
    const body = Buffer.concat(chunks);
    const answer = await ask(target.origin + path, { method, headers, body }).catch(() => undefined);
    // The node is closed.
    if (!answer) return void response.destroy();
    const text = changes?.(path, answer.text) ?? answer.text;
    passed.push({ path, bytes: text.length });
    response.writeHead(answer.status).end(text);
  }).listen(0, '127.0.0.1');
  taps.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}${target.pathname}`, passed };
}

/** What nodes of this process ask each other. */
function watchExchange(ports: readonly number[]) {
  const paths: string[] = [];
  let bytes = 0;
  const isExchange = ({ origin, path }: { origin: unknown; path: string }): boolean =>
    ports.some((port) => String(origin).endsWith(`:${port}`)) && /cut|header|payload|mempool/.test(path);
  const asked = (message: unknown): void => {
    const { request } = message as {
      request: { origin: string; path: string; method: string; body: unknown };
    };
    if (!isExchange(request)) return;
    paths.push(`${request.method} ${request.path.replace(/.*development\//, '')}`);
    bytes += (request.body as { length?: number } | null)?.length ?? 0;
  };
  const answered = (message: unknown): void => {
    const { request, response } = message as {
      request: { origin: string; path: string };
      response: { headers: Buffer[] };
    };
    if (!isExchange(request)) return;
    const at = response.headers.findIndex((name) => name.toString().toLowerCase() === 'content-length');
    bytes += at < 0 ? 0 : Number(response.headers[at + 1]);
  };
  subscribe('undici:request:create', asked);
  subscribe('undici:request:headers', answered);
  return {
    paths,
    bytes: () => bytes,
    [Symbol.dispose]() {
      unsubscribe('undici:request:create', asked);
      unsubscribe('undici:request:headers', answered);
    },
  };
}

interface Said {
  readonly level: string;
  readonly message: string;
  readonly fields: { pollsLeftOut?: number; reason?: string; err?: Error };
}

function noting(said: Said[]): Log {
  const note =
    (level: string) =>
    (fields: object, message: string): void =>
      void said.push({ level, message, fields });
  return { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
}

describe('N7: nodes that listen on every address', () => {
  it('hear of each other’s blocks at once, and a cut link is cut both ways', async () => {
    const [portA = 0, portB = 0] = await freePorts(2);
    const said: Said[] = [];
    const wide = (port: number) => ({ host: '0.0.0.0', port });
    const at = (port: number): string => `http://127.0.0.1:${port}`;
    const options = { graph: 'triangle' as const, log: noting(said) };
    const a = await easyNode({ ...options, listen: wide(portA), peers: [at(portB)], peerPollMs: 3_600_000 });
    const b = await easyNode({ ...options, listen: wide(portB), peers: [at(portA)], peerPollMs: 3_600_000 });
    const both = {
      a: { url: `${at(portA)}/chainweb/0.0/development` },
      b: { url: `${at(portB)}/chainweb/0.0/development` },
    };
    await mineOne(both.b, 0);
    await until('the first has it, by the word of the second', () => a.cut().height === 1);
    await mineOne(both.a, 1);
    await until('and the other way', () => b.cut().height === 2);
    expect(said.filter(({ level }) => level === 'warn')).toEqual([]);
    a.setPeerConnected(false);
    const asked = await ask(`${both.a.url}/cut`, { headers: { 'x-peer-origin': `10.9.8.7:${portB}` } });
    expect(asked.status).toBe(503);
    await mineOne(both.b, 2);
    await until('the second was refused', () =>
      said.some(({ fields }) => fields.err?.message.includes('this link is cut')),
    );
    expect(a.cut().height).toBe(2);
  });

  it('is told once that a peer does not know it', async () => {
    const said: Said[] = [];
    const a = await easyNode({ graph: 'triangle' });
    const b = await easyNode({ graph: 'triangle', peers: [a.url], peerPollMs: 20, log: noting(said) });
    for (let i = 0; i < 3; i++) await mineOne(b, i);
    await until('it was said', () => said.some(({ level }) => level === 'warn'));
    await mineMany(a, 9);
    await until('blocks come all the same', () => b.cut().height >= 9);
    expect(said.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      expect.stringContaining('--peer-hostname'),
    ]);
  });
});

describe('N8: an exchange with a peer', () => {
  it('asks for what is new alone', async () => {
    const a = await easyNode({ graph: 'twenty' });
    await mineMany(a, 60);
    const tap = await tapOf(a.url);
    const b = await easyNode({ graph: 'twenty', peers: [tap.url], peerPollMs: 50 });
    await until('it has caught up', () => b.cut().height === 60);
    tap.passed.length = 0;
    await mineOne(a);
    await until('it has the block', () => b.cut().height === 61);
    const fetched = tap.passed.filter(({ path }) => /branch|payload/.test(path));
    expect(fetched.map(({ path }) => path.replace(/.*\/chain\/\d+\/|\?.*/g, ''))).toEqual([
      'header/branch',
      'payload/outputs/batch',
    ]);
    expect(fetched.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(5000);
  });

  it('brings one block on each of twenty chains in four requests and 60 kB, and a single one in one', async () => {
    const [portA = 0, portB = 0] = await freePorts(2);
    const at = (port: number) => ({ host: '127.0.0.1', port });
    const common = { graph: 'twenty' as const, peerPollMs: 3_600_000 };
    const peer = (port: number): string[] => [`http://127.0.0.1:${port}`];
    const a = await easyNode({ ...common, listen: at(portA), peers: peer(portB) });
    const b = await easyNode({ ...common, listen: at(portB), peers: peer(portA) });
    await mineMany(a, 20);
    await until('it hears of blocks', () => b.cut().height === 20);
    a.setPeerConnected(false);
    for (let chainId = 0; chainId < 20; chainId++) await mineOne(a, chainId);
    expect(b.cut().height).toBe(20);
    {
      using exchange = watchExchange([portA, portB]);
      a.setPeerConnected(true);
      await until('it has caught up', () => b.cut().height === 40);
      expect(exchange.bytes()).toBeGreaterThan(20 * 424); // the headers alone
      expect(exchange.paths.length).toBeLessThanOrEqual(4);
      expect(exchange.bytes()).toBeLessThan(60_000);
    }
    using exchange = watchExchange([portA, portB]);
    await mineOne(a);
    await until('it has the block', () => b.cut().height === 41);
    expect(exchange.paths).toEqual(['PUT cut']);
  });

  it('with other settings is none: each says at the first contact in what the other differs', async () => {
    const [portA = 0, portB = 0] = await freePorts(2);
    const said: Said[] = [];
    const node = (port: number, other: number, difficultyWindow: number) =>
      easyNode({
        ...{ graph: 'triangle' as const, difficultyWindow, log: noting(said), peerPollMs: 10 },
        ...{ listen: { host: '127.0.0.1', port }, peers: [`http://127.0.0.1:${other}`] },
      });
    const a = await node(portA, portB, 4);
    const b = await node(portB, portA, 12);
    const warnings = () => said.filter(({ message }) => message.includes('other settings'));
    await until('both say it', () => warnings().length === 2);
    await mineMany(a, 3);
    for (const { fields } of warnings())
      expect(fields.reason).toMatch(/difficultyWindow is (4|12) .* here and (4|12) .* there/);
    for (const { fields } of warnings()) expect(fields.reason).not.toMatch(/graph|network|genesis/);
    expect(b.cut().height).toBe(0);
  });

  it('takes blocks that a cut brings where each is whole, and none that was changed', async () => {
    const [portOfPeer = 0] = await freePorts(1);
    const a = await easyNode({ graph: 'triangle' });
    const b = await easyNode({ graph: 'triangle', peers: [`http://127.0.0.1:${portOfPeer}`] });
    await mineOne(a, 0);
    const { hashes } = (await ask(`${a.url}/cut`)).json<{ hashes: { 0: { hash: string } } }>();
    const { hash } = hashes[0];
    const header = (await ask(`${a.url}/chain/0/header/${hash}`)).json<string>();
    const object = { accept: 'application/json;blockheader-encoding=object' };
    const { payloadHash } = (await ask(`${a.url}/chain/0/header/${hash}`, { headers: object })).json<{
      payloadHash: string;
    }>();
    const payload = (await ask(`${a.url}/chain/0/payload/${payloadHash}`)).json<object>();
    const origin = { id: null, address: { hostname: '127.0.0.1', port: portOfPeer } };
    // Nobody listens there, so what the cut does not bring is never had.
    const offer = async (brought: object): Promise<number> =>
      (await ask(`${b.url}/cut`, { method: 'PUT', json: { hashes, origin, ...brought } })).status;
    const headers = { [hash]: header };
    const payloads = { [payloadHash]: payload };
    const minerData = Buffer.from('{"account":"k:x","predicate":"keys-all","public-keys":[]}').toString(
      'base64url',
    );
    const refused: object[] = [
      {},
      { headers },
      { headers, payloads: { [payloadHash]: { ...payload, minerData } } },
      { headers: { [hash]: `${header.slice(0, 30)}AAAA${header.slice(34)}` }, payloads },
    ];
    for (const each of refused) expect([await offer(each), b.cut().height]).toEqual([204, 0]);
    for (const text of ['AAAA', header.slice(0, -44), header.slice(0, -43)])
      expect(await offer({ headers: { [hash]: text }, payloads })).toBe(400);
    expect(await offer({ headers, payloads: { [payloadHash]: { minerData } } })).toBe(400);
    expect([await offer({ headers, payloads }), b.cut().height]).toEqual([204, 1]);
  });

  it('with other settings there: is tried less and less, and told once', async () => {
    const said: Said[] = [];
    const a = await easyNode({ graph: 'triangle', difficultyWindow: 4 });
    await mineMany(a, 60);
    // It does not hear what the other's settings are: the tap leaves that out.
    const { url } = await tapOf(a.url);
    const b = await easyNode({
      ...{ graph: 'triangle', difficultyWindow: 12 },
      ...{ peers: [url], peerPollMs: 10, log: noting(said) },
    });
    const waits = (): (number | undefined)[] =>
      said
        .filter(({ message }) => /peer (failed|answers)/.test(message))
        .map(({ fields }) => fields.pollsLeftOut);
    await until('it was tried some times', () => waits().length >= 4);
    expect(waits().slice(0, 4)).toEqual([2, 4, 8, 16]);
    const warnings = said.filter(
      ({ level, message }) => level === 'warn' && /answers what cannot/.test(message),
    );
    expect(warnings.map(({ fields }) => fields.reason)).toEqual([expect.stringContaining('block ')]);
    expect(b.cut().height).toBeLessThan(60);
  });

  it.each<[string, Disturbance, string]>([
    [
      'no cut',
      { changes: (path, text) => (path.endsWith('/cut') ? '{"hashes":[1]}' : text) },
      'cannot be read: height',
    ],
    ['no JSON', { changes: (path, text) => (path.endsWith('/cut') ? '<html>' : text) }, 'no JSON'],
    [
      'heads of heights that they do not have',
      {
        changes: (path, text) =>
          path.endsWith('/cut')
            ? text.replaceAll(/"height":\d+,"hash"/g, '"height":1000000000000000,"hash"')
            : text,
      },
      'that is at 3',
    ],
    [
      'other headers than were asked for',
      {
        changes: (path, text) =>
          path.includes('/branch') ? text.replace(/"items":\["[^"]*",/, '"items":[') : text,
      },
      'not of the branch',
    ],
    [
      'payloads without outputs',
      {
        changes: (path, text) =>
          path.includes('/outputs/batch') ? text.replaceAll('"coinbase"', '"coinbased"') : text,
      },
      'cannot be read: 0.coinbase',
    ],
  ])('takes nothing of a peer that answers %s', async (_what, disturbance, words) => {
    const said: Said[] = [];
    const a = await easyNode({ graph: 'triangle' });
    await mineMany(a, 9);
    const tap = await tapOf(a.url, disturbance);
    const b = await easyNode({ graph: 'triangle', peers: [tap.url], peerPollMs: 10, log: noting(said) });
    await until('it was told', () => said.some(({ fields }) => fields.reason?.includes(words)));
    // Blocks are taken for themselves, a cut for all that it says.
    expect(b.cut().height).toBe(words === 'that is at 3' ? 9 : 0);
  });
});

it('N9: a transaction that could not be fetched at once is fetched later', async () => {
  let failures = 2;
  const a = await easyNode({ graph: 'triangle' });
  const tap = await tapOf(a.url, { fails: (path) => path.endsWith('/lookup') && failures-- > 0 });
  const b = await easyNode({ graph: 'triangle', peers: [tap.url], peerPollMs: 10 });
  await ask(`${a.url}/chain/1/mempool/insert`, { method: 'PUT', json: ['{"cmd":"travels"}'] });
  const pending = async (): Promise<string[]> =>
    (await ask(`${b.url}/chain/1/mempool/getPending`, { method: 'POST' })).json<{ hashes: string[] }>()
      .hashes;
  await until('it is there', async () => (await pending()).length === 1);
  expect(failures).toBeLessThan(0);
});

it('N17: a peer’s fingerprint is known from its word, and told on', async () => {
  const peer = { hostname: '127.0.0.1', port: 9 };
  const node = await easyNode({ peers: [`http://${peer.hostname}:${peer.port}`] });
  const { hashes } = (await ask(`${node.url}/cut`)).json<{ hashes: object }>();
  const id = 'A'.repeat(43);
  const put = await ask(`${node.url}/cut`, {
    method: 'PUT',
    json: { hashes, origin: { id, address: peer } },
  });
  expect(put.status).toBe(204);
  expect((await ask(`${node.url}/cut/peer`)).json()).toMatchObject({ items: [{ id, address: peer }] });
});
