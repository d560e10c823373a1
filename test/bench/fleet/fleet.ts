/**
 * One bridge in many processes: jobs at all rigs, durable submits, memory, how evenly rigs are spread, and how long it takes until
 * the rigs of a front that was killed are back. Beside it a bare `ws` loop in one process, on as many rigs, in the same run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { Peer, quantiles } from '../stratum/stratum-subject.js';
import type { FleetOptions } from './fleet-hub.js';

const FRONTS = [1, 2, 4, 8];
const RIGS = 10_000;
/** As many as a process may have open, less what it needs itself. */
const RIGS_A_LOAD = 18_000;
/** Two at the least: what reads must not be slower than what writes. */
const LEAST_LOADS = 2;
const FAN_OUTS = 10;
const SUBMIT_MS = 3000;
const SOLUTIONS_MS = 12_000;
const WORK_EVERY_MS = 400;

interface Row {
  readonly name: string;
  readonly rigs: number;
  readonly jobP99Ms: number;
  readonly perSecond: number;
  readonly solutionP50Ms: number;
  readonly solutionP99Ms: number;
  readonly kilobytesPerRig: number;
  /** The most sessions of a front to the fewest. */
  readonly spread: number;
  /** Until all rigs of a killed front had a job again. */
  readonly backSeconds: number;
}

export async function benchFleet(): Promise<Row[]> {
  const rows: Row[] = [];
  rows.push(await measureBare(RIGS));
  for (const fronts of FRONTS) rows.push(await measureFleet(fronts, RIGS));
  rows.push(await measureBare(30_000), await measureFleet(4, 30_000), await measureFleet(8, 100_000));
  print(rows);
  return rows;
}

/** Some processes with the rigs between them, each from an address of its own. */
class Loads implements AsyncDisposable {
  readonly #peers: readonly Peer[];

  private constructor(peers: readonly Peer[]) {
    this.#peers = peers;
  }

  static async open(port: number, rigs: number, isReady: boolean): Promise<Loads> {
    const count = Math.max(LEAST_LOADS, Math.ceil(rigs / RIGS_A_LOAD));
    const peers = await Promise.all(Array.from({ length: count }, () => Peer.start('fleetLoad')));
    await Promise.all(
      peers.map((peer, i) => peer.call('open', port, `127.0.0.${i + 2}`, Math.ceil(rigs / count), isReady)),
    );
    return new Loads(peers);
  }

  async all<T>(call: string, ...args: readonly unknown[]): Promise<T[]> {
    return Promise.all(this.#peers.map((peer) => peer.call<T>(call, ...args)));
  }

  /** Milliseconds from the call of the server to the frame at each rig. */
  async arrivals(server: Peer, round: number): Promise<number[]> {
    const armed = this.#peers.map((peer) => peer.callArmed<number[]>('awaitFrames'));
    await Promise.all(armed.map(({ armed: isArmed }) => isArmed));
    const { startedNs } = await server.call<{ startedNs: number }>('fanOut', round);
    const arrivals = await Promise.all(armed.map(({ result }) => result));
    return arrivals.flat().map((atNs) => (atNs - startedNs) / 1e6);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) await peer[Symbol.asyncDispose]();
  }
}

async function jobP99(server: Peer, loads: Loads): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < FAN_OUTS; round++) {
    const arrivals = await loads.arrivals(server, round);
    // The first rounds warm the code up.
    if (round >= 2) all.push(quantiles(arrivals).p99);
    await sleep(300);
  }
  return quantiles(all).p50;
}

async function submits(loads: Loads): Promise<number> {
  const done = await loads.all<{ perSecond: number; refused: number }>('submit', SUBMIT_MS);
  const refused = done.reduce((sum, each) => sum + each.refused, 0);
  if (refused > 0) throw new Error(`${refused} submits were refused`);
  return done.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

async function measureBare(rigs: number): Promise<Row> {
  // One process holds no more.
  const count = Math.min(rigs, RIGS_A_LOAD);
  await using server = await Peer.start('bare');
  const before = await server.call<number>('rssBytes');
  await using loads = await Loads.open(await server.call<number>('port'), count, false);
  const kilobytesPerRig = ((await server.call<number>('rssBytes')) - before) / count / 1024;
  const jobP99Ms = (await jobP99(server, loads)) * (rigs / count);
  const perSecond = await submits(loads);
  const name = count === rigs ? 'bare ws loop' : `bare ws loop, from ${count}`;
  return { name, rigs, jobP99Ms, perSecond, kilobytesPerRig, ...NOTHING };
}

const NOTHING = {
  solutionP50Ms: Number.NaN,
  solutionP99Ms: Number.NaN,
  spread: Number.NaN,
  backSeconds: Number.NaN,
};

/** Milliseconds from the verdict on a solution to its arrival at the node, while all rigs submit: the first of each work goes from its front. */
async function solutionWaits(hub: Peer, node: Peer, loads: Loads): Promise<number[]> {
  await hub.call('found');
  const submitting = loads.all('submit', SOLUTIONS_MS);
  for (let sinceMs = 0; sinceMs < SOLUTIONS_MS; sinceMs += WORK_EVERY_MS) {
    await hub.call('newCut');
    await sleep(WORK_EVERY_MS);
  }
  await submitting;
  const found = new Map(await hub.call<[string, number][]>('found'));
  const arrivals = await node.call<[string, number][]>('arrivals');
  return arrivals.flatMap(([header, atNs]) => {
    const foundNs = found.get(header);
    return foundNs === undefined ? [] : [(atNs - foundNs) / 1e6];
  });
}

async function measureFleet(fronts: number, rigs: number): Promise<Row> {
  const postgres = await startTestPostgres();
  try {
    await using node = await Peer.start('fleetNode');
    const nodeUrl = await node.call<string>('url');
    const options: FleetOptions = { fronts, databaseUrl: postgres.connectionString, nodeUrl };
    await using hub = await Peer.start('fleet', options);
    await sleep(2000);
    const before = await hub.call<number>('rssBytes');
    await using loads = await Loads.open(await hub.call<number>('port'), rigs, true);
    await sleep(2500);
    const kilobytesPerRig = ((await hub.call<number>('rssBytes')) - before) / rigs / 1024;
    const sessions = await hub.call<number[]>('sessions');
    const spread = Math.max(...sessions) / Math.min(...sessions);
    const jobP99Ms = await jobP99(hub, loads);
    await hub.call('newCut');
    await sleep(1000);
    const perSecond = await submits(loads);
    const solutions = quantiles(await solutionWaits(hub, node, loads));
    const killedNs = await hub.call<number>('killOne');
    await sleep(1000);
    const backNs = Math.max(...(await loads.all<number>('allBack')));
    await hub.call('close');
    return {
      ...{ name: `${fronts} fronts`, rigs, jobP99Ms, perSecond, kilobytesPerRig, spread },
      ...{ solutionP50Ms: solutions.p50, solutionP99Ms: solutions.p99 },
      backSeconds: (backNs - killedNs) / 1e9,
    };
  } finally {
    await postgres.close();
  }
}

function print(rows: readonly Row[]): void {
  const bareOf = (rigs: number): Row | undefined =>
    rows.find((row) => row.name.startsWith('bare') && row.rigs === rigs);
  const lines = rows.map((row) => {
    const { name, rigs, jobP99Ms, perSecond, solutionP50Ms, solutionP99Ms } = row;
    const { kilobytesPerRig, spread, backSeconds } = row;
    const ratio = jobP99Ms / (bareOf(rigs)?.jobP99Ms ?? Number.NaN);
    const solutions = [solutionP50Ms, solutionP99Ms];
    const figures = [jobP99Ms, ratio, perSecond, ...solutions, kilobytesPerRig, spread, backSeconds];
    return `| ${name} | ${rigs} | ${figures.map(show).join(' | ')} |`;
  });
  process.stdout.write(
    [
      '| | rigs | job p99, ms | of the bare loop | durable submits a second | solution judged to at the node, p50, ms | p99, ms | kB a rig | most / fewest | all back, s |',
      '|---|---|---|---|---|---|---|---|---|---|',
      ...lines,
      '',
      'bars: 0.7 of the bare loop with two fronts at 10,000; 15 kB; 1.2; 10 s',
      JSON.stringify(rows),
      '',
    ].join('\n'),
  );
}

function show(value: number): string {
  if (Number.isNaN(value)) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
