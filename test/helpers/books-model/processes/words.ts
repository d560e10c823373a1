/** What a test and the bridges that it starts tell each other. */
import type { SolutionState } from '../../../../src/bridge/ports.js';
import type { QueueConnection } from '../../../../src/queue/bullmq/connection.js';
import type { FastClock } from './fast-time.js';

/** Given to a bridge when it starts. */
export interface BridgeStart {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly queue: QueueConnection;
  readonly clock: FastClock;
  /** Its clock is so much ahead until it hears of the ledger's. */
  readonly aheadMs: number;
  /** Number of its first share. */
  readonly first: number;
  readonly accounts: readonly string[];
}

/** A solution that a rig of it is to find. */
export interface Find {
  readonly number: number;
  readonly account: string;
  readonly height: number;
  readonly difficulty: bigint;
  /** Of its node; absent: it never comes. */
  readonly answer: SolutionState | undefined;
}

export type Order =
  | { readonly find: Find }
  /** Its rigs submit nothing any more. */
  | { readonly order: 'rest' }
  | { readonly order: 'stop' };

/** Written into a log, as that many things were before it in all logs of this start. */
export interface Written {
  readonly number: number;
  readonly log: string;
  readonly place: number;
  /** By the bridge's clock. */
  readonly atMs: number;
}

export type Word =
  | { readonly word: 'up' | 'resting' }
  /** It begins. isRight: its clock is the ledger's. */
  | { readonly word: 'log'; readonly log: string; readonly atMs: number; readonly isRight: boolean }
  /** The ledger was told of these. */
  | { readonly word: 'named'; readonly logs: readonly string[]; readonly atMs: number }
  | ({ readonly word: 'accepted' | 'refused' | 'found' } & Written)
  | {
      readonly word: 'answered';
      readonly number: number;
      readonly state: SolutionState;
      readonly atMs: number;
    };

export const WORKS = [1_000n, 2_500n, 7_777n, 40_000n] as const;

/** Each share has a rig of its own, by whose name the ledger says where it is booked. */
export interface RigName {
  readonly number: number;
  readonly account: string;
  readonly work: bigint;
}

export const rigName = ({ number, account, work }: RigName): string => `${number}/${work}/${account}`;

export function fromRigName(name: string): RigName {
  const [number = '', work = '', account = ''] = name.split('/');
  return { number: Number(number), work: BigInt(work), account };
}
