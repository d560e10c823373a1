/** What came of a comparison of books and chain, as it is kept for who looks. */
import type { ForeignDebit } from './payer-books.js';

/** A payment as the chain has it. */
export interface ReconciledLine {
  readonly chainId: number;
  readonly height: number;
  /** Who got it. */
  readonly account: string;
  readonly amount: string;
  readonly requestKey?: string;
}

/** A command that was signed and that these books do not know. */
export interface SignedElsewhere {
  readonly chainId: number;
  readonly requestKey: string;
  /** Number of the payment that it is for, in the books of then. */
  readonly payment: string;
  readonly attempt: number;
  readonly amount: string;
  /** Of the chain's time: then it can come no more. */
  readonly untilS: number;
}

interface UnreadBlocks {
  readonly chainId: number;
  readonly from: number;
  /** null: up to the head, which is not known. */
  readonly to: number | null;
  readonly why: string;
}

/** What came of a comparison of books and chain. */
export interface ReconciledOutcome {
  readonly applied: boolean;
  readonly chains: readonly { readonly chainId: number; readonly from: number; readonly to: number }[];
  /** The first hundred. */
  readonly missing: readonly ReconciledLine[];
  readonly missingCount: number;
  readonly missingTotal: string;
  /** That nobody has accepted. The first hundred. */
  readonly foreign: readonly ForeignDebit[];
  /** Found, and not to be entered yet: not deep enough, or an earlier attempt of the line may still come. */
  readonly shallow: number;
  /** Chains whose time has to pass, seconds since the epoch. */
  readonly waits: readonly { readonly chainId: number; readonly untilS: number }[];
  /** By the signer log, unknown to these books, on no chain so far, and still able to come. The first hundred. */
  readonly signed: readonly SignedElsewhere[];
  readonly signedCount: number;
  /** The same, and proven to come no more. The first hundred. */
  readonly dead: readonly SignedElsewhere[];
  readonly deadCount: number;
  /** The same, and over, but blocks that could have it are read no more. */
  readonly unprovenCount: number;
  /** What could not be compared: books of before may have payments there. */
  readonly unread: readonly UnreadBlocks[];
  /** Nothing is missing, and nothing can come any more. */
  readonly isDone: boolean;
}
