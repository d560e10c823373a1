/** The stream of states: real readers over real sockets. */
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NodeReport } from '../../src/bridge/events.js';
import type { TimelineEvent } from '../../src/bridge/timeline/timeline-event.js';
import { SILENT } from '../../src/core/names/log.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import type { SummarySources } from '../../src/web/state/summary.js';
import { until } from '../helpers/until.js';
import { ELSEWHERE, startGuarded } from '../helpers/web/guarded-web.js';
import { idleBridge, NO_TIMELINE } from '../helpers/web/idle-bridge.js';
import { ADMIN, bearer, fetchAsReader, READ, RULES, TOKENS } from '../helpers/web/operators.js';

async function startStream(change: Partial<SummarySources> = {}, log = SILENT) {
  const { events, sources } = idleBridge();
  const shown = { ...sources, ...change };
  const metrics = createMetrics(events, shown);
  const limits = { connections: 1000 };
  const web = await startWebServer({
    ...{ host: '127.0.0.1', port: 0, metrics, log, limits },
    sources: shown,
    access: () => RULES,
  });
  const sockets: Socket[] = [];
  const read = (): Reader => {
    const { hostname, port } = new URL(web.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    sockets.push(socket);
    socket.write(`GET /api/v1/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${READ}\r\n\r\n`);
    return new Reader(socket);
  };
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await web.close();
  };
  return { url: web.url, read, close, [Symbol.asyncDispose]: close };
}

class Reader {
  text = '';
  /** Events whose beginning has come. */
  begun = 0;
  isClosed = false;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      const chunk = bytes.toString();
      this.begun += chunk.split('event: ').length - 1;
      this.text += chunk;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  get snapshots(): object[] {
    return this.#dataOf('snapshot');
  }

  /** Their numbers, as they came. */
  get lines(): number[] {
    return this.#dataOf('event').map((line) => Number((line as TimelineEvent).says));
  }

  #dataOf(event: string): object[] {
    return [...this.text.matchAll(/event: (.*)\ndata: (.*)\n\n/g)]
      .filter(([, name]) => name === event)
      .map(([, , json = '']) => JSON.parse(json));
  }
}

describe('the stream', () => {
  it('gives the summary once a second, made once for all who read, and at once to who comes', async () => {
    let made = 0;
    await using web = await startStream({
      instance: () => {
        made++;
        return made;
      },
    });
    const readers = Array.from({ length: 200 }, () => web.read());
    await until('all have seen two', () => readers.every(({ snapshots }) => snapshots.length >= 2));
    const summary = (await (await fetchAsReader(`${web.url}/api/v1/summary`)).json()) as object;
    const [first] = readers[0]?.snapshots ?? [];
    expect(Object.keys(first ?? {}).sort()).toEqual(Object.keys(summary).sort());
    expect(readers[0]?.text).toMatch(/^HTTP\/1.1 200 OK\r\n(.+\r\n)*content-type: text\/event-stream/i);
    // One is for the summary, and one may be on its way: where more are, it is waited for.
    const most = () => Math.max(...readers.map(({ snapshots }) => snapshots.length));
    await expect.poll(() => made - most()).toBeLessThanOrEqual(2);
    const late = web.read();
    await until('who comes later sees something', () => late.snapshots.length > 0);
    expect(late.snapshots[0]).toMatchObject({ instance: expect.any(Number) });
    await expect.poll(() => made - most()).toBeLessThanOrEqual(2);
  });

  it('gives every line to all, in its order, though they are written to in turns', async () => {
    const listeners: ((line: TimelineEvent) => void)[] = [];
    await using web = await startStream({
      timeline: { ...NO_TIMELINE, onLine: (listener) => void listeners.push(listener) },
    });
    const readers = Array.from({ length: 90 }, () => web.read());
    await until('all read', () => readers.every(({ snapshots }) => snapshots.length > 0));
    const told = Array.from({ length: 50 }, (_, number) => number);
    for (const number of told) {
      const line = {
        run: 'r',
        number,
        atMs: 0,
        kind: 'queueAway',
        facts: {},
        says: `${number}`,
        instance: 0,
        by: null,
      };
      for (const listener of listeners) listener(line);
      if (number % 7 === 0) await turn();
    }
    for (const reader of readers) await expect.poll(() => reader.lines).toEqual(told);
  });

  it('makes nothing when nobody reads', async () => {
    let made = 0;
    await using web = await startStream({
      instance: () => {
        made++;
        return 0;
      },
    });
    expect(made).toBe(0);
    const reader = web.read();
    await until('it has seen something', () => reader.snapshots.length > 0);
    reader.socket.destroy();
    const other = web.read();
    await until('another one sees something anew', () => other.snapshots.length > 0);
  });

  it('drops a reader that does not read, and waits for nobody', async () => {
    // More than the buffers of the system hold.
    const url = `http://${'n'.repeat(3_000_000)}:1`;
    const idle = { isActive: false, chains: 0, requests: 0 };
    const node: NodeReport = { url, state: 'away', network: '', reason: '', ...idle };
    await using web = await startStream({ nodes: () => [node] });
    const slow = web.read();
    slow.socket.pause();
    const quick = web.read();
    await until('the quick one has seen many', () => quick.begun >= 8);
    slow.socket.resume();
    await until('the slow one is dropped', () => slow.isClosed);
    expect(slow.begun).toBeLessThan(8);
    expect(quick.isClosed).toBe(false);
  });

  it('has room for so many, and says so to the next', async () => {
    await using web = await startStream();
    const readers = Array.from({ length: 256 }, () => web.read());
    await until('all are in', () => readers.every(({ snapshots }) => snapshots.length > 0));
    const refused = await fetchAsReader(`${web.url}/api/v1/stream`);
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { error: '256 read this stream already: try again later' },
    ]);
  });

  it('is asked for its head without being read', async () => {
    await using web = await startStream();
    const answer = await fetchAsReader(`${web.url}/api/v1/stream`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  it('says once that no snapshots can be made, and goes on once they can', async () => {
    let isBroken = true;
    const said: string[] = [];
    const error = (_fields: object, message: string) => void said.push(message);
    let asked = 0;
    const instance = () => {
      asked++;
      if (isBroken) throw new TypeError('no number');
      return 7;
    };
    await using web = await startStream({ instance }, { ...SILENT, error });
    const reader = web.read();
    await until('it was tried again', () => asked >= 3);
    expect(said).toEqual(['snapshots for the stream cannot be made']);
    isBroken = false;
    await until('it goes on', () => reader.snapshots.length > 0);
  });

  it('ends for whose token is none any more, and for nobody else', async () => {
    await using web = await startGuarded();
    const read = (headers: Readonly<Record<string, string>>) => {
      const ended = new AbortController();
      onTestFinished(() => ended.abort());
      return fetchAsReader(`${web.url}/api/v1/stream`, { headers, signal: ended.signal });
    };
    const [withToken, other] = [await read({ ...ELSEWHERE, ...bearer(READ) }), await read(bearer(ADMIN))];
    const begun = other.body?.getReader() ?? expect.fail();
    await begun.read();
    web.state.rules = { ...web.state.rules, tokens: TOKENS.filter(({ access }) => access !== 'read') };
    await expect(withToken.text()).rejects.toThrow();
    // Once a second.
    for (let i = 0; i < 3; i++) expect((await begun.read()).done).toBe(false);
  });

  it('ends with the bridge', async () => {
    const web = await startStream();
    const reader = web.read();
    await until('it reads', () => reader.snapshots.length > 0);
    await web.close();
    await until('it is closed', () => reader.isClosed);
  });
});
