/** The works of one node on a real development node of ten chains. */
import { afterEach, describe, expect, it } from 'vitest';
import { toBase64Url } from '../../src/core/bytes/bytes.js';
import { SILENT } from '../../src/core/names/log.js';
import { encodeWork, type Work } from '../../src/core/work/work.js';
import type { CutObject } from '../../src/node-client/client.js';
import { CacheDetector } from '../../src/upstream/works/odd-answers.js';
import type { WorkTimings } from '../../src/upstream/works/work-options.js';
import { NodeWorkSource } from '../../src/upstream/works/work-source.js';
import { ask, testNodes } from '../devnode/helpers.js';
import { makeWork } from '../helpers/rigs/works.js';
import { openTap } from '../helpers/stories/tap.js';
import { rivalBlock } from '../helpers/stories/upstream-story.js';
import { until } from '../helpers/until.js';
import { serveHttp } from '../helpers/web/http.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

const TEN_CHAINS = JSON.stringify({
  nodeVersion: 'development',
  nodeApiVersion: '0.0',
  nodeChains: Array.from({ length: 10 }, (_, chainId) => String(chainId)),
});

function watch(
  url: string,
  chains: number,
  sessionCounts = new Map<number, number>(),
  timings: Partial<WorkTimings> = {},
) {
  const time = { skewMs: 0 };
  const log = { ...SILENT };
  const offered: Work[] = [];
  const retired: number[] = [];
  const source = new NodeWorkSource({
    url,
    miner: MINER,
    sink: {
      offerWork: (work) => void offered.push(work),
      retireWork: (chainId) => void retired.push(chainId),
    },
    onStatus: () => undefined,
    log,
    random: Math.random,
    now: () => performance.now() + time.skewMs,
    sessionsOn: (chainId) => sessionCounts.get(chainId) ?? 0,
    timings: { seekMs: 50, refreshMs: 60_000, ...timings },
  });
  source.workOn(chains);
  source.start();
  const isServed = ({ chainId }: Work): boolean => !source.isSpare(chainId);
  const chainsNow = (): number[] =>
    source.works
      .filter(isServed)
      .map(({ chainId }) => chainId)
      .sort((a, b) => a - b);
  return { source, offered, retired, chainsNow, time, log, [Symbol.asyncDispose]: () => source.close() };
}

describe('works of a node', () => {
  it('are of as many chains as wished, and of no more than there are', async () => {
    const node = await easyNode();
    await using all = watch(node.url, 20);
    await until('ten chains', () => all.source.works.length === 10);
    expect(all.chainsNow()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await using three = watch(node.url, 3);
    await until('three chains', () => three.source.works.length === 3);
    three.source.workOn(1);
    expect(three.chainsNow()).toHaveLength(1);
    three.source.workOn(5);
    await until('five chains', () => three.chainsNow().length === 5);
  });

  it('A4: of a chain that is no longer wanted are not retired before nobody is on it and late shares have come', async () => {
    const node = await easyNode();
    const sessionCounts = new Map<number, number>();
    await using three = watch(node.url, 3, sessionCounts);
    await until('three chains', () => three.source.works.length === 3);
    const [one = -1, two = -1, three3 = -1] = three.chainsNow();
    // Not the oldest: the one that nobody is on.
    for (const chainId of [one, three3]) sessionCounts.set(chainId, 1);
    three.source.workOn(2);
    expect([three.chainsNow(), three.source.isSpare(two)]).toEqual([[one, three3], true]);
    three.source.workOn(1);
    const [spare = -1] = [one, three3].filter((chainId) => three.source.isSpare(chainId));
    const [kept] = three.chainsNow();
    three.time.skewMs += 329_000;
    three.source.workOn(1);
    const stillThere = three.source.requests;
    three.source.refresh();
    await until('a turn', () => three.source.requests >= stillThere + 3);
    expect(three.retired).toEqual([]);
    // Who was there has left, and from then on its last jobs age.
    three.time.skewMs += 2_000;
    three.source.workOn(1);
    await until('nobody was on it', () => three.retired.length === 1);
    expect(three.retired).toEqual([two]);
    sessionCounts.delete(spare);
    three.time.skewMs += 330_000;
    three.source.workOn(1);
    await until('the rig has left the other', () => three.retired.length === 2);
    expect([three.retired, three.chainsNow()]).toEqual([[two, spare], [kept]]);
  });

  it('A4: of a spare chain are handed out again at once when more are wanted', async () => {
    const node = await easyNode();
    await using two = watch(node.url, 2);
    await until('two chains', () => two.source.works.length === 2);
    const before = two.chainsNow();
    two.source.workOn(1);
    expect(two.chainsNow()).toHaveLength(1);
    two.source.workOn(2);
    expect([two.chainsNow(), two.retired]).toEqual([before, []]);
  });

  it('come from another chain when one is blocked, and from it again when it is not', async () => {
    const node = await easyNode();
    await using few = watch(node.url, 2);
    await until('two chains', () => few.source.works.length === 2);
    const [blocked = 0] = few.chainsNow();
    await rivalBlock(node, blocked);
    await until('it is left', () => few.retired.includes(blocked));
    await until('two chains again', () => few.source.works.length === 2);
    expect(few.chainsNow()).not.toContain(blocked);

    await using all = watch(node.url, 10);
    await until('all but one', () => all.source.works.length === 9);
    for (let chainId = 0; chainId < 10; chainId++) {
      if ((node.cut().heights[chainId] ?? 0) === 0) await rivalBlock(node, chainId);
    }
    await until('all ten', () => all.source.works.length === 10);
  });

  it('CH1: are fetched again when the cut shows another block of a neighbour than they name', async () => {
    const b = await easyNode();
    const a = await easyNode({ peers: [b.url], peerPollMs: 20 });
    await b.orders.mine({ chains: [0, 1, 3, 4, 5, 6, 7, 8, 9] });
    await until('both have the blocks', () => a.cut().height === 9);
    a.setPeerConnected(false);
    await a.orders.mine({ chains: [2] });
    await b.orders.mine({ chains: [2, 4] });
    await using tap = await openTap(a.address.port);
    // No event of a stream comes.
    tap.set({ onAnswer: (text) => text.replaceAll('event:New Cut', ':vent:New Cut') });
    await using ten = watch(a.url.replace(a.rootUrl, tap.url), 10);
    const named = (): string | undefined => {
      const { adjacents = [] } = ten.source.works.find(({ chainId }) => chainId === 0)?.fields ?? {};
      const hash = adjacents.find(({ chainId }) => chainId === 2)?.hash;
      return hash && toBase64Url(hash);
    };
    const { heights, hashes } = a.cut();
    await until('a work names the block of the neighbour', () => named() === hashes[2]);
    a.setPeerConnected(true);
    await until('that block is replaced', () => a.cut().hashes[2] === b.cut().hashes[2]);
    expect([a.cut().hashes[0], a.cut().heights[2]]).toEqual([hashes[0], heights[2]]);
    const { hashes: now } = (await ask(`${a.url}/cut`)).json<CutObject>();
    ten.source.sawCut(now);
    await until('the work names the other', () => named() === a.cut().hashes[2]);
  });

  it('are of a chain that is asked for by name, in the place of another', async () => {
    const node = await easyNode();
    await using one = watch(node.url, 1);
    await until('a chain', () => one.source.works.length === 1);
    const other = one.chainsNow()[0] === 4 ? 5 : 4;
    one.source.wantChain(other);
    await until('the other', () => one.chainsNow().includes(other));
    expect(one.chainsNow()).toEqual([other]);
  });

  it('A4: are of fewer chains when the node refuses streams, but those that somebody is on stay, and it says so', async () => {
    const node = await easyNode({ streamLimit: 3 });
    const sessionCounts = new Map(Array.from({ length: 10 }, (_, chainId) => [chainId, 1]));
    await using five = watch(node.url, 5, sessionCounts);
    const spares = (): number[] =>
      five.source.works.map(({ chainId }) => chainId).filter((id) => five.source.isSpare(id));
    await until('as many chains as streams', () => spares().length > 0 && five.chainsNow().length === 3);
    expect(five.source.status).toMatchObject({
      state: 'healthy',
      reason: expect.stringMatching(/too many update streams.*fewer chains \(work\.chains\)/),
    });
    const spare = spares();
    // They are not asked for streams again, and are fresh all the same.
    const before = five.offered.length;
    five.source.refresh();
    await until('a look at each', () => {
      const again = five.offered.slice(before).map(({ chainId }) => chainId);
      return spare.every((chainId) => again.includes(chainId));
    });
    expect([five.chainsNow().length, five.retired]).toEqual([3, []]);
    sessionCounts.clear();
    five.time.skewMs += 331_000;
    five.source.workOn(5);
    await until('nobody is on them', () => five.retired.length === spare.length);
    expect(five.retired.toSorted()).toEqual(spare.toSorted());
  });

  it('A4: of a node that has too much to do stay until nobody is on them', async () => {
    const node = await easyNode({ control: { host: '127.0.0.1', port: 0 } });
    const tap = await openTap(node.address.port);
    const sessionCounts = new Map(Array.from({ length: 10 }, (_, chainId) => [chainId, 1]));
    await using six = watch(tap.url, 6, sessionCounts);
    await until('six chains', () => six.chainsNow().length === 6);
    tap.set({ answers: 503 });
    tap.cut();
    six.source.refresh();
    await until('fewer are handed out', () => six.chainsNow().length < 6);
    expect([six.source.works.length, six.retired]).toEqual([6, []]);
    tap.heal();
    await until('it is well', () => six.source.status.state === 'healthy');
    six.source.workOn(1);
    six.source.workOn(2);
    expect([six.source.works.length, six.retired]).toEqual([6, []]);
    await tap[Symbol.asyncDispose]();
  });

  it('are not given up because nobody says whether they stand, nor opened again after the end', async () => {
    const chains = 3;
    let [unanswered, streams] = [0, 0];
    await using node = await serveHttp((request, response) => {
      const path = request.url ?? '';
      if (path.endsWith('/info')) return void response.end(TEN_CHAINS);
      if (path.endsWith('/cut')) return void response.on('close', () => unanswered++);
      if (path.includes('/mining/work')) {
        const wished = Number(/chain=(\d+)/.exec(path)?.[1] ?? 0);
        return void response.end(encodeWork(makeWork({ chainId: (wished + 1) % chains })));
      }
      streams++;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const all = watch(node.url, chains, new Map(), { workTimeoutMs: 300 });
    await until('all chains', () => all.source.works.length === chains);
    const questionsWithoutAnswer = async (): Promise<void> => {
      const enough = unanswered + 2 * chains;
      await until('questions without an answer', () => {
        all.source.refresh();
        return unanswered >= enough;
      });
    };
    // It takes some answers to see that no wish is heeded.
    await questionsWithoutAnswer();
    const retired = all.retired.length;
    await questionsWithoutAnswer();
    expect(all.retired).toHaveLength(retired);
    const ended: object[] = [];
    all.log.debug = (fields) => void ended.push(fields);
    await all.source.close();
    const opened = streams;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([streams, ended]).toEqual([opened, []]);
  });

  it('are asked for a second time over another open connection when an answer is late, and seldom otherwise', async () => {
    const node = await easyNode();
    await using tap = await openTap(node.address.port);
    await using one = watch(tap.url, 1);
    await until('a chain', () => one.source.works.length === 1);
    const asked = (): number => tap.requests.filter((path) => path.includes('/mining/work')).length;
    for (let fetch = 0; fetch < 9; fetch++) {
      const before = one.offered.length;
      one.source.refresh();
      await until('an answer', () => one.offered.length > before);
    }
    expect(asked()).toBeLessThanOrEqual(1.1 * one.source.requests + 1);
    // What is asked again when the time is over goes over a new connection; a second question may be forbidden, after many.
    await until('one was asked for in time, over connections that were open', async () => {
      const [chainId = 0] = one.chainsNow();
      const [connections, questions, offered] = [tap.connections, asked(), one.offered.length];
      tap.freezeNext('/mining/work');
      await rivalBlock(node, chainId);
      await until('another work', () => one.offered.slice(offered).some((work) => work.fields.height > 0));
      return tap.connections === connections && asked() >= questions + 2;
    });
  });

  it('CH12: are asked for when the node says that it may be asked again', async () => {
    const askedAtMs: number[] = [];
    await using server = await serveHttp((request, response) => {
      if (request.url?.endsWith('/info')) return void response.end(TEN_CHAINS);
      if (request.url?.includes('/mining/work')) askedAtMs.push(performance.now());
      response.writeHead(503, { 'retry-after': '3' }).end('busy');
    });
    await using _one = watch(server.url, 1);
    const [first = 0, second = 0] = await until(
      'it is asked again',
      () => askedAtMs.length >= 2 && askedAtMs,
    );
    expect(second - first).toBeGreaterThan(2_900);
  });

  it('are asked for in turns, and not at once again, where a node gives another chain than was asked for', async () => {
    let isBlocked = false;
    let questions = 0;
    const server = await serveHttp((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
      if (pathname === '/info') return void response.end(TEN_CHAINS);
      if (!pathname.endsWith('/mining/work'))
        return void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      questions++;
      const asked = Number(searchParams.get('chain') ?? 0);
      response.end(encodeWork(makeWork({ chainId: isBlocked ? 0 : asked })));
    });
    await using _ = server;
    const [seekMs, refreshMs] = [50, 40];
    await using works = watch(server.url, 5, new Map(), { seekMs, refreshMs });
    await until('five chains', () => works.chainsNow().length === 5);
    isBlocked = true;
    await until('one is left', () => works.source.works.length === 1);
    const [before, startedMs] = [questions, performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 20 * seekMs));
    const turns = 1 + (performance.now() - startedMs) / Math.min(seekMs, refreshMs / 4);
    // As fast as the node answers it would be nine questions a turn.
    expect(questions - before).toBeLessThan(3 * turns);
  });

  it('take few requests at rest', async () => {
    const node = await easyNode();
    await using all = watch(node.url, 10);
    await until('ten chains', () => all.source.works.length === 10);
    await until('it rests', async () => {
      const before = all.source.requests;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return all.source.requests - before <= 2;
    });
    expect(all.source.requests).toBeLessThan(45);
  });
});

describe('a cache between', () => {
  it('is seen when works repeat after a while, and not in a burst', () => {
    const cache = new CacheDetector();
    const work = makeWork({});
    for (let atMs = 0; atMs < 1_400; atMs += 100) cache.saw(work, atMs);
    expect(cache.sees).toBe(false);
    cache.saw(work, 1_600);
    cache.saw(work, 3_200);
    expect(cache.sees).toBe(true);
    cache.saw(makeWork({ creationTime: 1_700_000_000_000_001n }), 4_000);
    expect(cache.sees).toBe(false);
  });
});
