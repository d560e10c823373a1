/**
 * Who searches which nonces: whatever happens, no two rigs and threads of all processes on one ledger are given the same nonces of
 * the same header. The code that deals them out is the real one: numbers become residues, jobs get times, sessions and threads lease.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { GROUPS_PER_INSTANCE, JobRoller, residueOfInstance } from '../../src/bridge/job-roller.js';
import { toHex } from '../../src/core/bytes/bytes.js';
import { TIME_RESIDUES } from '../../src/core/jobs/given-times.js';
import { JOB_BOOK_LIMITS, type Job, JobBook, jobNumbersOf } from '../../src/core/jobs/job.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { SILENT } from '../../src/core/names/log.js';
import { Seat } from '../../src/cpu/seat.js';
import { WorksIn } from '../../src/fleet/front/works-in.js';
import { FleetWorks } from '../../src/fleet/hub/fleet-works.js';
import { MAX_JOB_INTERVAL_MS } from '../../src/stratum/jobs/job-feed.js';
import { type Lease, NonceLeases } from '../../src/stratum/tenure/nonce-leases.js';
import { makeWork, type WorkOptions } from '../helpers/rigs/works.js';

const CHAINS = [3, 4];
const THREADS = 2;
const REST_MS = 330_000;
/** Values of nonce1. */
const ALL = 2 ** 16;
const GIVEN = 1_700_000_000_000_000n;

interface Rig {
  readonly name: string;
  lease: Lease;
  /** Of the newest job that it had, on each chain. */
  readonly had: Map<number, number>;
  leftAtMs: number | undefined;
}

/** What was given to whom: the nonces of one header with one nonce1, of which threads take a part at a time. */
class Searched {
  readonly #parts = new Map<string, { who: string; first: number; end: number }[]>();

  add(who: string, { header }: Job, nonce1: number, first = 0, length = 2 ** 48): void {
    const key = `${toHex(header)} ${nonce1}`;
    const parts = this.#parts.get(key) ?? [];
    const end = first + length;
    const other = parts.find((part) => part.first < end && first < part.end);
    if (other) throw new Error(`${who} searches again what ${other.who} does`);
    this.#parts.set(key, [...parts, { who, first, end }]);
  }
}

/** A bridge, a front or a hub: all that deals out nonces there. */
class Process {
  readonly name: string;
  readonly #index: number;
  readonly #nowMs: () => number;
  readonly #searched: Searched;
  number: number;
  #book!: JobBook;
  #roller!: JobRoller;
  #dispatcher!: Dispatcher;
  #space!: NonceSpace;
  #leases!: NonceLeases;
  #seats: Seat[] = [];
  readonly #rigs: Rig[] = [];
  /** Chain -> group -> the newest job there. */
  readonly #newest = new Map<number, Job[]>();
  /** Chain -> what the dispatcher gave to the CPU. */
  readonly #given = new Map<number, Job>();
  readonly #hub: FleetWorks;
  #works!: WorksIn;
  #named = 0;

  constructor(index: number, number: number, hub: FleetWorks, searched: Searched, nowMs: () => number) {
    [this.#index, this.number, this.#hub, this.#searched, this.#nowMs] = [
      index,
      number,
      hub,
      searched,
      nowMs,
    ];
    this.name = `process ${index}`;
    this.start();
  }

  /** A restart knows what the start before has kept of its jobs; rigs have their nonce1 again. */
  start(kept = undefined as JobBook['kept'] | undefined): void {
    const clock = { nowMs: this.#nowMs };
    const startedAtMs = Math.floor(this.#nowMs());
    this.#book = new JobBook(
      ...[jobNumbersOf(this.#index, startedAtMs), JOB_BOOK_LIMITS, residueOfInstance(this.number)],
      this.#nowMs,
    );
    this.#roller = new JobRoller(this.#book, clock);
    if (kept) this.#roller.knowFormer(this.#book.restore(kept, 0));
    this.#dispatcher = new Dispatcher(this.#book, createBridgeEvents(), {
      now: this.#nowMs,
      notBefore: (work) => this.#roller.nodeTime(work),
    });
    this.#dispatcher.addSink(this.#roller);
    this.#space = new NonceSpace(REST_MS);
    this.#leases = new NonceLeases(this.#space, GROUPS_PER_INSTANCE);
    for (const { lease } of this.#rigs) this.#leases.rest(lease, this.#nowMs() + REST_MS);
    for (const rig of this.#rigs) rig.lease = this.#leases.leaseAgain(rig.lease, this.#nowMs()) ?? rig.lease;
    const parts = { account: 'k:a', kernel: 'plain' as const, nonces: this.#space, clock, log: SILENT };
    this.#seats = Array.from({ length: THREADS }, (_, thread) => {
      return new Seat(thread, { ...parts, events: createBridgeEvents(), nextSessionId: () => 1 });
    });
    this.#newest.clear();
    this.#dispatcher.addSink({
      offerJob: (job) => this.#offer(job),
      retireChains: (chainIds) => {
        for (const chainId of chainIds) this.#newest.delete(chainId);
      },
    });
    this.#works = new WorksIn({
      sink: this.#dispatcher,
      aged: (work, ageMs) => this.#roller.aged(work, ageMs),
      moveTo: (number) => this.#book.moveTo(residueOfInstance(number)),
      renewJobs: () => this.#dispatcher.renewJobs(this.#nowMs()),
      booksClock: () => undefined,
    });
    this.#works.number(this.number);
    this.#hub.joined(this.#index, this.#works);
  }

  restart(): void {
    for (const seat of this.#seats) seat.leave('a restart');
    this.start(structuredClone(this.#book.kept));
  }

  /** Nothing is kept: its rigs are gone, and others have the same nonce1. */
  crash(): void {
    this.#rigs.length = 0;
    this.start();
  }

  /** So many rigs that the next but one begins a new group, in which values of nonce1 come again. */
  fill(): void {
    for (let i = 0; i < 4; i++) this.come();
    while (this.#space.leased < ALL - 1) this.#leases.lease(this.#nowMs());
  }

  moveTo(number: number): void {
    this.number = number;
    this.#works.number(number);
  }

  come(): void {
    const lease = this.#leases.lease(this.#nowMs());
    if (!lease) return;
    const rig: Rig = {
      ...{ name: `rig ${++this.#named} of ${this.name}`, lease },
      ...{ had: new Map(), leftAtMs: undefined },
    };
    this.#rigs.push(rig);
    for (const chainId of CHAINS) this.#turn(rig, chainId);
  }

  leave(which: number): void {
    const rig = this.#rigs[which % this.#rigs.length];
    if (!rig || rig.leftAtMs !== undefined) return;
    rig.leftAtMs = this.#nowMs();
    this.#leases.release(rig.lease, this.#nowMs());
  }

  /** It takes back what it had, or comes as another one. */
  comeBack(which: number): void {
    const at = which % this.#rigs.length;
    const rig = this.#rigs[at];
    if (!rig || rig.leftAtMs === undefined) return;
    const lease = this.#leases.leaseAgain(rig.lease, this.#nowMs());
    const isGone = this.#nowMs() - rig.leftAtMs >= REST_MS || !lease;
    if (isGone) {
      if (lease) this.#leases.release(lease, this.#nowMs());
      this.#rigs.splice(at, 1);
      return;
    }
    [rig.lease, rig.leftAtMs] = [lease, undefined];
    for (const chainId of CHAINS) this.#turn(rig, chainId);
  }

  /** As the board of jobs does when a rig is due: the newest job of its group, or a fresh one if it had that. */
  turn(which: number, chainId: number): void {
    const rig = this.#rigs[which % this.#rigs.length];
    if (rig && rig.leftAtMs === undefined) this.#turn(rig, chainId);
  }

  /** Some rig of each group was due meanwhile. */
  pass(): void {
    for (const [chainId, jobs] of this.#newest)
      for (const group of jobs.keys())
        jobs[group] = this.#roller.rollJob(chainId, group, false) ?? expect.fail();
  }

  mine(thread: number, chainId: number, count: number): void {
    const seat = this.#seats[thread];
    // The CPU leaves a chain only when that is over.
    const job = this.#newest.has(chainId) ? this.#given.get(chainId) : undefined;
    const part = job && chainId === CHAINS[thread] && seat?.take(job.header, count);
    if (job && part)
      this.#searched.add(
        `thread ${thread} of ${this.name}`,
        ...([job, part.nonce1, part.first, part.length] as const),
      );
  }

  threadDies(thread: number): void {
    this.#seats[thread]?.change('its thread died');
  }

  #offer(job: Job): void {
    const { chainId } = job.work;
    const rolled = Array.from({ length: this.#leases.groups - 1 }, (_, i) =>
      this.#roller.rollJob(chainId, i + 1, job.clean),
    );
    this.#given.set(chainId, job);
    this.#newest.set(chainId, [job, ...rolled.flatMap((variant) => variant ?? [])]);
    for (const rig of this.#rigs) if (rig.leftAtMs === undefined) this.#turn(rig, chainId);
  }

  #turn(rig: Rig, chainId: number): void {
    const { group, nonce1 } = rig.lease;
    const newest = this.#newest.get(chainId);
    const isNew = (newest?.[group]?.number ?? 0) > (rig.had.get(chainId) ?? 0);
    const job = isNew ? newest?.[group] : newest && this.#roller.rollJob(chainId, group, false);
    if (!job) return;
    if (newest) newest[group] = job;
    rig.had.set(chainId, job.number);
    this.#searched.add(rig.name, job, nonce1);
  }
}

const which = fc.nat(30);
const chain = fc.constantFrom(...CHAINS);
const step = fc.record({
  process: fc.nat(3),
  deed: fc.oneof(
    { weight: 4, arbitrary: fc.constant({ kind: 'come' as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), which }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('comeBack' as const), which }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const), which, chain }) },
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ kind: fc.constant('mine' as const), chain, thread: fc.nat(THREADS - 1) },
        count: fc.integer({ min: 1, max: 2 ** 47 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('threadDies' as const), thread: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('retire' as const), chain }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'move' as const }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(200_000) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ kind: fc.constant('work' as const), chain, node: fc.constantFrom('one', 'two') },
        ...{ payload: fc.nat(1), parent: fc.nat(1) },
      }),
    },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** All that deals out nonces on one ledger. Bridges there have the same nodes: to rigs it is as if one hub told all. */
class World {
  readonly hub: FleetWorks;
  readonly all: readonly Process[];
  #nowMs = 1_000_000;
  #next: number;

  constructor(first: number, isFull: boolean) {
    const nowMs = (): number => this.#nowMs;
    const searched = new Searched();
    this.#next = first;
    this.hub = new FleetWorks({ handsOut: () => true, nowMs });
    this.all = [0, 1, 2, 3].map((index) => new Process(index, this.#next++, this.hub, searched, nowMs));
    if (isFull) this.all[0]?.fill();
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    if (ms > MAX_JOB_INTERVAL_MS) for (const each of this.all) each.pass();
  }

  /** To a number that nobody had, where there is one. */
  move(process: Process): void {
    if (this.#next < TIME_RESIDUES / GROUPS_PER_INSTANCE) process.moveTo(this.#next++);
  }

  /** A node stamps a work by its clock when it hands it out. */
  work(options: WorkOptions, node: string): void {
    this.hub.offerWork(makeWork({ ...options, creationTime: GIVEN + 1000n * BigInt(this.#nowMs) }), node);
  }
}

function carryOut({ deed, process: index }: Step, world: World): void {
  const process = world.all[index] ?? expect.fail();
  switch (deed.kind) {
    case 'come':
      process.come();
      break;
    case 'leave':
      process.leave(deed.which);
      break;
    case 'comeBack':
      process.comeBack(deed.which);
      break;
    case 'turn':
      process.turn(deed.which, deed.chain);
      break;
    case 'mine':
      process.mine(deed.thread, deed.chain, deed.count);
      break;
    case 'threadDies':
      process.threadDies(deed.thread);
      break;
    case 'retire':
      world.hub.retireWork(deed.chain);
      break;
    case 'restart':
      process.restart();
      break;
    case 'crash':
      process.crash();
      break;
    case 'move':
      world.move(process);
      break;
    case 'pass':
      world.pass(deed.ms);
      break;
    case 'work': {
      const { chain: chainId, node, payload, parent } = deed;
      world.work({ chainId, payload, parent }, node);
    }
  }
}

it('nobody is given nonces that another searches, over fronts, bridges and threads, whatever comes', () => {
  const plan = fc.record({
    /** Residues of neighbours follow each other: four processes, and those that they move to. */
    first: fc.nat(127 - 20),
    isFull: fc.boolean(),
    steps: fc.array(step, { minLength: 20, maxLength: 150 }),
  });
  fc.assert(
    fc.property(plan, ({ first, isFull, steps }) => {
      const world = new World(first, isFull);
      for (const each of steps) {
        // A start takes a while, and numbers its jobs by the time.
        world.pass(300);
        carryOut(each, world);
      }
    }),
    { numRuns: 100, seed: 18 },
  );
});
