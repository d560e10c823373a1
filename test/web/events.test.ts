/** The timeline over HTTP and on the stream. */
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import type { KeptLine, LinesAsked, TimelineView } from '../../src/bridge/timeline/timeline.js';
import type { TimelineEvent } from '../../src/bridge/timeline/timeline-event.js';
import { SILENT } from '../../src/core/names/log.js';
import type { Document } from '../../src/web/api/document/document.js';
import { createMetrics } from '../../src/web/metrics/metrics.js';
import { startWebServer } from '../../src/web/server.js';
import { InTime } from '../../src/web/state/in-time.js';
import { documentOfRoutes } from '../helpers/tools/api-document.js';
import { until } from '../helpers/until.js';
import { DocumentCheck } from '../helpers/web/document-check.js';
import { idleBridge, NO_TIMELINE } from '../helpers/web/idle-bridge.js';
import { bearer, fetchAsReader, READ, RULES } from '../helpers/web/operators.js';

const RUN = '5f0c2c0e-0000-4000-8000-000000000001';
const PATH = '/api/v1/events';
const document: Document = await documentOfRoutes();

function line(id: number, more: Partial<KeptLine> = {}): KeptLine {
  const facts = { of: 'address', login: '', address: '192.0.2.77', reason: 'flood', until: null };
  const told = { kind: 'banned', says: 'an address is banned', facts, instance: 0, by: null };
  return { id, run: RUN, number: id, atMs: 1_700_000_000_000, ...told, ...more };
}

async function startWeb(view: Partial<TimelineView> = {}) {
  const { events, sources } = idleBridge();
  const asked: LinesAsked[] = [];
  const listeners: ((line: TimelineEvent) => void)[] = [];
  const timeline: TimelineView = {
    ...NO_TIMELINE,
    onLine: (listener) => listeners.push(listener),
    readLines: async (what) => {
      asked.push(what);
      return [line(9), line(8)].slice(0, what.limit);
    },
    ...view,
  };
  const shown = { ...sources, timeline };
  const metrics = createMetrics(events, shown);
  const web = await startWebServer({
    host: '127.0.0.1',
    port: 0,
    sources: shown,
    metrics,
    log: SILENT,
    access: () => RULES,
  });
  const check = new DocumentCheck(document);
  const get = async (query: string) => {
    const { statusCode, body } = await request(`${web.url}${PATH}${query}`, { headers: bearer(READ) });
    const answer = (await body.json()) as {
      events: { facts: object }[];
      next: number | null;
      error?: string;
    };
    check.answer('GET', PATH, statusCode, answer);
    return { status: statusCode, ...answer };
  };
  const tell = (told: TimelineEvent): void => {
    for (const listener of listeners) listener(told);
  };
  return { url: web.url, asked, get, tell, [Symbol.asyncDispose]: () => web.close() };
}

describe('GET /api/v1/events', () => {
  it('gives lines as the ledger has them, and where the next page begins', async () => {
    await using web = await startWeb();
    const { events, next } = await web.get('?limit=2&before=10');
    expect(next).toBe(8);
    expect(events[0]).toEqual({
      ...{ id: 9, key: `${RUN}.9`, time: '2023-11-14T22:13:20.000Z', kind: 'banned', instance: 0, by: null },
      ...{ says: 'an address is banned', facts: line(9).facts },
    });
    expect((await web.get('')).next).toBeNull();
    await web.get('?kind=banned,stopped&since=2026-11-22T15%3A00%3A00%2B01%3A00');
    await web.get('?kind=banned&kind=stopped');
    await web.get('?login=k%3Aa.r.1&limit=1');
    await web.get('?login=k%3Aa&limit=1');
    expect(web.asked).toEqual([
      { limit: 2, before: 10 },
      { limit: 100 },
      { limit: 100, kinds: ['banned', 'stopped'], sinceMs: Date.parse('2026-11-22T14:00:00Z') },
      { limit: 100, kinds: ['banned', 'stopped'] },
      { limit: 1, login: { account: 'k:a', rig: 'r.1' } },
      { limit: 1, login: { account: 'k:a', rig: '' } },
    ]);
  });

  it('shows addresses in full to operators, and nothing to anonymous users', async () => {
    await using web = await startWeb();
    expect((await web.get('')).events[0]?.facts).toMatchObject({ address: '192.0.2.77' });
    expect((await fetch(`${web.url}${PATH}`)).status).toBe(401);
    expect(web.asked).toHaveLength(1);
  });

  it('shows kinds and facts of a later version, which another bridge may tell', async () => {
    const later = line(1, { kind: 'later', facts: { deep: { er: [1, null] } } });
    await using web = await startWeb({ readLines: async () => [later] });
    expect((await web.get('')).events[0]).toMatchObject({ kind: 'later', facts: later.facts });
  });

  it.each([
    ['?kind=nothing', /^kind is one or more of blockFound, .*, not "nothing"$/],
    ['?kind=banned,nothing', /^kind is one or more of .*, not "banned,nothing"$/],
    ['?kind=banned&kind=x', /^kind\.1 is one or more of .*, not "x"$/],
    ['?before=0', /^before is a whole number from 1 to \d+, not "0"$/],
    ['?limit=1001', /^limit is a whole number from 1 to 1000, not "1001"$/],
    ['?since=yesterday', /^since is a time such as 2026-11-22T15:26:37Z, not "yesterday"$/],
    ['?login=a%00b', /^login is a login that somebody can have, not "a\\u0000b"$/],
    [`?login=${'ä'.repeat(65)}`, /^login is a login that somebody can have, not "ä+/],
    ['?until=1', /^there is no parameter "until", only before, limit, kind, since and login$/],
  ])('says what is wrong with %s', async (query, sentence) => {
    await using web = await startWeb();
    expect(await web.get(query)).toEqual({ status: 400, error: expect.stringMatching(sentence) });
    expect(web.asked).toEqual([]);
  });

  it('tells the log of what no waiting mends, and not that the ledger is away', async () => {
    const said: string[] = [];
    const inTime = new InTime({
      ...SILENT,
      error: ({ error }: { error?: string }) => void said.push(error ?? ''),
    });
    const mistakes = [new TypeError('no function'), Object.assign(new Error('no column'), { code: '42703' })];
    for (const error of [...mistakes, new Error('away'), Object.assign(new Error('full'), { code: '53300' })])
      expect(await inTime.ask(async () => Promise.reject(error))).toBeUndefined();
    expect(said).toEqual(['no function', 'no column']);
  });

  it('says so when the ledger is away, also when it keeps silent, to however many ask', async () => {
    const state = { asked: 0, hangs: false, end: (): void => {} };
    const readLines = async (): Promise<KeptLine[]> => {
      state.asked++;
      if (state.hangs)
        await new Promise<void>((resolve) => {
          state.end = resolve;
        });
      throw new Error('away');
    };
    await using web = await startWeb({ readLines });
    const sentence = 'the timeline is in the ledger, which does not answer now: try again later';
    const away = { status: 503, error: sentence };
    expect(await web.get('')).toEqual(away);
    state.hangs = true;
    expect(await Promise.all(Array.from({ length: 20 }, () => web.get('')))).toEqual(Array(20).fill(away));
    expect(state.asked).toBe(2);
    // When it ends, nobody waits for the others any more.
    state.hangs = false;
    state.end();
    expect(await web.get('')).toEqual(away);
    expect(state.asked).toBe(3);
  });
});

describe('the stream', () => {
  it('tells each event as it comes, without addresses', async () => {
    await using web = await startWeb();
    const gone = new AbortController();
    const { body } = await fetchAsReader(`${web.url}/api/v1/stream`, { signal: gone.signal });
    let text = '';
    void (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of body ?? []) text += decoder.decode(bytes as Uint8Array, { stream: true });
    })().catch(() => {}); // it ends with the test
    await until('it is read', () => text.includes('event: snapshot'));
    const { id, ...own } = line(3);
    web.tell(own);
    web.tell(line(4));
    const told = await until('both are told', () => {
      const found = [...text.matchAll(/event: event\ndata: (.*)\n\n/g)].map(([, json = '']) =>
        JSON.parse(json),
      );
      return found.length === 2 && found;
    });
    expect(told.map((each) => each.id)).toEqual([undefined, 4]);
    expect(told[0]).toMatchObject({ key: `${RUN}.${id}`, kind: 'banned', facts: { address: '192.0.2.x' } });
    gone.abort();
  });
});
