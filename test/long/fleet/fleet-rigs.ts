/**
 * Rigs of the week of a fleet, in a process of their own: one of two, as a process may open 20,000 files. Its argument is a {@link Load}
 * as JSON. Asked `look` it says how its rigs do; asked `stop` it mines no more, waits for the last answers, and says what became of all.
 */

import { Random } from '../../helpers/fuzz/random.js';
import { until } from '../../helpers/until.js';
import { FleetRig, type FoundBlock, type Tally } from './fleet-rig.js';

export interface Load {
  readonly port: number;
  /** Number of the first rig, and how many. */
  readonly first: number;
  readonly count: number;
  /** Of all of them together. */
  readonly sharesPerSecond: number;
  readonly seed: number;
}

export interface Look {
  /** Rigs that have a job. */
  readonly working: number;
  readonly taken: number;
  readonly lost: number;
  /** Since it was looked last. */
  readonly longestAwayMs: number;
}

export interface Told extends Look {
  readonly sent: number;
  readonly sentAgain: number;
  readonly asked: number;
  readonly gaveUp: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly refusedAgain: Readonly<Record<string, number>>;
  readonly blocks: readonly FoundBlock[];
  /** Login -> shares that were answered `true`, and those of which nobody knows. */
  readonly rigs: Readonly<Record<string, readonly [taken: number, uncertain: number]>>;
}

export const ACCOUNTS = 50;
const TICK_MS = 20;
/** Addresses of the loopback network that rigs come from. */
const ADDRESSES = 20;

const load = JSON.parse(process.argv[2] ?? '{}') as Load;
const random = new Random(load.seed + load.first);
const tally: Tally = {
  ...{ sent: 0, sentAgain: 0, lost: 0, asked: 0, gaveUp: 0, longestAwayMs: 0 },
  ...{ refused: new Map(), refusedAgain: new Map(), blocks: [] },
};
const rigs = Array.from({ length: load.count }, (_, i) => rigOf(load.first + i));
let isStopping = false;

process.on('disconnect', () => process.exit(1));
process.on('message', async (asked: 'look' | 'stop') => {
  process.send?.(asked === 'look' ? look() : await stop());
});

for (const [i, rig] of rigs.entries()) setTimeout(() => rig.come(), i);
const timer = setInterval(mine, TICK_MS);

function rigOf(number: number): FleetRig {
  const account = `k:${(number % ACCOUNTS).toString(16).padStart(64, 'a')}`;
  const plan = {
    ...{ port: load.port, login: `${account}.rig${number}` },
    localAddress: `127.0.${2 + (load.first === 0 ? 0 : 1)}.${1 + (number % ADDRESSES)}`,
    ...{ takesReconnect: number % 2 === 1, sendsAgain: number % 3 === 0 },
  };
  return new FleetRig(plan, tally);
}

/** A steady rate over all, whoever is there: a rig that is away finds nothing. */
function mine(): void {
  if (isStopping) return;
  const found = random.count((load.sharesPerSecond * TICK_MS) / 1_000);
  for (let i = 0; i < found; i++) random.pick(rigs).work();
}

function look(): Look {
  const { lost, longestAwayMs } = tally;
  tally.longestAwayMs = 0;
  const working = rigs.filter((rig) => rig.works).length;
  return { working, taken: rigs.reduce((sum, { taken }) => sum + taken, 0), lost, longestAwayMs };
}

async function stop(): Promise<Told> {
  isStopping = true;
  clearInterval(timer);
  await until('every submit is answered', () => rigs.every((rig) => rig.works && rig.waiting === 0));
  const { refused, refusedAgain, ...told } = tally;
  const stood = look();
  for (const rig of rigs) rig.leave();
  return {
    ...{ ...told, ...stood },
    refused: Object.fromEntries(refused),
    refusedAgain: Object.fromEntries(refusedAgain),
    rigs: Object.fromEntries(rigs.map((rig) => [rig.plan.login, [rig.taken, rig.uncertain]])),
  };
}
