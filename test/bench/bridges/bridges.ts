/**
 * Rigs at one process, at two and at four, beside a bare `ws` server and a loop of `send` in C with as many of them. On two cores four
 * processes show that it holds, and what it costs of the processor, and no time.
 */
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { serveHttp } from '../../helpers/web/http.js';
import { Crowd } from './crowd.js';
import { SendLoop } from './send-loop.js';

const RIGS = 10_000;
const MANY_RIGS = 30_000;
const DURABLE_RIGS = 8_000;
const FAN_OUTS = 14;
const WARM_UP = 2;
const SUBMIT_ROUNDS = 3;

export async function benchBridges(): Promise<void> {
  for (const measure of [measureSome, measureMany, measureDurable])
    process.stdout.write(`${(await measure()).join('\n')}\n\n`);
}

async function measureSome(): Promise<string[]> {
  process.stdout.write(
    `${RIGS} rigs over WebSocket at 1, 2 and 4 processes, a bare ws server and a loop of send\n`,
  );
  await using bare = await Crowd.start('bare ws', 'bare', 1, RIGS);
  await using one = await Crowd.start('1 process', 'stratum', 1, RIGS);
  await using two = await Crowd.start('2 processes', 'stratum', 2, RIGS);
  await using four = await Crowd.start('4 processes', 'stratum', 4, RIGS);
  const loop = await SendLoop.start(RIGS);
  await using inC = loop && (await Crowd.ofLoop(loop, RIGS));
  const all = [bare, one, two, four, ...(inC ? [inC] : [])];
  await inTurns(all);
  for (let round = 0; round < SUBMIT_ROUNDS; round++)
    for (const each of [bare, one, two]) await each.submit(RIGS, 1);
  return [
    ...tableOf(all),
    bar(
      'processor a job and rig, two processes, of one',
      two.processorAJobAndRig / one.processorAJobAndRig,
      1.1,
    ),
    bar("last rig's job (99th percentile) with two processes, of one", two.p99Ms / one.p99Ms, 0.75),
    bar('job at the rigs with one process, p99, of the bare ws loop', one.p99Ms / bare.p99Ms, 1),
    bar('memory a rig with two processes, kB', two.kilobytesARig, 20),
    ...(inC ? [bar('job at the rigs, p99, of a loop of send in C', one.p99Ms / inC.p99Ms, 1.5)] : []),
    row('submits a second, bare ws, one and two processes', bare, one, two),
  ];
}

async function measureMany(): Promise<string[]> {
  process.stdout.write(`${MANY_RIGS} rigs at 2 and 4 processes\n`);
  await using two = await Crowd.start('2 processes', 'stratum', 2, MANY_RIGS);
  await using four = await Crowd.start('4 processes', 'stratum', 4, MANY_RIGS);
  await inTurns([two, four]);
  return tableOf([two, four]);
}

async function measureDurable(): Promise<string[]> {
  process.stdout.write(
    `${DURABLE_RIGS} rigs with a submit under way each, answered when it is on the disk\n`,
  );
  const postgres = await startTestPostgres();
  try {
    await using node = await serveHttp((_request, response) => response.writeHead(204).end());
    const { connectionString } = postgres;
    const parts = {
      connection: { backend: 'postgres', connectionString },
      databaseUrl: connectionString,
      nodeUrl: node.url,
    } as const;
    await using bare = await Crowd.start('bare ws', 'bare', 1, DURABLE_RIGS);
    await using one = await Crowd.start('1 process', 'durable', 1, DURABLE_RIGS, parts);
    await using two = await Crowd.start('2 processes', 'durable', 2, DURABLE_RIGS, parts);
    for (let round = 0; round < SUBMIT_ROUNDS; round++)
      for (const each of [bare, one, two]) await each.submit(DURABLE_RIGS, 1);
    return [row('durable submits a second, bare ws echo, one and two processes', bare, one, two)];
  } finally {
    await postgres.close();
  }
}

/** Other load on the machine takes from all alike. */
async function inTurns(all: readonly Crowd[]): Promise<void> {
  for (let round = 0; round < FAN_OUTS; round++)
    for (const each of all) await each.fanOut(round, round >= WARM_UP);
}

function tableOf(all: readonly Crowd[]): string[] {
  return [
    '| | job at the rigs, p99 ms | processor a job and rig, us | memory a rig, kB |',
    '|---|---|---|---|',
    ...all.map((each) => {
      const [processor, memory] = each.memoryBytes > 0 ? [each.processorAJobAndRig, each.kilobytesARig] : [];
      return `| ${each.name} | ${show(each.p99Ms)} | ${show(processor)} | ${show(memory)} |`;
    }),
    '',
  ];
}

function bar(name: string, value: number, most: number): string {
  return `${name}: ${show(value)}, bar: at most ${most}${value > most ? ': **missed**' : ''}`;
}

function row(name: string, bare: Crowd, one: Crowd, two: Crowd): string {
  const [first, second] = [one, two].map((each) => each.submitsPerSecond / bare.submitsPerSecond);
  return `${name}: ${[bare, one, two].map((each) => Math.round(each.submitsPerSecond)).join(', ')} (${show(first)} and ${show(second)} of the bare one)`;
}

function show(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(2);
}
