/** CH6: what no hash proves is not handed on as if it were proven. On a real node, with somebody in between who alters answers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reversed, toHex } from '../../src/core/bytes/bytes.js';
import { powHashOf } from '../../src/core/work/header.js';
import { targetToHexBigEndian } from '../../src/core/work/target.js';
import type { DevNode } from '../../src/devnode/dev-node.js';
import { NodeClient } from '../../src/node-client/client.js';
import { ask, mineMany, testNodes } from '../devnode/helpers.js';
import { serveHttp, type TestServer } from '../helpers/web/http.js';
import { failureOf, HASH } from './scripted-node.js';

const { easyNode, cleanUp } = testNodes();
let [node, between, client]: [DevNode?, TestServer?, NodeClient?] = [];
/** By the last word of a path: what becomes of an answer. */
let alter: (answer: Json) => Json;
/** The one event of a stream. */
let event: Json;

type Json = Record<string, unknown>;

beforeEach(async () => {
  alter = (answer) => answer;
  const real = await easyNode({ graph: 'singleton' });
  node = real;
  await mineMany(real, 1);
  between = await serveHttp(async (request, response, body) => {
    if (request.url?.endsWith('/updates')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(`event:BlockHeader\ndata:${JSON.stringify(event)}\n\n`);
    }
    const { accept = '*/*', 'content-type': type = 'application/json' } = request.headers;
    const isPost = request.method === 'POST';
    const answer = await ask(real.rootUrl + request.url, {
      ...(isPost ? { method: 'POST', body } : {}),
      headers: { accept, ...(isPost ? { 'content-type': type } : {}) },
    });
    const isJson = answer.text.startsWith('{');
    response.writeHead(answer.status).end(isJson ? JSON.stringify(alter(answer.json())) : answer.bytes);
  });
  client = await NodeClient.connect({ nodes: between.url });
});
afterEach(async () => {
  await client?.close();
  await between?.[Symbol.asyncDispose]();
  await cleanUp();
});

const chain = () => client?.chain(0) ?? expect.fail('no client');
/** Of items that are no texts. */
const onItems =
  (change: (block: Json) => Json) =>
  (answer: Json): Json => ({
    ...answer,
    items: [answer['items'] ?? []]
      .flat()
      .map((item) => (typeof item === 'object' ? change(item as Json) : item)),
  });

describe('CH6: of a block', () => {
  it('a payload without outputs is hashed, too', async () => {
    const { items } = await chain().blocks.page();
    const { header, payloadWithOutputs } = items[1] ?? expect.fail('no block');
    const { coinbase: _, ...payload } = payloadWithOutputs ?? expect.fail('no payload');
    alter = onItems(() => ({ header, payload }));
    expect((await chain().blocks.page()).items[0]?.payload).toEqual(payload);
    alter = onItems(() => ({ header, payload: { ...payload, minerData: 'e30' } }));
    expect(await failureOf(chain().blocks.page())).toMatchObject({ code: 'forged' });
  });

  it('nothing else comes through', async () => {
    alter = onItems((block) => ({
      ...block,
      blockHeader: { ...Object(block['header']), height: 77 },
      more: 1,
    }));
    const { items } = await chain().blocks.page();
    for (const block of items)
      expect(Object.keys(block).sort()).toEqual(['header', 'payload', 'payloadWithOutputs']);
  });

  it('the network is the one that the node is of', async () => {
    alter = onItems((header) => ({ ...header, ledgerVersion: 'mainnet01' }));
    const error = await failureOf(chain().headers.page());
    expect(error).toMatchObject({ code: 'forged', message: expect.stringContaining('mainnet01') });
  });
});

describe('CH6: of an event', () => {
  async function first(): Promise<unknown> {
    for await (const seen of client?.headerUpdates() ?? []) return seen;
    return undefined;
  }
  beforeEach(async () => {
    const { items } = await chain().encodedHeaders.page();
    const { header, fields } = items[1] ?? expect.fail('no header');
    event = {
      txCount: 999,
      header: (await chain().headers.page()).items[1],
      powHash: toHex(reversed(powHashOf(header))),
      target: targetToHexBigEndian(fields.target),
    };
  });

  it('hash of work and target are computed again, and how many transactions there are is not told', async () => {
    const { txCount: _, ...proven } = event;
    expect(await first()).toEqual(proven);
  });

  it.each([{ powHash: '0'.repeat(64) }, { target: 'f'.repeat(64) }, { header: { hash: HASH } }])(
    'another one is refused: %o',
    async ({ header, ...rest }) => {
      event = { ...event, ...rest, header: { ...Object(event['header']), ...header } };
      expect(await failureOf(first())).toMatchObject({ code: 'forged' });
    },
  );
});

describe('CH6: a client that expects a network', () => {
  it('refuses a node of another one, whatever that calls itself', async () => {
    const { url } = between ?? expect.fail('no node');
    const other = NodeClient.connect({ nodes: url, network: 'mainnet01' });
    const error = await failureOf(other);
    expect(error).toMatchObject({ code: 'not-a-node', message: expect.stringContaining('not of mainnet01') });
    const same = await NodeClient.connect({ nodes: url, network: 'development' });
    await same.close();
  });

  it('wants work of its blocks by that name', async () => {
    const { url } = node ?? expect.fail('no node');
    const strict = NodeClient.at(url, { network: 'mainnet01' });
    const weak = await easyNode({ graph: 'singleton', proofOfWork: false });
    // So many that not all of them meet their target by chance.
    await weak.orders.mine({ count: 20 });
    const believing = NodeClient.at(weak.url);
    const doubting = NodeClient.at(weak.url, { network: 'x-public' });
    expect((await believing.chain(0).encodedHeaders.page()).items).toHaveLength(21);
    expect(await failureOf(doubting.chain(0).encodedHeaders.page())).toMatchObject({
      code: 'forged',
      message: expect.stringContaining('no proof of work'),
    });
    for (const each of [strict, believing, doubting]) await each.close();
  });
});
