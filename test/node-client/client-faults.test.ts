/** What a node, or something before it, can do wrong: each failure is named, bounded, and repeated only where that is safe. */
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallPolicy, NodeClient, NodeError } from '../../src/node-client/client.js';
import { makeWork } from '../helpers/rigs/works.js';
import { type Handler, serveHttp } from '../helpers/web/http.js';
import { BASE, CUT, failureOf, flood, HASH, INFO, scriptedPauses, withNode } from './scripted-node.js';

describe('answers that are none', () => {
  it.each<[string, Handler, object]>([
    [
      'a body cut short',
      (_, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"height"');
        setImmediate(() => response.destroy());
      },
      { code: 'unreachable' },
    ],
    [
      'a chunked body cut short',
      (_, response) => {
        response.write('{"height"');
        setImmediate(() => response.destroy());
      },
      { code: 'unreachable' },
    ],
    [
      'a web page',
      (_, response) => void response.end('<html>hi'),
      { code: 'format', message: /no JSON: "<html>hi"/ },
    ],
    [
      'other JSON',
      (_, response) => void response.end('{"height":-1,"weight":"x"}'),
      { code: 'format', message: /height: .*; weight: must be 43 characters of Base64Url; hashes: / },
    ],
    ['an empty body', (_, response) => void response.end(), { code: 'format', message: /no JSON: ""/ }],
    ['a flood', (_, response) => flood(response), { code: 'format', message: /more than 50000 bytes/ }],
    ['silence', () => {}, { code: 'timeout', message: /within 300 ms/ }],
    [
      'a body that never ends',
      (_, response) => void response.write('{'),
      { code: 'timeout', message: /within 300 ms/ },
    ],
    [
      'an overload',
      (_, response) => void response.writeHead(503).end('drain'),
      { code: 'status', status: 503, message: /answered 503 with "drain"/, advice: /ask less often/ },
    ],
    [
      'a proxy that wants a password',
      (_, response) => void response.writeHead(401).end(),
      { code: 'status', status: 401, advice: /credentials/ },
    ],
    [
      'an unknown path',
      (_, response) => void response.writeHead(404).end(),
      { code: 'status', status: 404, message: /404 with no text/, advice: /base URL/ },
    ],
  ])('names %s', async (_, answer, expected) => {
    // Those that answer have time for it, also on a busy machine.
    const timeoutMs = 'code' in expected && expected.code === 'timeout' ? 300 : 60_000;
    const policy: CallPolicy = { timeoutMs, maxBytes: 50_000 };
    await withNode(answer, async (node, url) => {
      const error = await failureOf(node.maintenance.cut(undefined, policy));
      expect(error).toMatchObject({ ...expected, endpoint: 'GET /cut', node: url });
      expect(error.details.url).toBe(`${url}${BASE}/cut`);
      expect(error.advice).not.toBe('');
    });
  });

  it('names items of a page that are wrong, and a header that is another', async () => {
    const page = JSON.stringify({ items: [HASH, 'short'], next: null });
    await withNode(
      (_, response) => void response.end(page),
      async (node) => {
        await expect(node.chain(0).hashes.page()).rejects.toMatchObject({
          message: /items\.1: must be 43 characters/,
        });
        await expect(node.chain(0).encodedHeaders.page()).rejects.toMatchObject({
          code: 'format',
          message: /items\.0: a header with/,
        });
        await expect(node.chain(0).headers.page()).rejects.toMatchObject({
          code: 'format',
          message: /items\.0: /,
        });
      },
    );
  });

  it('CH5: goes on with a cursor as it came, whatever the node names by it', async () => {
    const asked: (string | null)[] = [];
    const cursors = ['inclusive:3', 'exclusive:12,a=b&c', null];
    await withNode(
      (request, response) => {
        const cursor = new URL(request.url ?? '', 'http://node').searchParams.get('next');
        asked.push(cursor);
        response.end(JSON.stringify({ items: [HASH], limit: 1, next: cursors[asked.length - 1] }));
      },
      async (node) => {
        for await (const hash of node.chain(0).hashes.each()) expect(hash).toBe(HASH);
      },
    );
    expect(asked).toEqual([null, ...cursors.slice(0, 2)]);
  });

  it('CH15: takes no page with more items than were asked for', async () => {
    const page = JSON.stringify({ items: [HASH, HASH, HASH], limit: 3, next: null });
    await withNode(
      (_, response) => void response.end(page),
      async (node) => {
        const error = await failureOf(node.chain(0).hashes.page({ limit: 2 }));
        expect(error).toMatchObject({ code: 'format', message: expect.stringContaining('3 items, and 2') });
      },
    );
  });

  it.each([
    [404, '', 'is nothing'],
    [404, '<html>no such page</html>', 'is an error, as it is of who stands before the node'],
  ])('CH10: a listing or a batch that is answered %i with %j %s', async (status, text, what) => {
    await withNode(
      (_, response) => void response.writeHead(status).end(text),
      async (node) => {
        const chain = node.chain(0);
        const listed = async (): Promise<unknown[]> => {
          const all: unknown[] = [];
          for await (const block of chain.blocks.each()) all.push(block);
          return all;
        };
        const asked = [listed(), chain.payloads([{ hash: HASH, height: 1 }])];
        const came = await Promise.allSettled(asked);
        if (what === 'is nothing')
          expect(came.map((one) => one.status === 'fulfilled' && one.value)).toEqual([[], []]);
        else for (const one of came) expect(one).toMatchObject({ reason: { code: 'status', status } });
      },
    );
  });

  it('does not follow a cursor in a circle', async () => {
    const page = JSON.stringify({ items: [HASH], next: `inclusive:${HASH}` });
    await withNode(
      (_, response) => void response.end(page),
      async (node) => {
        const walk = async (): Promise<void> => {
          for await (const _ of node.chain(0).hashes.each());
        };
        await expect(walk()).rejects.toThrow(/is that of this one/);
      },
    );
  });

  it('whatever comes, nothing but a NodeError is thrown', async () => {
    let body = Buffer.alloc(0);
    await withNode(
      (_, response) => void response.end(body),
      async (node) => {
        const chain = node.chain(0);
        const calls = [
          () => node.maintenance.cut(),
          () => chain.headers.page(),
          () => chain.encodedHeaders.page(),
          () => chain.encodedHeader(HASH),
          () => chain.encodedHeader(HASH, 'text'),
          () => chain.blocks.page(),
          () => chain.payloads([{ hash: HASH, height: 1 }]),
          () => chain.mempool.lookup([HASH]),
          () => chain.mempool.getPending(),
          () => node.maintenance.startBackup(),
          () =>
            node.work({
              miner: { account: 'k:a', predicate: 'keys-all', publicKeys: ['a'] },
              timeoutMs: 5_000,
            }),
        ];
        const bodies = fc.oneof(
          fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
          fc.json().map((text) => Buffer.from(text)),
          fc.json().map((text) => Buffer.from(`{"items":[${text}],"limit":1,"next":null}`)),
        );
        await fc.assert(
          fc.asyncProperty(bodies, fc.constantFrom(...calls), async (sent, call) => {
            body = sent;
            await call().catch((error: unknown) => expect(error).toBeInstanceOf(NodeError));
          }),
          { numRuns: 300 },
        );
      },
    );
  });
});

describe('the policy of a call', () => {
  /** Fails as often as said, then gives its cut. */
  const failing = (times: number, fail: (response: ServerResponse) => void): Handler & { asked: number } => {
    const handler = (_: unknown, response: ServerResponse): void => {
      if (++counted.asked <= times) fail(response);
      else response.end(CUT);
    };
    const counted = Object.assign(handler, { asked: 0 });
    return counted;
  };
  const overload = (response: ServerResponse): void => void response.writeHead(503).end();

  it.each([
    ['503', overload, 3],
    // Each try asks once more over a new connection.
    ['a broken connection', (response: ServerResponse) => void response.destroy(), 6],
    ['a timeout', () => {}, 3],
  ])('repeats a call that only reads after %s, with growing pauses', async (_, fail, failures) => {
    const { pausesMs, options } = scriptedPauses();
    const handler = failing(failures, fail);
    const cut = await withNode(
      handler,
      (node) => node.maintenance.cut(undefined, { attempts: 4, timeoutMs: fail.length === 0 ? 200 : 10_000 }),
      options,
    );
    expect(cut.height).toBe(1);
    expect(handler.asked).toBe(failures + 1);
    expect(pausesMs).toEqual([75, 150, 300]);
  });

  it('N2: asks once more over a new connection when one breaks, and once only', async () => {
    const cutOff = (response: ServerResponse): void => void response.destroy();
    const once = failing(1, cutOff);
    expect((await withNode(once, (node) => node.maintenance.cut())).height).toBe(1);
    expect(once.asked).toBe(2);
    const often = failing(10, cutOff);
    const posted = failing(10, cutOff);
    await withNode(often, async (node) => {
      expect((await failureOf(node.maintenance.cut())).code).toBe('unreachable');
    });
    await withNode(posted, async (node) => {
      expect((await failureOf(node.chain(0).payloads([{ hash: HASH, height: 1 }]))).code).toBe('unreachable');
    });
    expect([often.asked, posted.asked]).toEqual([2, 1]);
  });

  it('gives up with the last failure, and asks once by default', async () => {
    const { options } = scriptedPauses();
    const handler = failing(10, overload);
    await withNode(
      handler,
      async (node) => {
        await expect(node.maintenance.cut(undefined, { attempts: 3 })).rejects.toMatchObject({ status: 503 });
        expect(handler.asked).toBe(3);
        await expect(node.maintenance.cut()).rejects.toMatchObject({ status: 503 });
        expect(handler.asked).toBe(4);
      },
      options,
    );
  });

  it('never repeats what changes something, nor after a final no', async () => {
    const { options } = scriptedPauses();
    const handler = failing(10, overload);
    const policy = { attempts: 5 };
    await withNode(
      handler,
      async (node) => {
        await expect(node.maintenance.startBackup({}, policy)).rejects.toMatchObject({ status: 503 });
        await expect(node.chain(0).mempool.insert(['{}'], policy)).rejects.toMatchObject({ status: 503 });
        await expect(node.solved(makeWork({}).header)).rejects.toMatchObject({ status: 503 });
        expect(handler.asked).toBe(3);
      },
      { ...options, policy },
    );
    const refusing = failing(10, (response) => void response.writeHead(400).end());
    await withNode(refusing, (node) => failureOf(node.maintenance.cut(undefined, policy)), options);
    expect(refusing.asked).toBe(1);
  });

  it('ends with the signal of the caller: before, while waiting, and in a pause', async () => {
    await withNode(
      () => {},
      async (node) => {
        const cut = (signal: AbortSignal): Promise<NodeError> =>
          failureOf(node.maintenance.cut(undefined, { signal, attempts: 3 }));
        expect((await cut(AbortSignal.abort())).code).toBe('aborted');
        const soon = new AbortController();
        const waiting = cut(soon.signal);
        setTimeout(() => soon.abort(), 50);
        expect((await waiting).code).toBe('aborted');
      },
    );
    await withNode(
      (_, response) => overload(response),
      async (node) => {
        const soon = new AbortController();
        const policy = { signal: soon.signal, attempts: 1000 };
        setTimeout(() => soon.abort(), 50);
        expect((await failureOf(node.maintenance.cut(undefined, policy))).code).toBe('aborted');
      },
    );
  });
});

describe('what cannot be asked', () => {
  it('is refused before anything is sent', async () => {
    let asked = 0;
    await withNode(
      (_, response) => {
        asked++;
        response.end();
      },
      async (node) => {
        expect(() => node.chain(20)).toThrow(/0 to 19, not "20"/);
        expect(() => node.chain(-1)).toThrow(RangeError);
        const chain = node.chain(19);
        const many = Array.from({ length: 33 }, () => HASH);
        const calls: [() => unknown, RegExp][] = [
          [() => chain.header('short'), /blockHash must be 43 characters/],
          [() => chain.payload(`${HASH}/`), /payloadHash/],
          [() => chain.hashes.page({ limit: -1 }), /limit must be a whole number/],
          [() => chain.headers.page({ minHeight: 1.5 }), /minheight/],
          [() => chain.blocks.branch({ upper: many }), /33 upper bounds, at most 32/],
          [() => chain.mempool.member(['x']), /request key 0/],
          [() => node.maintenance.backupState('../x'), /backupId/],
          [
            () => node.work({ miner: { account: 'a', predicate: 'keys-all', publicKeys: [] }, timeoutMs: 1 }),
            /public-keys must be a list of 1/,
          ],
          [
            () => chain.payloads(Array.from({ length: 1001 }, () => ({ hash: HASH, height: 0 }))),
            /1000 payloads/,
          ],
        ];
        for (const [call, message] of calls) await expect((async () => call())()).rejects.toThrow(message);
        await expect((async () => chain.header('short'))()).rejects.toBeInstanceOf(RangeError);
      },
    );
    expect(asked).toBe(0);
  });
});

describe('credentials', () => {
  it('of the URL and own headers go with every request and into no message', async () => {
    const seen: unknown[] = [];
    await using server = await serveHttp((request, response) => {
      seen.push([request.headers.authorization, request.headers['x-key']]);
      if (request.url === '/info') return void response.end(INFO);
      response.writeHead(500).end();
    });
    const url = server.url.replace('http://', 'http://me:geheim@');
    const node = await NodeClient.connect({ nodes: url, headers: { 'x-key': 'k' } });
    const error = await failureOf(node.maintenance.cut());
    expect(JSON.stringify([error.message, error.details, node.address])).not.toContain('geheim');
    const basic = `Basic ${Buffer.from('me:geheim').toString('base64')}`;
    expect(seen).toEqual([
      [basic, 'k'],
      [basic, 'k'],
    ]);
    await node.close();
  });
});
