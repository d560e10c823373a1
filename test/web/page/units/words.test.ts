/** How the page says things: pure functions. */
import { describe, expect, it } from 'vitest';
import type { Pool, Rig, Summary } from '../../../../src/web/page/reading/answers.js';
import { readEvents } from '../../../../src/web/page/reading/events.js';
import type { Seen } from '../../../../src/web/page/reading/feed.js';
import { ALL_RIGS, rigsPath } from '../../../../src/web/page/reading/rigs.js';
import { hashOf, readRoute } from '../../../../src/web/page/route.js';
import { hashOfQuery, queryOf, type TableQuery } from '../../../../src/web/page/views/rigs/query.js';
import { connectLines, listedBySettings, reachOf } from '../../../../src/web/page/words/addresses.js';
import {
  count,
  errorBeside,
  hashes,
  hashRate,
  milliseconds,
  percent,
} from '../../../../src/web/page/words/numbers.js';
import { outcomeWords } from '../../../../src/web/page/words/outcomes.js';
import { rigState } from '../../../../src/web/page/words/rigs.js';
import { ago, duration, since } from '../../../../src/web/page/words/times.js';
import { type AlsoKnown, troublesOf } from '../../../../src/web/page/words/troubles.js';
import { summarize } from '../../../../src/web/state/summary.js';
import { idleBridge } from '../../../helpers/web/idle-bridge.js';

/** With plain blanks. */
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('numbers', () => {
  it('have three digits that count, and an error in the same unit', () => {
    expect([0, 7, 999, 1000, 1234, 20_449_000, 999.6e9, 1e24].map(hashRate).map(plain)).toEqual([
      ...['0 H/s', '7 H/s', '999 H/s', '1.00 kH/s', '1.23 kH/s', '20.4 MH/s', '1.00 TH/s', '1000 ZH/s'],
    ]);
    expect(plain(errorBeside(20_449_000, 1_234_000))).toBe('± 1.2');
    expect(plain(errorBeside(204_490_000, 1_234_000))).toBe('± 1');
    // Nothing is known to the last digit because that digit is not shown.
    expect(
      [
        [204_490_000, 400_000],
        [20_449_000, 12],
        [7.25, 0.4],
        [7.25, 0.001],
        [7, 0],
      ].map(([value = 0, error = 0]) => plain(errorBeside(value, error))),
    ).toEqual([...['± < 1', '± < 0.1', '± 0.40', '± < 0.01', '± 0']]);
    expect([7, 40e6, '4000000000000'].map(hashes).map(plain)).toEqual([
      '7 hashes',
      '40.0 M hashes',
      '4.00 T hashes',
    ]);
    expect([0, 999, 1000, 1234567].map(count).map(plain)).toEqual(['0', '999', '1 000', '1 234 567']);
  });

  it('are never all or nothing while something is missing to it', () => {
    const shown = [
      percent(1, 3),
      percent(99_999, 100_000),
      percent(1, 100_000),
      percent(5, 5),
      percent(0, 5),
    ];
    expect(shown.map(plain)).toEqual(['33.3 %', '99.9 %', '0.1 %', '100 %', '0 %']);
    expect([0.44, 12.4, 1234].map(milliseconds).map(plain)).toEqual(['0.4 ms', '12 ms', '1.2 s']);
  });
});

describe('times', () => {
  it('have the two largest units', () => {
    const day = 86_400_000;
    expect(
      [-5, 400, 59_999, 61_000, 3_600_000, 2 * day + 5 * 3_600_000 + 59_000].map(duration).map(plain),
    ).toEqual([...['0 s', '0 s', '59 s', '1 min 1 s', '1 h', '2 d 5 h']]);
    expect([-1, 999, 1000, 185_000].map(ago).map(plain)).toEqual(['now', 'now', '1 s ago', '3 min ago']);
  });

  it('have a day when it is not this one, and a year', () => {
    const now = new Date(2026, 10, 22, 15, 0).getTime();
    expect(since(new Date(2026, 10, 22, 9, 5).getTime(), now)).toBe('09:05');
    expect(since(new Date(2026, 10, 21, 9, 5).getTime(), now)).toBe('21 Nov, 09:05');
    expect(since(new Date(2025, 10, 21, 9, 5).getTime(), now)).toBe('21 Nov 2025, 09:05');
  });
});

async function seenOf(
  change: Partial<Summary>,
  link: Seen['link'] = { state: 'live' },
  heardAtMs = 0,
): Promise<Seen> {
  const summary = (await summarize(idleBridge().sources)) as Summary;
  const changed = { ...summary, ...change };
  return { link, summary: changed, totals: changed, isAnonymous: false, heardAtMs };
}

const UNTOLD = { bridge: null, cutHeight: null, silentMs: null, forks: null };
const NODE = { url: 'http://n:1848', network: '', isActive: false, chains: 0, requests: 0, ...UNTOLD };
const AWAY = { ...NODE, state: 'away', reason: 'nobody answers: is the node running?' } as const;
const HEALTHY = { ...NODE, url: 'http://m:1848', state: 'healthy', reason: '' } as const;
const WORK = { chainId: 0, height: 1, blockDifficulty: '1', ageMs: 0 };

describe('troubles', () => {
  const titles = async (...args: Parameters<typeof seenOf>) =>
    troublesOf(await seenOf(...args)).map(({ title }) => plain(title));

  it('are told the worst first', async () => {
    expect(await titles({})).toEqual(['No node is set']);
    expect(await titles({ nodes: [AWAY] })).toEqual(['No node gives work']);
    expect(await titles({ nodes: [HEALTHY] })).toEqual(['No job yet']);
    expect(await titles({ nodes: [HEALTHY], works: [WORK] })).toEqual([]);
    expect(await titles({ nodes: [HEALTHY, AWAY], works: [WORK] })).toEqual(['A node gives no work']);
    const queue = { isUp: false, failed: 2 };
    expect(
      await titles({ nodes: [AWAY], queue, ledger: { isUp: false, differingRules: ['fee'] } }, LOST),
    ).toEqual([
      ...[
        'Offline',
        'No node gives work',
        'The share queue is away',
        'The ledger is away',
        'Settings are not the rules',
        '2 entries set aside',
      ],
    ]);
  });

  it('of dead work says why, and when rigs come back', async () => {
    const whyReleased =
      'the newest block that nodes have is 130 s old: they catch up, or have lost the network';
    const seen = await seenOf({ nodes: [HEALTHY], works: [WORK], whyReleased });
    expect(troublesOf(seen)).toMatchObject([
      { kind: 'fault', says: [`Because ${whyReleased}`, expect.stringContaining('after 15 seconds')] },
    ]);
  });

  it('of a chain that stands still says why, in place of its alert', async () => {
    const well = { nodes: [HEALTHY], works: [WORK] };
    const following = (still: number, behind = 0): Pick<Summary, 'following'> => ({
      following: {
        chains: 9,
        behind,
        still,
        standing: [{ chainId: 3, trouble: 'no node has it' }].slice(0, still),
      },
    });
    const alerts = ['chainStandsStill', 'blockUnclaimed'].map((condition) => ({
      ...{ id: 1, condition, about: 'chain 3', severity: 'critical' as const, says: 'x' },
      ...{ from: '2026-01-01T00:00:00.000Z', until: null, resolvedSays: '' },
    }));
    const told = async (still: number) =>
      troublesOf(await seenOf({ ...well, ...following(still) }), { alerts: alerts.slice(0, still) });
    expect(await told(0)).toEqual([]);
    const [only, ...none] = await told(1);
    expect([only?.kind, plain(only?.title ?? ''), none]).toEqual(['warning', '1 chain stands still', []]);
    expect(only?.says.at(-1)).toBe('Chain 3: no node has it');
    const [unclaimed, two] = await told(2);
    expect([unclaimed, two].map((each) => plain(each?.title ?? ''))).toEqual([
      'Alert: block unclaimed',
      '2 chains stand still',
    ]);
  });

  it('has a drain first, and alerts that the state does not show by itself', async () => {
    const seen = await seenOf({ nodes: [HEALTHY, AWAY], works: [WORK] });
    const alert = (condition: string, about: string, severity: 'info' | 'warning' | 'critical') => ({
      ...{ id: 1, condition, about, severity, says: `${about} is so` },
      ...{ from: '2026-01-01T00:00:00.000Z', until: null, resolvedSays: '' },
    });
    const alerts = [
      alert('nodeUnhealthy', 'http://n:1848', 'warning'),
      ...['a.1', 'a.2', 'a.3', 'a.4', 'a.5', 'a.6'].map((rig) => alert('rigOffline', rig, 'warning')),
      alert('blockFound', 'b', 'info'),
      alert('diskLow', 'bridge 1', 'critical'),
    ];
    const drain: AlsoKnown['drain'] = {
      ...{
        by: 'admin token',
        startedAt: null,
        endsAt: null,
        stops: true,
        sessions: 3,
        asked: 1,
        unsupported: 0,
      },
      state: 'draining',
      left: 2,
    };
    const told = troublesOf(seen, { alerts, drain });
    expect(told.map(({ title }) => title)).toEqual([
      'Alert: disk low',
      'The bridge drains: it lets nobody in, and asks rigs to go',
      'A node gives no work',
      '6 alerts: rig offline',
    ]);
    expect(told.at(-1)?.says).toEqual([...[1, 2, 3, 4, 5].map((i) => `a.${i} is so`), 'And 1 more']);
    expect(told[1]?.says.map(plain)).toEqual([
      '2 sessions left. It was ordered by admin token. Then the bridge stops',
    ]);
    expect(troublesOf(seen, { drain: { ...drain, state: 'off' } })).toHaveLength(1);
    // Of very many not all are given, and then nobody knows how many there are.
    const [, part] = troublesOf(seen, { alerts: alerts.slice(1, 7), isPart: true });
    expect([part?.title, part?.says.at(-1)]).toEqual([
      'At least 6 alerts: rig offline',
      'And at least 1 more',
    ]);
  });

  it('are told in the words of the API', async () => {
    const [node] = troublesOf(await seenOf({ nodes: [AWAY] }));
    expect(node?.says).toEqual(['http://n:1848 is away: nobody answers: is the node running?']);
    const refused = { ...LOST, says: 'A token is needed.', isAnswer: true };
    const [no] = troublesOf(await seenOf({}, refused));
    expect(no).toMatchObject({ title: 'Sign in to continue', says: ['A token is needed.'] });
  });

  it('say that what is shown was heard before only where anything was', async () => {
    const goesOn = 'This page goes on by itself when it is back';
    const asks = 'The bridge does not answer. Is it running?';
    const [lost] = troublesOf(await seenOf({}, LOST, 5));
    expect(lost).toMatchObject({
      heardAtMs: 5,
      says: [asks, 'The data shown are the last received', goesOn],
    });
    const [never] = troublesOf(await seenOf({}, LOST));
    expect(never).toMatchObject({ heardAtMs: 0, says: [asks, goesOn] });
  });

  const LOST = {
    state: 'lost',
    says: 'The bridge does not answer.',
    isAnswer: false,
    isForTokens: false,
  } as const;
});

describe('outcomes', () => {
  it('are told with what was most frequent first', async () => {
    const { summary } = await seenOf({});
    const submits = { ...(summary ?? expect.fail()).submits, accepted: 100, stale: 3, duplicate: 1200 };
    expect(plain(outcomeWords(submits))).toBe('1 200 twice, 3 stale');
  });
});

describe('addresses to connect to', () => {
  const door = (name: 'tcp' | 'ws' | 'both', host: string, tls: 'off' | 'also' | 'only' = 'off') => {
    return { name, transport: name, host, port: 1917, tls };
  };
  const urls = (ports: Pool['ports'], asked: string) => connectLines(ports, asked).map(({ url }) => url);
  const reach = (host: string, asked: string) => reachOf([door('tcp', host)], asked);

  it('have the host by which the page was asked', () => {
    expect(urls([door('tcp', '0.0.0.0', 'also'), door('ws', '::')], 'pool.example')).toEqual([
      'stratum+tcp://pool.example:1917',
      'stratum+ssl://pool.example:1917',
      'ws://pool.example:1917',
    ]);
    expect(urls([door('ws', '::', 'also')], '[2001:db8::1]').at(-1)).toBe('wss://[2001:db8::1]:1917');
    expect(urls([], 'x')).toEqual([]);
  });

  it('are those of each port, by its name', () => {
    const ports = [{ ...door('both', '0.0.0.0', 'only'), name: 'high' }, door('tcp', '0.0.0.0')];
    expect(connectLines(ports, 'x')).toEqual([
      { label: 'high: TCP with TLS', url: 'stratum+ssl://x:1917' },
      { label: 'high: WebSocket with TLS', url: 'wss://x:1917' },
      { label: 'TCP', url: 'stratum+tcp://x:1917' },
    ]);
  });

  it('have the one that is listened on, where the page was asked on the machine itself', () => {
    expect(urls([door('tcp', '192.0.2.7')], 'localhost')).toEqual(['stratum+tcp://192.0.2.7:1917']);
    expect(urls([door('tcp', '2001:db8::1')], '127.0.0.1')).toEqual(['stratum+tcp://[2001:db8::1]:1917']);
  });

  it('say who cannot come', () => {
    expect(reach('127.0.0.1', 'localhost')?.says).toMatch(/own machine alone/);
    expect(reach('0.0.0.0', 'localhost')?.says).toMatch(/^From another machine/);
    expect(reach('0.0.0.0', 'pool.example')).toBeUndefined();
  });
});

describe('addresses that may come', () => {
  it('are those of the bridge and of its ports, as a file or a variable has them', () => {
    const ports = [
      { name: 'farm', listen: '0.0.0.0:3334', allow: ['192.0.2.0/24'] },
      { name: 'all', listen: '0.0.0.0:3333', deny: ['198.51.100.7'] },
    ];
    const settings = [
      { key: 'stratum.allow', value: [] },
      { key: 'stratum.deny', value: '203.0.113.1, 2001:db8::/32' },
      { key: 'stratum.ports', value: ports },
    ];
    const told = listedBySettings(settings).map(
      ({ list, addresses, from }) => `${list} ${addresses} ${from}`,
    );
    expect(told).toEqual([
      ...['deny 203.0.113.1 stratum.deny', 'deny 2001:db8::/32 stratum.deny'],
      ...['allow 192.0.2.0/24 port farm', 'deny 198.51.100.7 port all'],
    ]);
    expect(listedBySettings([{ key: 'stratum.ports', value: '' }])).toEqual([]);
  });
});

describe('routes', () => {
  it('are read as they are written, whatever somebody types', () => {
    expect(readRoute('')).toMatchObject({ view: '', parts: [] });
    const route = readRoute(hashOf('rigs', { q: 'a&b?c', sort: '' }, ['k:ab/c', 'x y']));
    expect(route).toMatchObject({ view: 'rigs', parts: ['k:ab/c', 'x y'] });
    expect([...route.params]).toEqual([['q', 'a&b?c']]);
    expect(readRoute('#/%E0%A4%A').view).toBe('%E0%A4%A');
    const NOTHING = { ...ALL_RIGS, columns: [] };
    const query: TableQuery = {
      ...ALL_RIGS,
      ...{ q: 'x', sort: 'name', order: 'desc', state: 'idle', page: 3, columns: ['1 h', 'Agent'] },
    };
    expect(queryOf(readRoute(hashOfQuery(query)).params)).toEqual(query);
    expect(queryOf(new URLSearchParams('sort=no&order=no&page=-1'))).toEqual(NOTHING);
    expect(hashOfQuery(NOTHING)).toBe('#/rigs');
  });
});

describe('the state of a rig', () => {
  const state = (state: Rig['state'], lastShareAt: string | null) => rigState({ state, lastShareAt } as Rig);

  it('is new while it is connected and had no share', () => {
    expect(state('online', null)).toBe('new');
    expect(state('online', '2026-11-22T15:26:37Z')).toBe('online');
    expect(state('offline', null)).toBe('offline');
  });
});

describe('the list of rigs', () => {
  const asked = (change: Partial<typeof ALL_RIGS>) => rigsPath({ ...ALL_RIGS, ...change }, 200, 100);

  it('is asked for in the words of the API, without what is not asked', () => {
    expect(asked({})).toBe('/api/v1/rigs?offset=200&limit=100');
    expect(asked({ q: ' a&b ', state: 'idle', account: 'k:1', sort: 'name', order: 'asc' })).toBe(
      '/api/v1/rigs?q=a%26b&state=idle&account=k%3A1&sort=name&order=asc&offset=200&limit=100',
    );
  });
});

describe('the reader of the stream', () => {
  it('finds events however they were cut', async () => {
    const text = 'event: snapshot\ndata: {"a":"ü"}\n\n: a comment\n\ndata: x\ndata: y\n\nevent: half';
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 3, 1000]) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
          controller.close();
        },
      });
      const events = [];
      for await (const event of readEvents(body)) events.push(event);
      expect(events).toEqual([
        { event: 'snapshot', data: '{"a":"ü"}' },
        { event: 'message', data: '' },
        { event: 'message', data: 'x\ny' },
      ]);
    }
  });
});
