/** Histories of bridges that are processes: what happens to them, as plain data that fast-check makes from a seed. */
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
/** By the ledger's time. Shorter than a kill and a start last, longer than that, and longer than any history. */
const PATIENCES_MS = [15_000, 45_000, 60 * MINUTE_MS];
/** Of ours. */
const LONG_AWAY_MS = [500, 3_000, 7_000];

type Act = (world: World, machine: Machine, args: readonly number[]) => Promise<unknown> | unknown;

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
      world.find(machine, {
        account: world.accounts[account] ?? '',
        height: world.chain.next + above,
        difficulty: pays === 2 ? 300_000n : 100_000n,
        answer: ANSWERS[answer],
        ...{ reward: BigInt(pays) * COIN + 12_345n, fees: pays % 2 === 0 ? 0n : 777n },
      }),
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
    ...{ weight: 8, args: [CLOCK_ERRORS_MS.length], needs: ['down'] },
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
  /** Nobody reaches the ledger, and one more bridge may start meanwhile. */
  away: {
    ...{ weight: 2, args: [LONG_AWAY_MS.length] },
    act: (world, machine, [ms = 0]) => world.away(LONG_AWAY_MS[ms] ?? 0, machine),
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

const MOST_REST_MS = 600;
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
  const machine = world.machines[which % world.machines.length];
  if (machine && (!needs || needs.includes(machine.state))) await act(world, machine, args);
}
