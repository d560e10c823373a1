/** Histories of bridges that are processes: what happens to them, as plain data that fast-check makes from a seed. */
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { SolutionState } from '../../../../src/bridge/ports.js';
import type { Machine } from './machine.js';
import type { World } from './world.js';

const MOST_MACHINES = 3;
const COIN = 10n ** 12n;
const MINUTE_MS = 60_000;
const CLOCK_ERRORS_MS = [0, 0, -45_000, 45_000];
const ANSWERS: readonly (SolutionState | undefined)[] = [
  'received',
  'received',
  'received',
  'refused',
  'lost',
];
/** By the ledger's time. Shorter than many a bridge is down for, longer than that, and longer than any history. */
const PATIENCES_MS = [MINUTE_MS, 150_000, 60 * MINUTE_MS];
/** Of ours. */
const LONG_AWAY_MS = [500, 3_000, 7_000];

type Act = (world: World, machine: Machine, args: readonly number[]) => Promise<unknown> | unknown;

/** What becomes of one bridge while nobody reaches the ledger. */
const MEANWHILE = ['nothing', 'restarts', 'dies', 'dies'] as const;

interface Kind {
  readonly weight: number;
  /** Each below its number. */
  readonly args: readonly number[];
  /** What its machine has to be. */
  readonly needs?: readonly Machine['state'][];
  readonly act: Act;
}

const KINDS = {
  nothing: { weight: 4, args: [], act: () => undefined },
  find: {
    ...{ weight: 16, args: [3, 3, 6, 5], needs: ['up'] },
    act: (world, machine, [account = 0, above = 0, answer = 0, pays = 0]) =>
      find(world, machine, account, above, { answer: ANSWERS[answer], pays }),
  },
  decide: { weight: 6, args: [3], act: (world, _machine, [which = 0]) => world.decide(which) },
  revert: { weight: 1, args: [2], act: (world, _machine, [count = 0]) => world.revert(1 + count) },
  kill: {
    weight: 5,
    args: [],
    needs: ['starting', 'up', 'stopping'],
    act: (_world, machine) => machine.kill(),
  },
  stop: { weight: 3, args: [], needs: ['up'], act: (_world, machine) => machine.stop() },
  start: {
    ...{ weight: 6, args: [CLOCK_ERRORS_MS.length], needs: ['down'] },
    act: (_world, machine, [error = 0]) => machine.start(CLOCK_ERRORS_MS[error] ?? 0),
  },
  /** Killed, and started at once. */
  restart: {
    ...{ weight: 4, args: [CLOCK_ERRORS_MS.length], needs: ['up'] },
    act: async (_world, machine, [error = 0]) => {
      await machine.kill();
      machine.start(CLOCK_ERRORS_MS[error] ?? 0);
    },
  },
  cutOff: { weight: 4, args: [], act: (_world, machine) => machine.cutOff() },
  connect: { weight: 6, args: [], act: (_world, machine) => machine.connect() },
  killPostgres: { weight: 3, args: [], act: (world) => world.killPostgres() },
  away: {
    ...{ weight: 5, args: [LONG_AWAY_MS.length, 2, MEANWHILE.length] },
    act: (world, machine, [ms = 0, empties = 0, what = 0]) =>
      away(world, machine, {
        ms: LONG_AWAY_MS[ms] ?? 0,
        empties: empties === 1,
        meanwhile: MEANWHILE[what] ?? 'nothing',
      }),
  },
  leaveBehind: {
    ...{ weight: 4, args: [3], needs: ['up'] },
    act: (world, machine, [account = 0]) => leaveBehind(world, machine, account),
  },
  killRedis: { weight: 3, args: [], act: (world) => world.servers.killRedis() },
  startRedis: { weight: 6, args: [], act: (world) => world.servers.startRedis() },
  emptyRedis: { weight: 2, args: [], act: (world) => world.emptyQueue() },
} satisfies Record<string, Kind>;

type StepName = keyof typeof KINDS;

/** After a rest: name of a step, which machine, and what else. What cannot happen then does not. */
export type Step = readonly [restMs: number, name: StepName, machine: number, ...args: number[]];

export interface History {
  readonly machines: number;
  readonly queue: 'postgres' | 'redis';
  readonly patienceMs: number;
  /** At which it begins, of an hour. */
  readonly second: number;
  readonly steps: readonly Step[];
}

const MOST_REST_MS = 500;
const STEPS = { minLength: 12, maxLength: 28, size: 'max' } as const;

const step = fc.oneof(
  ...(Object.entries(KINDS) as [StepName, Kind][]).map(([name, { weight, args }]) => ({
    weight,
    arbitrary: fc.tuple(
      ...[fc.nat(MOST_REST_MS), fc.constant(name), fc.nat(MOST_MACHINES - 1)],
      ...args.map((below) => fc.nat(below - 1)),
    ),
  })),
) as unknown as fc.Arbitrary<Step>;

const histories: fc.Arbitrary<History> = fc.record({
  machines: fc.integer({ min: 2, max: MOST_MACHINES }),
  queue: fc.constantFrom('postgres', 'redis'),
  patienceMs: fc.constantFrom(...PATIENCES_MS),
  second: fc.nat(3599),
  steps: fc.array(step, STEPS),
});

/** The same whenever it is asked for. */
export function historyOf(seed: number): History {
  const [history] = fc.sample(histories, { seed, numRuns: 1 });
  if (!history) throw new Error('no history');
  return history;
}

export async function take(world: World, [, name, which, ...args]: Step): Promise<void> {
  const { act, needs }: Kind = KINDS[name];
  const fitting = world.machines.filter(({ state }) => !needs || needs.includes(state));
  const machine = fitting[which % fitting.length];
  if (machine) await act(world, machine, args);
}

interface Found {
  readonly answer: SolutionState | undefined;
  readonly pays: number;
}

/** At the first height that is not decided yet, or above it. */
function find(world: World, machine: Machine, account: number, above: number, { answer, pays }: Found): void {
  world.find(machine, {
    account: world.accounts[account] ?? '',
    height: world.chain.next + above,
    difficulty: pays === 2 ? 300_000n : 100_000n,
    ...{ answer, reward: BigInt(pays) * COIN + 12_345n, fees: pays % 2 === 0 ? 0n : 777n },
  });
}

/** One comes back later than the others, and before settlement may go on without it. */
const LATER_MS = 300;
/** More than a lease and the shortest patience. */
const GIVEN_UP_MS = 6_000;

interface Away {
  readonly ms: number;
  /** What waits in the queue is lost. */
  readonly empties: boolean;
  readonly meanwhile: (typeof MEANWHILE)[number];
}

/** Nobody reaches the ledger for so long. Who dies has shipped a solution, of which the ledger hears from others. */
async function away(world: World, machine: Machine, { ms, empties, meanwhile }: Away): Promise<void> {
  const others = world.machines.filter((one) => one !== machine);
  const connect = await world.loseLedger();
  await pause(ms / 2);
  if (empties) await world.emptyQueue();
  const dies = meanwhile === 'dies' && machine.state === 'up';
  if (dies) find(world, machine, 0, 0, { answer: 'received', pays: 1 });
  if (meanwhile === 'restarts') {
    await machine.kill();
    machine.start(0);
  }
  await pause(ms / 4);
  const finder = others.find(({ state }) => state === 'up');
  if (finder && !dies) find(world, finder, 1, 0, { answer: 'received', pays: 4 });
  await pause(ms / 4);
  await connect(others);
  await pause(LATER_MS);
  if (dies) await machine.kill();
  await connect([machine]);
  if (dies) await pause(GIVEN_UP_MS);
}

/** It dies with shares that it could not ship, and the others find blocks until nobody waits for it. */
async function leaveBehind(world: World, machine: Machine, account: number): Promise<void> {
  await machine.cutOff();
  await world.servers.killRedis();
  await pause(LATER_MS);
  await machine.kill();
  await world.servers.startRedis();
  await machine.connect();
  const other = world.machines.find(({ state }) => state === 'up');
  if (other) find(world, other, account, 0, { answer: 'received', pays: 3 });
  await pause(GIVEN_UP_MS);
  if (other?.state === 'up') find(world, other, account, 1, { answer: 'received', pays: 4 });
}
