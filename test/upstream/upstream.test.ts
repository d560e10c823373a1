import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents, type NodeReport } from '../../src/bridge/events.js';
import { type Job, JobBook } from '../../src/core/jobs/job.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { hashSubmit } from '../../src/core/shares/share.js';
import { withNonce } from '../../src/core/work/header.js';
import { encodeWork, type Work } from '../../src/core/work/work.js';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { Upstream, type UpstreamTimings } from '../../src/upstream/upstream.js';
import { makeWork } from '../helpers/rigs/works.js';
import { openTap } from '../helpers/stories/tap.js';
import { until } from '../helpers/until.js';
import { type Handler, serveHttp } from '../helpers/web/http.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const INFO = JSON.stringify({ nodeVersion: 'development', nodeApiVersion: '0.0', nodeNumberOfChains: 10 });
const DEV_NODE = { genesisDifficulty: 8, blockDelay: 60_000 };

/** Too short for a busy machine: only for nodes that answer late, or never. */
const WORK_TIMEOUT_MS = 300;

const HASTE = { workTimeoutMs: WORK_TIMEOUT_MS };

/** An upstream with the bridge's book behind it, and everything that came out of it. */
function startUpstream(
  urls: readonly string[],
  options: { log?: Log; handedOut?: () => void; network?: string; timings?: Partial<UpstreamTimings> } = {},
) {
  const events = createBridgeEvents();
  const book = new JobBook(1);
  const jobs: Job[] = [];
  const reports: NodeReport[] = [];
  events.on('job', (job) => jobs.push(job));
  events.on('node', (report) => reports.push(report));
  const { log = SILENT, handedOut = () => {}, network = '' } = options;
  const sink = new Dispatcher(book, events, { handedOut });
  const timings = {
    workTimeoutMs: 60_000,
    refreshMs: 60_000,
    silenceMs: 60_000,
    failbackAfterMs: 200,
    ...options.timings,
  };
  const upstream = new Upstream({
    urls,
    miner: MINER,
    sink,
    events,
    log,
    random: () => 0,
    timings,
    network,
    forkEpoch: 14_400,
    deadAfterMs: 120_000,
    isKnownPublic: () => false,
  });
  upstream.start();
  const state = (index: number) => upstream.reports[index]?.state;
  return { upstream, book, jobs, reports, state, [Symbol.asyncDispose]: () => upstream.close() };
}

function solve(job: Job): Uint8Array {
  let nonce = 0n;
  while (!hashSubmit(job, nonce).solves) nonce++;
  return withNonce(job.header, nonce);
}

/** A node whose answer to `work` is scripted; its streams stay open and silent unless `updates` writes. */
function scriptedNode(work: Handler, updates: Handler = () => {}) {
  return serveHttp((request, response, body) => {
    if (request.url?.endsWith('/info')) return void response.end(INFO);
    if (request.url?.includes('/mining/work')) return work(request, response, body);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    updates(request, response, body);
  });
}

const HASH = 'A'.repeat(43);
const FORGED_PAYLOAD = {
  transactions: [],
  minerData: 'e30',
  transactionsHash: HASH,
  outputsHash: HASH,
  payloadHash: HASH,
};

const give =
  (work: Work): Handler =>
  (_request, response) =>
    void response.end(encodeWork(work));

describe('an upstream on a development node', () => {
  it('gets a clean job when somebody else finds the block, and its old one goes stale', async () => {
    const node = await startDevNode(DEV_NODE);
    await using bridge = startUpstream([node.url]);
    await using rival = startUpstream([node.url]);
    const job = await until('a job', () => bridge.jobs[0]);
    const theirs = await until('work of the same chain for the rival', async () => {
      const found = rival.jobs.find(({ work }) => work.chainId === job.work.chainId);
      const other = rival.jobs.at(-1);
      if (!found && other) await rival.upstream.postSolution(node.url, solve(other));
      rival.upstream.refresh();
      return found;
    });
    expect(await rival.upstream.postSolution(node.url, solve(theirs))).toEqual({ outcome: 'received' });
    const next = await until('the next job', () => bridge.jobs.find(({ number }) => number > job.number));
    expect(next.clean).toBe(true);
    await until('the old job is stale', () => bridge.book.find(job.id).state === 'stale');
    await node.close();
  });

  it('has its solution taken once, and hears the words of a refusal', async () => {
    const node = await startDevNode(DEV_NODE);
    await using bridge = startUpstream([node.url]);
    const solved = solve(await until('a job', () => bridge.jobs[0]));
    expect(await bridge.upstream.postSolution(node.url, solved)).toEqual({ outcome: 'received' });
    const again = await bridge.upstream.postSolution(node.url, solved);
    expect(again).toMatchObject({
      outcome: 'refused',
      status: 404,
      text: expect.stringContaining('No associated Payload'),
    });
    await node.close();
    expect(await bridge.upstream.postSolution(node.url, solved)).toMatchObject({ outcome: 'unanswered' });
    expect(await bridge.upstream.postSolution('http://other', solved)).toMatchObject({
      outcome: 'unanswered',
    });
  });
});

describe('a solution', () => {
  it('CH2: that a proxy answers in place of the node is posted again, and taken by the node', async () => {
    const node = await startDevNode(DEV_NODE);
    await using tap = await openTap(node.address.port);
    await using bridge = startUpstream([node.url.replace(node.rootUrl, tap.url)]);
    const job = await until('a job', () => bridge.jobs[0]);
    const solved = solve(job);
    tap.set({ answers: 403 });
    expect(await bridge.upstream.postSolution(job.node, solved)).toMatchObject({
      outcome: 'unanswered',
      error: expect.objectContaining({ message: expect.stringContaining('403 with "Tap"') }),
    });
    tap.heal();
    expect(await bridge.upstream.postSolution(job.node, solved)).toEqual({ outcome: 'received' });
    await node.close();
  });
});

describe('the name of a node', () => {
  it('N3, N4: is its URL without credentials in jobs, reports and logs, whatever stands in them', async () => {
    const asked: unknown[] = [];
    const answer: Handler = (request, response, body) => {
      asked.push(request.headers.authorization);
      give(makeWork({}))(request, response, body);
    };
    await using node = await scriptedNode(answer, (request, response) => {
      if (request.url?.endsWith('/solved')) response.end();
    });
    const lines: string[] = [];
    const say = (fields: object, message: string): void => void lines.push(JSON.stringify([fields, message]));
    const log = { debug: say, info: say, warn: say, error: say };
    const url = node.url.replace('//', '//ops:100%sure-p%C3%A4ss@');
    await using bridge = startUpstream([url], { log });
    const job = await until('a job', () => bridge.jobs[0]);
    expect(Buffer.from(String(asked[0]).slice('Basic '.length), 'base64').toString()).toBe(
      'ops:100%sure-päss',
    );
    expect(job.node).toBe(node.url);
    expect(bridge.upstream.reports[0]?.url).toBe(node.url);
    expect([...bridge.upstream.clients().keys()]).toEqual([node.url]);
    const posted = await bridge.upstream.postSolution(job.node, solve(job));
    expect(posted).toMatchObject({ outcome: 'received' });
    const nobody = await bridge.upstream.postSolution('http://other', solve(job));
    expect(nobody).toMatchObject({ error: { message: 'no connection to http://other' } });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toMatch(/sure|ops/);
  });

  it('N4: an unexpected error is logged with its stack, and the node is asked again', async () => {
    await using node = await scriptedNode(give(makeWork({})));
    const stacks: unknown[] = [];
    let broken = true;
    const error = (fields: object): void => void stacks.push((fields as { stack?: string }).stack);
    await using bridge = startUpstream([node.url], {
      log: { ...SILENT, error },
      handedOut: () => {
        if (broken) throw new TypeError('a fault of ours');
      },
    });
    await until('it is told', () => stacks.length > 0);
    expect(String(stacks[0])).toMatch(/TypeError: a fault of ours\n +at /);
    await until('it is away', () => bridge.state(0) === 'away');
    broken = false;
    await until('a job', () => bridge.jobs[0]);
    expect(bridge.state(0)).toBe('healthy');
  });
});

describe('an upstream on nodes in trouble', () => {
  it('answers a burst of events with few fetches', async () => {
    let fetches = 0;
    const work: Handler = (_request, response) => {
      fetches++;
      setTimeout(() => response.end(encodeWork(makeWork({}))), 20);
    };
    await using node = await scriptedNode(work, (_request, response) =>
      response.write('event:New Cut\n\n'.repeat(500)),
    );
    await using bridge = startUpstream([node.url]);
    await until('a job', () => bridge.jobs[0]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(fetches).toBeLessThan(20);
    expect(bridge.jobs).toHaveLength(1);
  });

  it.each<[string, string, Handler]>([
    [
      'unauthorized',
      'add the account',
      (_, response) => void response.writeHead(403).end('Unauthorized Miner'),
    ],
    ['away', '322 bytes, this one 5', (_, response) => void response.end('hello')],
    [
      'away',
      'has the target ffff',
      (_, response) => {
        const bytes = encodeWork(makeWork({ difficulty: 64n }));
        bytes.fill(255, 4, 36);
        response.end(bytes);
      },
    ],
    ['away', 'overloaded', (_, response) => void response.writeHead(503).end('Too many work requests')],
    ['stalled', 'did not answer', () => {}],
  ])('is %s, says why (%s), and mines when the node is well again', async (state, reason, trouble) => {
    let answer = trouble;
    await using node = await scriptedNode((...args) => answer(...args));
    await using bridge = startUpstream([node.url], { timings: state === 'stalled' ? HASTE : {} });
    await until(
      `${state} with a reason`,
      () => bridge.state(0) === state && bridge.upstream.reports[0]?.reason.includes(reason),
    );
    answer = give(makeWork({}));
    await until('a job', () => bridge.jobs[0]);
    expect(bridge.state(0)).toBe('healthy');
  });

  it('says that mining is disabled, and finds the node again as another network', async () => {
    let isMining = false;
    await using node = await scriptedNode((request, response, body) => {
      if (!isMining) return void response.writeHead(404).end();
      give(makeWork({}))(request, response, body);
    });
    await using bridge = startUpstream([node.url]);
    await until('disabled', () => bridge.state(0) === 'disabled');
    expect(bridge.upstream.reports[0]?.reason).toMatch(/enable mining coordination/);
    isMining = true;
    await until('a job', () => bridge.jobs[0]);
  });

  it('N1: leaves a node that was caught with a forged answer, but not where it is the only one', async () => {
    let parent = 1;
    const forge: Handler = (request, response) => {
      if (request.url?.includes('/chain/')) response.end(JSON.stringify(FORGED_PAYLOAD));
    };
    let isAway = false;
    const work: Handler = (request, response, body) => {
      if (isAway) return void response.writeHead(503).end();
      give(makeWork({ parent }))(request, response, body);
    };
    await using one = await scriptedNode(work, forge);
    await using two = await scriptedNode(work, forge);
    await using bridge = startUpstream([one.url, two.url]);
    const askForged = async (url: string): Promise<void> => {
      const client = await until('a client', () => bridge.upstream.clients().get(url));
      await expect(client.chain(0).payload('B'.repeat(43))).rejects.toMatchObject({ code: 'forged' });
    };
    await until('a job of the first', () => bridge.jobs.at(-1)?.node === one.url);
    await askForged(one.url);
    await until('a job of the second', () => bridge.jobs.at(-1)?.node === two.url);
    expect(bridge.upstream.reports[0]).toMatchObject({
      state: 'quarantined',
      reason: expect.stringMatching(/wrong answer.*not trusted for 1 min/),
    });
    expect([...bridge.upstream.clients().keys()]).toEqual([two.url]);
    await askForged(two.url);
    expect([...bridge.upstream.clients().keys()]).toEqual([]);
    parent = 2;
    bridge.upstream.refresh();
    await until('work goes on', () => bridge.jobs.at(-1)?.work.fields.parent[0] === 2);
    expect(bridge.jobs.at(-1)?.node).toBe(two.url);
    isAway = true;
    bridge.upstream.refresh();
    await until('it gives none', () => bridge.state(1) === 'away');
    expect([...bridge.upstream.clients().keys()]).toEqual([]);
  });

  it('X4: works for a node that always answers too late, and waits longer for it from then on', async () => {
    let parent = 1;
    let creationTime = 1_700_000_000_000_000n;
    await using node = await scriptedNode((_request, response) => {
      const work = makeWork({ parent, creationTime: ++creationTime });
      setTimeout(() => response.end(encodeWork(work)), 3 * WORK_TIMEOUT_MS);
    });
    await using bridge = startUpstream([node.url], { timings: HASTE });
    await until('a job', () => bridge.jobs[0]);
    for (parent = 2; parent < 5; parent++) {
      bridge.upstream.refresh();
      await until('the next cut', () => bridge.jobs.at(-1)?.work.fields.parent[0] === parent);
    }
    await until('it is well', () => bridge.state(0) === 'healthy');
  });

  it('X4: does not suspect a node that is slow with everything, and asks it no more than another', async () => {
    const slowMs = 5 * WORK_TIMEOUT_MS;
    let [answered, works] = [0, 0];
    await using node = await serveHttp((request, response) => {
      const path = request.url ?? '';
      const answer = (body: string | Uint8Array): void => void setTimeout(() => response.end(body), slowMs);
      if (path.endsWith('/info')) return void response.end(INFO);
      if (path.includes('/mining/work')) {
        works++;
        return answer(encodeWork(makeWork({})));
      }
      if (path.endsWith('/cut')) {
        setTimeout(() => response.destroyed || answered++, slowMs);
        return answer(JSON.stringify({ height: 1, weight: HASH, hashes: {} }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    await using bridge = startUpstream([node.url], {
      timings: { ...HASTE, probeMs: 100, probeTimeoutMs: WORK_TIMEOUT_MS },
    });
    await until('a job', () => bridge.jobs[0]);
    await until('it is well', () => bridge.state(0) === 'healthy');
    const before = [answered, works] as const;
    await until('it is waited for', () => answered >= before[0] + 3);
    // A question that is given up leads to two for work.
    expect(works - before[1]).toBeLessThanOrEqual(3);
    expect(bridge.state(0)).toBe('healthy');
  });

  it('N2: stays with a node that fails for a moment, and leaves one that goes on failing', async () => {
    let failing = 0;
    let cuts = 0;
    const first = makeWork({ parent: 1 });
    await using one = await scriptedNode((request, response, body) => {
      if (failing-- <= 0) return void give(first)(request, response, body);
      if (++cuts % 2 === 0) response.destroy();
      else response.writeHead(502).end();
    });
    await using two = await scriptedNode(give(makeWork({ parent: 2 })));
    await using bridge = startUpstream([one.url, two.url], { timings: { switchAfterMs: 20_000 } });
    await until('a job of the first', () => bridge.jobs.at(-1)?.node === one.url);
    await until('the second stands by', () => bridge.state(1) === 'healthy');
    const before = bridge.jobs.length;
    failing = 3;
    bridge.upstream.refresh();
    await until('it is seen to fail', () =>
      bridge.reports.some(({ url, state }) => url === one.url && state === 'away'),
    );
    await until('it is well again', () => bridge.state(0) === 'healthy');
    expect(bridge.jobs.slice(before).map(({ node }) => node)).not.toContain(two.url);
    failing = Number.POSITIVE_INFINITY;
    bridge.upstream.refresh();
    await until('it is left', () => bridge.jobs.at(-1)?.node === two.url);
  });

  it('N11: is of the network of the node that is preferred, not of the one that answers first', async () => {
    let start = (): void => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const infoOf = (nodeVersion: string) => JSON.stringify({ nodeVersion, nodeApiVersion: '0.0' });
    const nodeOf = (network: string, versionCode: number, ready = Promise.resolve()) =>
      serveHttp(async (request, response, body) => {
        await ready;
        if (request.url?.endsWith('/info')) return void response.end(infoOf(network));
        if (request.url?.includes('/mining/work'))
          return void give(makeWork({ versionCode }))(request, response, body);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      });
    await using slow = await nodeOf('mainnet01', 5, started);
    await using spare = await nodeOf('testnet04', 7);
    await using fixed = startUpstream([slow.url, spare.url], { network: 'mainnet01' });
    await using bridge = startUpstream([slow.url, spare.url]);
    await until('the spare is mined', () => bridge.jobs.at(-1)?.node === spare.url);
    await until('it is not where the network is set', () => fixed.state(1) === 'quarantined');
    start();
    await until('the preferred one is', () => bridge.jobs.at(-1)?.node === slow.url);
    await until('the spare is not trusted', () => bridge.state(1) === 'quarantined');
    await until('a job of the network that is set', () => fixed.jobs.length > 0);
    expect(new Set(fixed.jobs.map(({ node }) => node))).toEqual(new Set([slow.url]));
  });

  it('works for the first node that is well, and returns to it', async () => {
    let firstIsWell = true;
    const first = makeWork({ parent: 1 });
    await using one = await scriptedNode((request, response, body) => {
      if (!firstIsWell) return void response.writeHead(503).end();
      give(first)(request, response, body);
    });
    await using two = await scriptedNode(give(makeWork({ parent: 2 })));
    await using bridge = startUpstream([one.url, two.url]);
    await until('a job of the first', () => bridge.jobs.at(-1)?.node === one.url);
    firstIsWell = false;
    bridge.upstream.refresh();
    await until('a job of the second', () => bridge.jobs.at(-1)?.node === two.url);
    expect(bridge.book.liveJobs.map(({ node }) => node)).toEqual([two.url]);
    firstIsWell = true;
    await until('a job of the first again', () => bridge.jobs.at(-1)?.node === one.url);
    expect(bridge.jobs.at(-1)?.clean).toBe(true);
  });
});
