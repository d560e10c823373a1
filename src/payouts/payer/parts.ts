/** What the payer is made of. */
import type { Pause, PayerBooks, PayerSeat } from '../../bridge/payouts/payer-books.js';
import type { Log } from '../../core/names/log.js';
import type { Eyes } from '../evidence/eyes.js';
import type { Signer } from '../signer/signer.js';
import type { PayerTerms } from './terms.js';

export interface PayerParts {
  readonly books: PayerBooks;
  readonly eyes: Eyes;
  /** Of all chains of the network. Rejects where no node answers. */
  chainIds(signal: AbortSignal): Promise<readonly number[]>;
  /** Asked by who has the seat, and closed with it. `undefined`: watch-only, others sign by `payout export` and `import`. */
  openSigner(): Promise<Signer | undefined>;
  /** When batches are made: the next time after one; `undefined`: never by itself. Milliseconds since the epoch. */
  nextAfter(ms: number): number | undefined;
  readonly terms: PayerTerms;
  readonly log: Log;
  /** Of tests: between two rounds. */
  readonly everyMs?: number;
  /** Of tests: blocks that one round reads, of all chains. */
  readonly blocksARound?: number;
}

/** What a round goes by. */
export interface Round extends Omit<PayerParts, 'books' | 'openSigner'> {
  readonly seat: PayerSeat;
  readonly signer: Signer | undefined;
  readonly signal: AbortSignal;
  /** What outlives a round, of this seat. */
  readonly memory: Memory;
}

/** What is worth remembering from round to round. All of it may be lost. */
export interface Memory {
  /** Chain -> the head at which what waits there was sent last. */
  readonly sentAt: Map<number, string>;
  /** Chain -> the price that a node asked for last. */
  readonly gasPrices: Map<number, bigint>;
  /** Chain -> coins that lacked in the last round that built something new there. */
  missing: ReadonlyMap<number, bigint>;
  /** Chain -> height from which blocks are needed, where a look did not reach down. */
  readonly blindFrom: Map<number, number>;
  /** Chain -> height from which blocks are read to prove that what was signed before can come no more. */
  readonly provenFrom: Map<number, number>;
  /** Chains whose blocks were not all read in the last round. */
  reading: ReadonlySet<number>;
  /** Request key -> height of its chain's head when a dry run took it last. */
  readonly triedAt: Map<string, number>;
  /** Chain -> what is odd there and stops nothing: the last dry runs. */
  readonly doubts: Map<number, string>;
  /** Chain -> what nodes said last that the account has above what blocks give: payouts were paused for it. */
  readonly differences: Map<number, bigint>;
  /** Once after each start; then before each batch. Who resumes has looked at them himself. */
  areBooksChecked: boolean;
  /** By the books' clock: before its first run, the schedule counts from here. */
  startedAtMs: number | undefined;
  /** Names of debits that were found to be of these books, or accepted. */
  readonly expected: Set<string>;
  /** Request keys of transactions that payouts were paused for, as nobody can say what became of them. */
  readonly undecided: Set<string>;
  /** Request keys of dead commands that the signer was told of: for a program each telling is a start. */
  readonly toldDead: Set<string>;
  /** Request keys of commands that the signer gave all of its signatures for: others have to sign them too. */
  readonly signedInPart: Set<string>;
}

export function newMemory(): Memory {
  return {
    sentAt: new Map(),
    gasPrices: new Map(),
    missing: new Map(),
    blindFrom: new Map(),
    provenFrom: new Map(),
    reading: new Set(),
    triedAt: new Map(),
    doubts: new Map(),
    differences: new Map(),
    areBooksChecked: false,
    startedAtMs: undefined,
    expected: new Set(),
    undecided: new Set(),
    toldDead: new Set(),
    signedInPart: new Set(),
  };
}

export async function pauseFor(
  { seat, log }: Pick<Round, 'seat' | 'log'>,
  pause: Pause | undefined,
): Promise<boolean> {
  if (!pause) return false;
  const isNew = await seat.pause(pause);
  if (isNew) log.error({ kind: pause.kind }, `payouts are paused: ${pause.says}`);
  return true;
}
