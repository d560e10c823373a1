/** How fast the development node answers with a million headers on disk, and what they cost in memory. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import type { BlockHash } from '../../src/devnode/consensus/block.js';
import { BLOCKS_FOLDER } from '../../src/devnode/storage/backups.js';
import { BlockStore } from '../../src/devnode/storage/block-store.js';
import { fillChain, LONG_CHAIN_FLAGS, longChainNetwork } from '../devnode/long-chain.js';
import { startProgram } from '../helpers/processes/program.js';

export interface NodeBenchRow {
  readonly what: string;
  readonly requestsPerSecond: number;
  /** Against the health check of the same process in the same run. */
  readonly ofBareHttp: number;
  readonly p99Ms: number;
}

export interface NodeBenchResult {
  readonly headers: number;
  readonly fillMicrosPerHeader: number;
  /** From the start of the process to its first answer. */
  readonly openMs: number;
  /** Resident memory of the node's process that is not the mapped file, right after opening and after all requests. */
  readonly ownMegabytesAtStart: number;
  readonly ownMegabytesAtEnd: number;
  readonly rows: readonly NodeBenchRow[];
}

export interface NodeBenchOptions {
  readonly headers?: number;
  readonly secondsEach?: number;
}

const CONNECTIONS = 8;

/** Runs from the compiled code; prints a table and a line of JSON. */
export async function benchNode(options: NodeBenchOptions = {}): Promise<NodeBenchResult> {
  const { headers = 1_000_000, secondsEach = 3 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'bench-node-'));
  try {
    const disk = new BlockStore(join(folder, BLOCKS_FOLDER));
    const from = performance.now();
    const head = fillChain(disk, longChainNetwork(), headers);
    const fillMicrosPerHeader = ((performance.now() - from) * 1000) / headers;
    await disk.close();
    const served = await benchProcess(folder, head, headers, secondsEach);
    const result = { headers, fillMicrosPerHeader, ...served };
    report(result);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Served = Omit<NodeBenchResult, 'headers' | 'fillMicrosPerHeader'>;

async function benchProcess(
  dataDir: string,
  head: BlockHash,
  headers: number,
  seconds: number,
): Promise<Served> {
  const from = performance.now();
  const program = startProgram([
    'node',
    '--mining',
    '--listen',
    '127.0.0.1:0',
    '--data-dir',
    dataDir,
    ...LONG_CHAIN_FLAGS,
  ]);
  try {
    const { pid } = program;
    const url = String((await program.ready())['url']);
    const rootUrl = new URL(url).origin;
    const openMs = performance.now() - from;
    const ownMegabytesAtStart = ownMegabytes(pid);
    const rows = await measureAll(rootUrl, new URL(url).pathname, head, headers, seconds);
    return { openMs, ownMegabytesAtStart, ownMegabytesAtEnd: ownMegabytes(pid), rows };
  } finally {
    await program[Symbol.asyncDispose]();
  }
}

/** NaN where the system does not tell. */
function ownMegabytes(pid: number): number {
  try {
    const [, kilobytes] = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}

interface Request {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: (i: number) => string;
  readonly body?: string;
  readonly accept?: string;
}

function requestsOf(base: string, head: BlockHash, headers: number): Request[] {
  const object = 'application/json;blockheader-encoding=object';
  const somewhere = (i: number): number => (i * 7919) % headers;
  const branch = JSON.stringify({ upper: [head], lower: [] });
  const miner = JSON.stringify({ account: 'bench', predicate: 'keys-all', 'public-keys': ['aa'] });
  const chain = `${base}/chain/0`;
  return [
    { what: 'health-check', method: 'GET', path: () => '/health-check' },
    { what: 'mining/work', method: 'GET', path: () => `${base}/mining/work`, body: miner },
    { what: 'one header', method: 'GET', path: () => `${chain}/header/${head}` },
    { what: '360 headers', method: 'GET', path: (i) => `${chain}/header?minheight=${somewhere(i)}` },
    {
      what: '360 header objects',
      method: 'GET',
      path: (i) => `${chain}/header?minheight=${somewhere(i)}`,
      accept: object,
    },
    { what: '4096 hashes', method: 'GET', path: (i) => `${chain}/hash?minheight=${somewhere(i)}` },
    {
      what: 'branch of 360 from the head',
      method: 'POST',
      path: () => `${chain}/header/branch`,
      body: branch,
    },
    {
      what: 'branch of 360 from the middle',
      method: 'POST',
      path: (i) => `${chain}/header/branch?maxheight=${somewhere(i)}`,
      body: branch,
    },
  ];
}

async function measureAll(
  rootUrl: string,
  base: string,
  head: BlockHash,
  headers: number,
  seconds: number,
): Promise<NodeBenchRow[]> {
  const pool = new Pool(rootUrl, { connections: CONNECTIONS });
  const rows: NodeBenchRow[] = [];
  for (const request of requestsOf(base, head, headers)) {
    const { requestsPerSecond, p99Ms } = await measure(pool, request, seconds);
    const bare = rows[0]?.requestsPerSecond ?? requestsPerSecond;
    rows.push({ what: request.what, requestsPerSecond, ofBareHttp: requestsPerSecond / bare, p99Ms });
  }
  await pool.close();
  return rows;
}

async function measure(
  pool: Pool,
  request: Request,
  seconds: number,
): Promise<{ requestsPerSecond: number; p99Ms: number }> {
  const times: number[] = [];
  const from = performance.now();
  const end = from + seconds * 1000;
  let i = 0;
  const ask = async (): Promise<void> => {
    while (performance.now() < end) {
      const asked = performance.now();
      const answer = await pool.request({
        method: request.method,
        path: request.path(i++),
        headers: { accept: request.accept ?? '*/*', 'content-type': 'application/json' },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      await answer.body.dump({ limit: 64 * 1024 * 1024 });
      if (answer.statusCode !== 200) throw new Error(`${request.what} was answered ${answer.statusCode}`);
      times.push(performance.now() - asked);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const elapsedSeconds = (performance.now() - from) / 1000;
  times.sort((a, b) => a - b);
  return {
    requestsPerSecond: times.length / elapsedSeconds,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

function report(result: NodeBenchResult): void {
  const lines = [
    `development node, ${result.headers} headers on disk, ${CONNECTIONS} connections`,
    `fill ${result.fillMicrosPerHeader.toFixed(1)} us a header; open ${result.openMs.toFixed(0)} ms`,
    `own memory ${result.ownMegabytesAtStart.toFixed(0)} MB at start, ${result.ownMegabytesAtEnd.toFixed(0)} MB at the end`,
    '',
    `${'request'.padEnd(32)}${'a second'.padStart(10)}${'of bare'.padStart(10)}${'p99 ms'.padStart(10)}`,
    ...result.rows.map(
      (row) =>
        row.what.padEnd(32) +
        row.requestsPerSecond.toFixed(0).padStart(10) +
        row.ofBareHttp.toFixed(3).padStart(10) +
        row.p99Ms.toFixed(2).padStart(10),
    ),
    JSON.stringify({ bench: 'node', ...result }),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
