/** Ways to make blocks without searching, against the development node with proof of work off. */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { DeadWorks } from '../../src/bridge/dead-works.js';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents, type SubmitEvent } from '../../src/bridge/events.js';
import { JobRoller } from '../../src/bridge/job-roller.js';
import { createJudge } from '../../src/bridge/judge.js';
import type { SolutionAnswer } from '../../src/bridge/ports.js';
import { SolutionSender } from '../../src/bridge/solution-sender.js';
import { type Job, JobBook } from '../../src/core/jobs/job.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import type { Share } from '../../src/core/shares/share.js';
import { External } from '../../src/cpu/external.js';
import { MakeBlocksError, OnDemand, parseBlockCounts } from '../../src/cpu/on-demand.js';
import type { Cpu } from '../../src/cpu/options.js';
import { startConstantDelay, startSimulation } from '../../src/cpu/timed-blocks.js';
import { type DevNode, startDevNode } from '../../src/devnode/dev-node.js';
import { NodeClient } from '../../src/node-client/client.js';
import { logBy } from '../helpers/rigs/shares.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { cpuOptions } from './options.js';

const MINER = { account: 'k:miner', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const CLOCK = { nowMs: () => Date.now() };

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The bridge between a real node and whatever makes blocks. */
async function startBench(difficulty: number) {
  const node = await startDevNode({
    proofOfWork: false,
    genesisDifficulty: difficulty,
  });
  open.push(() => node.close());
  const client = await NodeClient.connect({ nodes: node.url });
  open.push(() => client.close());
  const events = createBridgeEvents();
  const book = new JobBook(1);
  const dispatcher = new Dispatcher(book, events);
  const jobs = new JobRoller(book, CLOCK);
  dispatcher.addSink(jobs);
  /** Answers of the node that are given in place of its own, the last first. */
  const lost: Promise<SolutionAnswer>[] = [];
  const fetchWork = async (chainId?: number): Promise<void> => {
    const work = await client.work({ miner: MINER, chainId, timeoutMs: 2000 }).catch(() => undefined);
    if (work) dispatcher.offerWork(work, node.url);
  };
  const sender = new SolutionSender({
    sink: { postSolution: (_, header) => lost.pop() ?? post(client, header) },
    solutions: { recordSolution: async () => undefined },
    isLive: ({ id }) => book.find(id).state === 'live',
    deadWorks: new DeadWorks(),
    source: { refresh: () => void fetchWork() },
    events,
    log: SILENT,
    untilReachedMs: () => 0,
  });
  open.push(() => sender.close(1000));
  const shares: Share[] = [];
  const judge = createJudge({
    book,
    clock: CLOCK,
    shares: logBy(async (share) => void shares.push(share)),
    sendSolution: (solution) => sender.send(solution),
  });
  const said: string[] = [];
  const say = (fields: object, message: string): void =>
    void said.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: say, info: say, warn: say, error: say };
  const parts = cpuOptions({
    account: MINER.account,
    send: sender.send.bind(sender),
    clock: CLOCK,
    log,
    events,
    jobs,
    judge,
    timing: { runAgainAfterMs: 10, workTimeoutMs: 2000 },
  });
  const run = <T extends Cpu>(maker: T): T => {
    open.push(() => maker.close());
    dispatcher.addSink(maker);
    void fetchWork();
    return maker;
  };
  return { node, events, dispatcher, parts, judge, shares, said, run, fetchWork, lost };
}

async function post(client: NodeClient, header: Uint8Array): Promise<SolutionAnswer> {
  try {
    await client.solved(header);
    return { outcome: 'received' };
  } catch (error) {
    return { outcome: 'refused', status: 400, text: (error as Error).message };
  }
}

const blocks = (node: DevNode): number => node.cut().height;

it('simulates a hash rate', async () => {
  const bench = await startBench(1000);
  bench.run(startSimulation({ ...bench.parts, simulatedHashesPerSecond: 50_000, random: Math.random }));
  await until('ten blocks', () => blocks(bench.node) >= 10);
});

it('waits longer for a block the lower the hash rate is, and anew with each job', async () => {
  const bench = await startBench(1000);
  bench.run(startSimulation({ ...bench.parts, simulatedHashesPerSecond: 1, random: () => 0.999 }));
  await bench.fetchWork(3);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(blocks(bench.node)).toBe(0);
});

it('makes a block in each given time', async () => {
  const bench = await startBench(1000);
  bench.run(startConstantDelay({ ...bench.parts, blockDelayMs: 60 }));
  const startedMs = performance.now();
  await until('five blocks', () => blocks(bench.node) >= 5);
  expect(performance.now() - startedMs).toBeGreaterThan(5 * 60 - 10);
});

const REFUSED: SolutionAnswer = { outcome: 'refused', status: 400, text: 'not now' };

it.each([
  ['simulation', startSimulation],
  ['constant-delay', startConstantDelay],
])('CU8: %s makes the block again that the node refused', async (_mode, start) => {
  const bench = await startBench(1000);
  // Each of the ten chains loses its first block.
  bench.lost.push(...Array.from({ length: 10 }, async () => REFUSED));
  bench.run(start({ ...bench.parts, simulatedHashesPerSecond: 50_000, random: Math.random }));
  await until('ten blocks', () => blocks(bench.node) >= 10);
  expect(bench.lost).toEqual([]);
});

describe('on demand', () => {
  async function startMaker(workTimeoutMs = 2000) {
    const bench = await startBench(1000);
    const wantChain = (chainId: number): void => void bench.fetchWork(chainId);
    const maker = bench.run(new OnDemand({ ...bench.parts, wantChain, timing: { workTimeoutMs } }));
    return { ...bench, maker };
  }

  it('makes exactly the blocks that are asked for, keeping the braid', async () => {
    const { node, maker } = await startMaker();
    const counts = new Map(Object.keys(node.cut().heights).map((chainId) => [Number(chainId), 3]));
    await maker.makeBlocks(counts);
    expect(Object.values(node.cut().heights)).toEqual(Object.values(node.cut().heights).map(() => 3));
    await maker.makeBlocks(new Map([[4, 1]]));
    expect(node.cut().heights[4]).toBe(4);
    expect(blocks(node)).toBe(31);
  });

  it('CU8: makes a block at the next call that the node refused', async () => {
    const { node, maker, lost } = await startMaker();
    lost.push(Promise.resolve(REFUSED));
    const error = await maker.makeBlocks(new Map([[0, 1]])).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('not now') });
    await maker.makeBlocks(new Map([[0, 1]]));
    expect(node.cut().heights[0]).toBe(1);
  });

  it('says that somebody else has solved its work, and goes on with the next', async () => {
    const { node, events, run, parts, fetchWork } = await startBench(1000);
    let isFirst = true;
    const send: typeof parts.send = (solution) => {
      if (isFirst) events.emit('solutionSuperseded', solution);
      else parts.send(solution);
      isFirst = false;
    };
    const maker = run(new OnDemand({ ...parts, send, wantChain: (chainId) => void fetchWork(chainId) }));
    const error = await maker.makeBlocks(new Map([[0, 1]])).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('came first') });
    await maker.makeBlocks(new Map([[0, 1]]));
    expect(node.cut().heights[0]).toBe(1);
  });

  it('serves one call after the other', async () => {
    const { node, maker } = await startMaker();
    await Promise.all([0, 1, 2].map((chainId) => maker.makeBlocks(new Map([[chainId, 1]]))));
    expect(node.cut().heights).toMatchObject({ 0: 1, 1: 1, 2: 1 });
    expect(blocks(node)).toBe(3);
  });

  it('says which chain cannot go on, and what was made', async () => {
    const { node, maker } = await startMaker(300);
    const error = await maker.makeBlocks(new Map([[0, 5]])).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MakeBlocksError);
    expect(error).toMatchObject({ code: 'no-work', message: expect.stringContaining('no work for chain 0') });
    expect((error as MakeBlocksError).made.get(0)).toBe(node.cut().heights[0]);
    await maker.makeBlocks(new Map([[1, 1]]));
  });

  it('ends a call that waits when it is closed, and refuses more than may wait', async () => {
    const { maker } = await startMaker(60_000);
    const calls = Array.from({ length: 17 }, () =>
      maker.makeBlocks(new Map([[99, 1]])).catch((e: Error) => e),
    );
    expect(await calls[16]).toMatchObject({ code: 'busy' });
    await maker.close();
    expect(await calls[0]).toMatchObject({ code: 'no-work', message: 'the bridge stops' });
  });

  it('reads what it is asked for', () => {
    expect(parseBlockCounts({ 0: 2, 19: 1, 3: 0 })).toEqual(
      new Map([
        [0, 2],
        [19, 1],
      ]),
    );
  });

  it.each([
    [[1], 'this is no object'],
    [null, 'this is no object'],
    [{ a: 1 }, '"a" is no chain id'],
    [{ 99999: 1 }, '"99999" is no chain id'],
    [{ 0: 1.5 }, 'chain 0 cannot have 1.5 blocks'],
    [{ 0: '1' }, 'chain 0 cannot have "1" blocks'],
    [{ 0: -1 }, 'chain 0 cannot have -1 blocks'],
    [{ 0: 9999, 1: 9999 }, '19998 blocks are more than 10000'],
  ])('refuses %j', (body, message) => {
    expect(() => parseBlockCounts(body)).toThrow(message);
  });
});

describe('an external command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A miner of a few lines in its own process; `body` sees `work`, `target` (little-endian hex) and `answer`. */
  function commandOf(name: string, body: string): [string, string] {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(
      file,
      `import { createHash } from 'node:crypto';
       const parts = []; for await (const part of process.stdin) parts.push(part);
       const work = Buffer.concat(parts), target = process.argv.at(-1);
       const hash = (nonce) => { work.writeBigUInt64LE(nonce, 278); return createHash('blake2s256').update(work).digest('hex'); };
       const bigEndian = (hex) => Buffer.from(hex, 'hex').reverse().toString('hex');
       const answer = (nonce) => process.stdout.write(nonce.toString(16).padStart(16, '0') + '\\n');
       const find = (good) => { for (let nonce = 2n ** 63n; ; nonce++) if ((bigEndian(hash(nonce)) <= bigEndian(target)) === good) return nonce; };
       ${body}`,
    );
    return [process.execPath, file];
  }

  it('gets the target and the work, and its nonces become blocks', async () => {
    const bench = await startBench(50);
    const command = commandOf('good', 'answer(find(true));');
    bench.run(new External(bench.parts, command));
    await until('three blocks', () => blocks(bench.node) >= 3);
    expect(bench.shares[0]).toMatchObject({ account: 'k:miner', rig: 'external' });
    expect(bench.said).toEqual([]);
  });

  it('ST18: searches a job of its own, which no rig was given', async () => {
    const bench = await startBench(50);
    const work = join(folder, 'work');
    const command = commandOf(
      'telling',
      `const { renameSync, writeFileSync } = await import('node:fs'); const path = ${JSON.stringify(work)};
       writeFileSync(path + '.new', work); renameSync(path + '.new', path); setInterval(() => {}, 1000);`,
    );
    const given: Job[] = [];
    bench.dispatcher.addSink({ offerJob: (job) => void given.push(job), retireChains: () => undefined });
    bench.run(new External(bench.parts, command));
    await until('it has begun', () => existsSync(work));
    const searched = readFileSync(work);
    const [job = expect.fail()] = given;
    const rolled = bench.parts.jobs.rollJob(job.work.chainId, 0, false);
    for (const each of [...given, rolled]) expect(searched.equals(each?.header ?? searched)).toBe(false);
    // But for the time it is that work.
    expect(searched.subarray(16).equals(job.header.subarray(16))).toBe(true);
  });

  it('A1.5: sees none of the secrets in the environment of the bridge', async () => {
    const bench = await startBench(50);
    const command = commandOf('curious', 'process.stderr.write(Object.keys(process.env).sort().join());');
    process.env['STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS'] = 'alice=tops3cret';
    bench.run(new External(bench.parts, command));
    const line = await until('a report', () => bench.said[0]);
    delete process.env['STRATUM_BRIDGE_STRATUM_ACCOUNTS_PASSWORDS'];
    expect(line).toMatch(/"errors":"(HOME,)?(LANG,)?PATH(,TZ)?"/);
  });

  it('has a wrong nonce reported with what it hashed to, never posted', async () => {
    const bench = await startBench(50);
    const command = commandOf('wrong', 'answer(find(false));');
    bench.run(new External(bench.parts, command));
    const line = await until('a report', () => bench.said[0]);
    expect(line).toContain('the external command gave a wrong nonce');
    expect(line).toMatch(/"nonce":"80000000[0-9a-f]{8}","hash":"[0-9a-f]{64}","target":"[0-9a-f]{64}"/);
    expect(blocks(bench.node)).toBe(0);
  });

  it.each([
    ['nonsense', 'process.stdout.write("none today");', '"output":"none today"'],
    [
      'failing',
      'process.stderr.write("no GPU"); process.exit(3);',
      '"errors":"no GPU","fault":"exit code 3"',
    ],
    [
      'endless',
      'for (;;) if (!process.stdout.write("x".repeat(9999))) await new Promise((r) => setTimeout(r, 1));',
      '"fault":"ended by SIGKILL"',
    ],
  ])('is run again when it is %s', async (name, body, report) => {
    const bench = await startBench(50);
    const command = commandOf(name, body);
    bench.run(new External(bench.parts, command));
    await until('two reports', () => bench.said.length >= 2);
    expect(bench.said[0]).toContain(report);
  });

  it('CU13: is heard when it prints, though it goes on', async () => {
    const bench = await startBench(50);
    const command = commandOf('lasting', 'answer(find(true)); setInterval(() => {}, 1000);');
    const submits: SubmitEvent[] = [];
    bench.events.on('submit', (event) => submits.push(event));
    bench.run(new External(bench.parts, command));
    await until('three blocks', () => blocks(bench.node) >= 3);
    expect(submits[0]).toMatchObject({
      outcome: 'accepted',
      rig: 'external',
      session: { transport: 'cpu', peer: 'command' },
    });
  });

  it('CU13: may be no command that can be started at all', async () => {
    const bench = await startBench(50);
    bench.run(new External(bench.parts, ['/nowhere/mi\0ner']));
    expect(await until('a report', () => bench.said[0])).toContain('null bytes');
  });

  it('CU13: is run again when this process had no file left for it', async () => {
    const bench = await startBench(50);
    // Of another book than the judge's, so that it says when it has heard of a nonce.
    const job = new JobBook(1).add(makeWork({ difficulty: 50n }), 'node');
    const parts = { ...bench.parts, jobs: { rollJob: () => job } };
    const external = new External(parts, commandOf('late', 'answer(find(true));'));
    open.push(() => external.close());
    const files: number[] = [];
    try {
      for (;;) files.push(openSync('/dev/null', 'r'));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('EMFILE');
    }
    external.offerJob(job);
    for (const file of files) closeSync(file);
    await until('it was run', () => bench.said.some((line) => line.includes('was rejected')));
    expect(bench.said[0]).toContain('EMFILE');
  });

  it('may be missing', async () => {
    const bench = await startBench(50);
    bench.run(new External(bench.parts, ['/nowhere/miner']));
    expect(await until('a report', () => bench.said[0])).toContain('ENOENT');
  });

  it('is killed on a new job, and at the end', async () => {
    const bench = await startBench(50);
    const note = join(folder, 'started');
    const command = commandOf(
      'slow',
      `const { appendFileSync } = await import('node:fs'); appendFileSync(${JSON.stringify(note)}, process.pid + '\\n'); setInterval(() => {}, 1000);`,
    );
    bench.run(new External(bench.parts, command));
    const pids = (): number[] =>
      // A number is whole once its line has ended.
      existsSync(note) ? (readFileSync(note, 'utf8').match(/^\d+(?=\n)/gm) ?? []).map(Number) : [];
    await until('the first', () => pids().length === 1);
    const [first = 0] = pids();
    for (let chainId = 0; chainId < 10; chainId++) await bench.fetchWork(chainId);
    for (let chainId = 0; chainId < 10; chainId++) bench.dispatcher.retireWork(chainId);
    await bench.fetchWork();
    await until('its end', () => !isAlive(first));
    await until('another', () => pids().length >= 2);
    await open.pop()?.();
    expect(pids().some(isAlive)).toBe(false);
    expect(bench.said).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
