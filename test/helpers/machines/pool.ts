/** Two bridges behind a balancer, the books, a recorder, a node and rigs, each on a machine of its own. */

import { type Program, startProgram } from '../processes/program.js';
import { measureHashes } from '../rigs/measured-hashes.js';
import { until } from '../until.js';
import { addressOf, at, makeMachines, rigAddress } from './network.js';
import {
  asked,
  type Books,
  countsOf,
  layOutFiles,
  startAt,
  startBalancer,
  startBooks,
  startRig,
} from './programs.js';

export const ACCOUNT = `k:${'ab'.repeat(32)}`;
export const BRIDGES = ['machine1', 'machine2'] as const;
export type BridgeMachine = (typeof BRIDGES)[number];
const RIGS = 4;
const hashesIn = measureHashes();

export interface ShownSession {
  /** Address and port. */
  readonly peer: string;
  /** Number of another one; null: the one that was asked. */
  readonly bridge: number | null;
}

export interface Pool extends AsyncDisposable {
  readonly books: Books;
  readonly rigs: readonly Program[];
  readonly bridges: Record<BridgeMachine, Program>;
  /** In place of one that has ended. Resolves when it serves. */
  start(machine: BridgeMachine): Promise<void>;
  /** `address:port` of who is connected there. */
  peersAt(machine: BridgeMachine): Promise<string[]>;
  /** Resolves with how long it took, in seconds, until all rigs are there; then each has had shares there, too. */
  untilAllMineAt(machine: BridgeMachine): Promise<number>;
}

/** Resolves when every rig mines, and each bridge has some of them. */
export async function startPool(): Promise<Pool> {
  makeMachines(RIGS);
  layOutFiles();
  const running: Program[] = [];
  const keep = (program: Program): Program => {
    running.push(program);
    return program;
  };
  const books = await startBooks();
  keep(books.program);
  const ease = ['--genesis-difficulty', hashesIn(10), '--block-delay', '20000ms'];
  const node = ['node', '--mining', '--listen', `${addressOf('node')}:1848`, ...ease];
  await keep(startProgram(node, {}, undefined, at('node'))).ready();
  const bridges: Partial<Record<BridgeMachine, Program>> = {};
  const start = async (machine: BridgeMachine): Promise<void> => {
    const ease = ['--stratum-share-difficulty', hashesIn(0.1)];
    bridges[machine] = keep(startAt(machine, ACCOUNT, ['serve', ...ease]));
    await bridges[machine].ready();
    await until(
      `${machine} has work`,
      async () => (await asked<Ready>(machine, '/readyz')).status === 'ready',
    );
  };
  for (const machine of BRIDGES) await start(machine);
  await keep(startAt('books', ACCOUNT, ['recorder', '--web-listen', `${addressOf('books')}:1920`])).ready();
  keep(startBalancer());
  const rigs = Array.from({ length: RIGS }, (_, i) => keep(startRig(i + 1, ACCOUNT)));
  return {
    books,
    rigs,
    bridges: bridges as Pool['bridges'],
    start,
    ...lookingAt(rigs),
    ...endingWith(running),
  };
}

interface Ready {
  readonly status: string;
}

function lookingAt(rigs: readonly Program[]): Pick<Pool, 'peersAt' | 'untilAllMineAt'> {
  const peersAt: Pool['peersAt'] = async (machine) => {
    const { sessions } = await asked<{ sessions: ShownSession[] }>(machine, '/api/v1/sessions');
    return sessions.flatMap(({ peer, bridge }) => (bridge === null ? [peer] : []));
  };
  const isThere = (peers: readonly string[]): boolean =>
    rigs.every((_, i) => peers.some((peer) => peer.startsWith(`${rigAddress(i + 1)}:`)));
  return {
    peersAt,
    untilAllMineAt: async (machine) => {
      const fromMs = performance.now();
      await until(`all rigs are at ${machine}`, async () => isThere(await peersAt(machine)));
      const atMs = performance.now();
      const before = rigs.map((rig) => countsOf(rig).accepted);
      await until('all of them mine', () =>
        rigs.every((rig, i) => countsOf(rig).accepted > (before[i] ?? 0)),
      );
      return (atMs - fromMs) / 1000;
    },
  };
}

function endingWith(running: readonly Program[]): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      for (const program of [...running].reverse()) await program[Symbol.asyncDispose]();
    },
  };
}
