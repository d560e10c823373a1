/** Histories: what happens to bridges, queue, ledger, clocks and disks, as plain data that fast-check makes and makes shorter. */
import fc from 'fast-check';
import type { Machine } from './bridge.js';
import type { World } from './world.js';

export const ACCOUNTS = ['k:a', 'k:b', 'k:c', ''] as const;
const COIN = 10n ** 12n;

type Args = readonly number[];
type Act = (world: World, machine: Machine, args: Args) => Promise<unknown>;

/** Name of a step, which machine, and what else. What cannot happen then does not. */
export type Step = readonly [name: StepName, machine: number, ...args: number[]];

interface Kind {
  /** So often, among all. */
  readonly weight: number;
  /** Each below its number. */
  readonly args: Args;
  /** Whether its machine has to run. */
  readonly needs?: 'up' | 'down';
  readonly act: Act;
}

const BACK = 5;
const CLOCK_ERRORS_MS = [0, -45_000, 45_000, -3_000, 3_000, 600_000];
const PASSES_MS = [1, 700, 4_000, 10_000, 17_000, 31_000, 45_000, 95_000];
const WORK = [1_000n, 2_500n, 7_777n, 40_000n];

const KINDS = {
  share: {
    ...{ weight: 16, args: [ACCOUNTS.length, WORK.length], needs: 'up' },
    act: (world, machine, [account = 0, work = 0]) =>
      world.accept(machine, ACCOUNTS[account] ?? '', WORK[work] ?? 1n),
  },
  /** The first height that is not decided yet, or the one above; its node answers at once, later, or never. */
  solve: {
    ...{ weight: 8, args: [ACCOUNTS.length, 3, 6, 5], needs: 'up' },
    act: async (world, machine, [account = 0, above = 0, answer = 0, pays = 0]) => {
      const income = { reward: BigInt(pays) * COIN + 12_345n, fees: pays % 2 === 0 ? 0n : 777n };
      const difficulty = pays === 2 ? 30_000n : 10_000n;
      const height = world.chain.next + above;
      const block = await world.find(machine, ACCOUNTS[account] ?? '', height, difficulty, income);
      const state = (['received', 'received', 'received', 'refused', 'lost'] as const)[answer];
      if (state) await world.answer(machine, block, state);
    },
  },
  pass: {
    ...{ weight: 12, args: [PASSES_MS.length] },
    act: (world, _machine, [ms = 0]) => world.pass(PASSES_MS[ms] ?? 1),
  },
  ship: { weight: 10, args: [3], needs: 'up', act: (world, machine, [n = 0]) => world.ship(machine, 1 + n) },
  ask: { weight: 6, args: [], needs: 'up', act: (world, machine) => world.ask(machine) },
  book: {
    ...{ weight: 12, args: [4, 3, 4] },
    act: (world, _machine, [from = 0, count = 0, stays = 0]) => world.book(from, 1 + count, stays === 0),
  },
  turn: { weight: 10, args: [], act: (world) => world.turn() },
  /** All is well for a while. */
  round: {
    ...{ weight: 8, args: [3] },
    act: async (world, _machine, [times = 0]) => {
      for (let left = 1 + times; left > 0; left--) await round(world);
    },
  },
  /** All is well for this bridge alone: nobody hears of the others, and patience with them runs out. */
  alone: {
    ...{ weight: 8, args: [12], needs: 'up' },
    act: async (world, machine, [times = 0]) => {
      for (const other of world.machines) other.isConnected = other === machine;
      for (let left = 1 + times; left > 0; left--) await round(world, machine);
    },
  },
  decide: { weight: 8, args: [3], act: (world, _machine, [which = 0]) => world.decide(which) },
  revert: { weight: 2, args: [2], act: (world, _machine, [count = 0]) => world.revert(1 + count) },
  keepUp: { weight: 1, args: [], act: (world) => world.keepUp() },
  crash: { weight: 4, args: [], needs: 'up', act: (_world, machine) => machine.crash() },
  stop: { weight: 2, args: [], needs: 'up', act: (world, machine) => world.stop(machine) },
  start: {
    ...{ weight: 7, args: [CLOCK_ERRORS_MS.length], needs: 'down' },
    act: (world, machine, [error = 0]) => world.start(machine, CLOCK_ERRORS_MS[error] ?? 0),
  },
  /** Killed, and started at once. */
  restart: {
    ...{ weight: 4, args: [CLOCK_ERRORS_MS.length], needs: 'up' },
    act: async (world, machine, [error = 0]) => {
      await machine.crash();
      await world.start(machine, CLOCK_ERRORS_MS[error] ?? 0);
    },
  },
  outage: {
    ...{ weight: 3, args: [PASSES_MS.length] },
    act: async (world, _machine, [ms = 0]) => {
      world.isLedgerUp = false;
      await world.pass(PASSES_MS[ms] ?? 1);
      world.isLedgerUp = true;
    },
  },
  ledger: {
    ...{ weight: 5, args: [BACK] },
    act: async (world, _machine, [back = 0]) => {
      world.isLedgerUp = back > 1;
    },
  },
  queue: {
    ...{ weight: 4, args: [BACK] },
    act: async (world, _machine, [back = 0]) => {
      world.isQueueUp = back > 1;
    },
  },
  cutOff: {
    ...{ weight: 4, args: [BACK] },
    act: async (_world, machine, [back = 0]) => {
      machine.isConnected = back > 1;
    },
  },
  lose: { weight: 2, args: [], act: async (world) => world.loseQueue() },
  sleep: {
    ...{ weight: 2, args: [PASSES_MS.length], needs: 'up' },
    act: (world, machine, [ms = 0]) => world.pass(PASSES_MS[ms] ?? 1, machine),
  },
  /** Its clock goes wrong, until it hears the time of the ledger once more. */
  drift: {
    ...{ weight: 3, args: [CLOCK_ERRORS_MS.length], needs: 'up' },
    act: async (_world, machine, [error = 0]) => {
      machine.aheadMs += CLOCK_ERRORS_MS[error] ?? 0;
    },
  },
  burn: {
    ...{ weight: 1, args: [] },
    act: async (world, machine) => {
      // One stays, by which all is brought to its end.
      if (machine !== world.machines[0] && !machine.isGone) machine.burn();
    },
  },
  /** Nobody runs for hours, or for days. */
  leap: {
    ...{ weight: 1, args: [70] },
    act: async (world, _machine, [hours = 0]) => {
      for (const machine of world.machines) if (machine.isUp) await world.stop(machine);
      await world.pass((1 + hours) * 3_600_000);
    },
  },
} satisfies Record<string, Kind>;

export type StepName = keyof typeof KINDS;

/** @param weights instead of those that steps have. */
export function steps(
  machines: number,
  maxLength: number,
  weights: Partial<Record<StepName, number>> = {},
): fc.Arbitrary<Step[]> {
  const each = (Object.entries(KINDS) as [StepName, Kind][]).map(([name, { weight, args }]) => ({
    weight: weights[name] ?? weight,
    arbitrary: fc.tuple(fc.constant(name), fc.nat(machines - 1), ...args.map((below) => fc.nat(below - 1))),
  }));
  return fc.array(fc.oneof(...each) as fc.Arbitrary<Step>, { minLength: 5, maxLength, size: 'max' });
}

export async function take(world: World, [name, which, ...args]: Step): Promise<void> {
  const { act, needs }: Kind = KINDS[name];
  const machine = world.machines[which];
  if (!machine || (needs && (machine.isGone || machine.isUp !== (needs === 'up')))) return;
  await act(world, machine, args);
}

/** Ten seconds in which all that can be shipped is booked. @param alone of this bridge. */
async function round(world: World, alone?: Machine): Promise<void> {
  await world.pass(10_000);
  for (const machine of alone ? [alone] : world.machines.filter(({ isUp }) => isUp)) {
    await world.ask(machine);
    await world.shipAll(machine);
  }
  await world.bookAll();
  await world.turn();
}

/** Of ten seconds: nobody took a turn meanwhile, and nothing is split in the first 30 s after that. */
const CALM_TURNS = 4;
/** More than a period of pay per share, than any clock was fast, and than a log is to be silent before it may be given up. */
const LONG_MS = 660_000;

/** All is back, and time passes until nobody waits for anything. Resolves with the one that runs. */
export async function bringBack(world: World): Promise<Machine> {
  world.isLedgerUp = true;
  world.isQueueUp = true;
  const living = world.machines.filter(({ isGone }) => !isGone);
  for (const machine of living) {
    machine.isConnected = true;
    if (!machine.isUp) await world.start(machine, 0);
  }
  for (let left = 2; left > 0; left--) await round(world);
  const [last, ...others] = living;
  if (!last) throw new Error('nobody is left');
  for (const machine of others) await world.stop(machine);
  await world.bookAll();
  await world.pass(LONG_MS);
  await world.giveUp(await world.waitedFor(last.logs));
  await calm(world, last);
  return last;
}

/** All blocks are decided, and all periods paid. */
export async function bringToEnd(world: World, last: Machine, isPps: boolean): Promise<void> {
  await endRound(world, last);
  if (!isPps) return;
  await world.pass(LONG_MS);
  await calm(world, last);
}

/** By a last block, which is there for what no other was paid for; and all of them are decided. */
async function endRound(world: World, last: Machine): Promise<void> {
  const highest = Math.max(world.chain.next, ...world.truth.blocks.map(({ height }) => height + 1));
  const block = await world.find(last, 'k:a', highest, 10_000n, { reward: 7n * COIN, fees: 999n });
  await world.answer(last, block, 'received');
  while (world.chain.next <= highest) await world.decide(0);
  await calm(world, last);
}

async function calm(world: World, last: Machine): Promise<void> {
  for (let left = CALM_TURNS; left > 0; left--) {
    await world.pass(10_000);
    if (left === 1) await world.shipAll(last);
    await world.bookAll();
    await world.turn();
  }
}
