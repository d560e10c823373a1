/** Interface 4.8 and 6 against the process over raw sockets: the very bytes of event streams. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../src/core/bytes/bytes.js';
import { powHashOf } from '../../src/core/work/header.js';
import { askWork, chainBytes, MINER, mineOne, postSolved, solve } from '../devnode/helpers.js';
import { type NodeHere, startEasyHere } from '../devnode/process.js';
import { newTransaction } from '../helpers/books/transactions.js';
import { until } from '../helpers/until.js';
import { askerOf, type Header, OBJECT } from './asker.js';
import { type RawStream, rawStream } from './raw.js';

/** Twenty chains: each test has some of its own. */
let node: NodeHere;
beforeAll(async () => {
  node = await startEasyHere('--graph', 'twenty', '--payload-refresh', '50ms');
});
afterAll(() => node[Symbol.asyncDispose]());

const { get, put, head } = askerOf(() => node.url);
const updates = (path: string, body?: Uint8Array): Promise<RawStream & Disposable> =>
  rawStream(node.url + path, body ? { body } : {});

interface BlockEvent {
  readonly txCount: number;
  readonly powHash: string;
  readonly target: string;
  readonly header: Header;
  readonly payloadWithOutputs?: { readonly payloadHash: string };
}

function dataOf(event: string): BlockEvent {
  return JSON.parse(event.split('\ndata:')[1] ?? '') as BlockEvent;
}

describe('6 stream format', () => {
  it.each([
    ['/header/updates', 'BlockHeader', 0],
    ['/block/updates', 'Block', 1],
  ] as const)(
    '6 and 4.8: %s sends event:%s, data:<json> and an empty line, nothing else',
    async (path, name, chain) => {
      using stream = await updates(path);
      expect(stream.answer.headers.get('content-type')).toBe('text/event-stream');
      await mineOne(node, chain);
      await mineOne(node, chain + 2);
      const text = await stream.until('two events', (seen) => seen.split('\n\n').length > 2);
      expect(text).toMatch(new RegExp(`^(event:${name}\\ndata:\\{[^\\n]*\\}\\n\\n){2}$`));
    },
  );

  it('6: mining/updates sends the single line event:New Cut and an empty line, without data', async () => {
    using stream = await updates('/mining/updates', chainBytes(4));
    await mineOne(node, 4);
    expect(await stream.until('an event', (text) => text.length > 0)).toBe('event:New Cut\n\n');
  });

  it('6: events of one chain only where the body names it, of all without a body', async () => {
    using mine = await updates('/mining/updates', chainBytes(5));
    using all = await updates('/mining/updates');
    await mineOne(node, 6);
    await all.until('an event', (text) => text !== '');
    await mineOne(node, 5);
    expect(await mine.until('an event', (text) => text !== '')).toBe('event:New Cut\n\n');
    await all.until('another', (text) => text === 'event:New Cut\n\n'.repeat(2));
  });

  it('6: a chain that was blocked by its neighbours has new work when they have caught up', async () => {
    await using petersen = await startEasyHere();
    using stream = await rawStream(`${petersen.url}/mining/updates`, { body: chainBytes(0) });
    await mineOne(petersen, 0);
    await stream.until('the old work is void', (text) => text === 'event:New Cut\n\n');
    for (const chain of [2, 3, 5]) await mineOne(petersen, chain);
    await stream.until('there is new work', (text) => text === 'event:New Cut\n\n'.repeat(2));
  });

  it('6: new work for new transactions is told too', async () => {
    using stream = await updates('/mining/updates', chainBytes(7));
    await put('/chain/7/mempool/insert', [newTransaction('stream').text]);
    expect(await stream.until('an event', (text) => text !== '')).toBe('event:New Cut\n\n');
  });
});

describe('6 data of the header and block streams', () => {
  it('6.2: txCount, powHash and target in hexadecimal, the header as object', async () => {
    using stream = await updates('/header/updates');
    await put('/chain/8/mempool/insert', [newTransaction('count').text]);
    const solved = await mineOne(node, 8);
    const event = dataOf(await stream.until('the event', (text) => text.endsWith('\n\n')));
    expect(Object.keys(event).sort()).toEqual(['header', 'powHash', 'target', 'txCount']);
    expect(event.txCount).toBe(1);
    expect(event.powHash).toBe(Buffer.from(powHashOf(solved)).reverse().toString('hex'));
    expect(event.target).toBe(Buffer.from(event.header.target, 'base64url').reverse().toString('hex'));
    expect(event.powHash <= event.target).toBe(true);
    expect(event.header).toEqual((await get(`/chain/8/header/${event.header.hash}`, OBJECT)).json());
  });

  it('6: block events have the payload with its outputs besides', async () => {
    using stream = await updates('/block/updates');
    await mineOne(node, 9);
    const event = dataOf(await stream.until('the event', (text) => text.endsWith('\n\n')));
    const { payloadHash } = await head(9);
    expect(Object.keys(event).sort()).toEqual([
      'header',
      'payloadWithOutputs',
      'powHash',
      'target',
      'txCount',
    ]);
    expect(event.payloadWithOutputs).toEqual((await get(`/chain/9/payload/${payloadHash}/outputs`)).json());
  });

  it('3.2 and 6.1: blocks that are or become orphans are told as they come', async () => {
    const late = solve((await askWork(node, 10, { ...MINER, account: 'late' })).bytes.subarray(36));
    using headers = await updates('/header/updates');
    using blocks = await updates('/block/updates');
    await mineOne(node, 10);
    expect((await postSolved(node, late)).status).toBe(204);
    for (const stream of [headers, blocks]) {
      const text = await stream.until('both', (seen) => seen.split('\n\n').length > 2);
      const told = text.trim().split('\n\n').map(dataOf);
      expect(told.map(({ header }) => header.height)).toEqual([1, 1]);
      expect(told[1]?.header.hash).toBe(toBase64Url(blockHashOf(late)));
      expect((await head(10)).height).toBe(1);
    }
  });
});

describe('6.3 and 8: the server ends streams', () => {
  it.each(['/mining/updates', '/header/updates', '/block/updates'])(
    '6.3: %s, by a normal end of the body',
    async (path) => {
      await using brief = await startEasyHere('--stream-lifetime', '300ms');
      using stream = await rawStream(brief.url + path);
      await until('the end', () => stream.ends());
      expect(stream.events()).toBe('');
      using again = await rawStream(brief.url + path);
      expect(again.answer.status).toBe(200);
    },
  );
});
