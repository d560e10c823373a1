/** What who pays on chain asks of the ledger, and what the ledger asks to know of blocks. */
import type { Amount } from '../../core/money/amount.js';
import type { PauseReason } from '../../operations/payer/pauses.js';
import type { PayloadOutputs } from '../ports.js';

/** A command of this ledger that stands in a block. */
export interface FoundCommand {
  readonly requestKey: string;
  readonly cmd: string;
  /** Of which line it is. */
  readonly lineId: string;
  readonly attempt: number;
  /** Whose coins it moves. */
  readonly from: string;
  /** That it pays. */
  readonly account: string;
  readonly amount: Amount;
  readonly untilMicros: bigint;
  /** What came of it; `differs`: what its output says moved is not what the command says. */
  readonly outcome: 'paid' | 'failed' | 'differs';
  readonly gas: Amount;
  /** What the contract says of a failure, or how it differs. */
  readonly why: string;
}

/** What a block holds that concerns the payer. */
export interface PayerFacts {
  readonly commands: readonly FoundCommand[];
  /** Sentences: coins that left the account by nothing of ours. */
  readonly debits: readonly string[];
  /** Sentences: coins that moved by a contract that is not known. */
  readonly contracts: readonly string[];
}

/** The id of these books, by which their commands are known whoever paid; and the account that pays, where one has. */
export interface Paying {
  readonly account: string | undefined;
  readonly ledgerId: string;
}

export interface PayerReading {
  /** Whether it may hold something of the payer: what is found at a glance. */
  concerns(payer: Paying, payload: PayloadOutputs): boolean;
  /** In pieces: rigs of this process have their turn in between. */
  read(payer: Paying, payload: PayloadOutputs): Promise<PayerFacts>;
}

export interface OpenTransaction {
  readonly id: string;
  readonly lineId: string;
  readonly attempt: number;
  readonly requestKey: string;
  readonly account: string;
  readonly amount: Amount;
  readonly chainId: number;
  readonly cmd: string;
  /** That it may cost at the most. */
  readonly gas: Amount;
  readonly untilMicros: bigint;
  /** Those that are there, of some or all of its signers. */
  readonly signatures: readonly { readonly pubKey: string; readonly sig: string }[];
  readonly isSigned: boolean;
  readonly isSent: boolean;
  /** Keys of attempts of the same line before it. */
  readonly deadKeys: readonly string[];
}

/** A line that is approved, of a chain on which may be built, and has no transaction that is open. */
export interface LineToPay {
  readonly id: string;
  readonly attempt: number;
  readonly account: string;
  readonly chainId: number;
  readonly amount: Amount;
}

export interface DueAccount {
  readonly id: number;
  readonly account: string;
  readonly due: Amount;
  readonly wishedChain: number | undefined;
  readonly minimum: Amount;
}

export interface PayerState {
  readonly ledgerId: string;
  /** The wait of the taking is over, nothing is paused, and no chain stands in the way of all. */
  readonly isReady: boolean;
  readonly pauses: readonly PauseReason[];
  /** Chains on which may be built: they do not stand still, and nothing of them is still to come. */
  readonly chains: readonly number[];
  readonly open: readonly OpenTransaction[];
  readonly lines: readonly LineToPay[];
  /** Planned last, by the ledger's clock; and now. */
  readonly plannedAtMs: number;
  readonly nowMs: number;
  /** Somebody has asked for a payout. */
  readonly isAsked: boolean;
  /** A payout waits for approval. */
  readonly isWaiting: boolean;
}

export interface NewTransaction {
  readonly lineId: string;
  readonly attempt: number;
  readonly requestKey: string;
  readonly cmd: string;
  readonly untilMicros: bigint;
  readonly gas: Amount;
}

export interface NewLine {
  readonly accountId: number;
  readonly account: string;
  readonly chainId: number;
  readonly amount: Amount;
}

export interface PlannedPayout {
  readonly minimum: Amount;
  readonly lines: readonly NewLine[];
  readonly approvals: number;
  readonly approvalWhy: string;
  /** Why what else is due is not in it. */
  readonly waitingWhy: string;
}

/** Why nothing that is due was planned. */
export interface NothingPlanned {
  readonly waitingWhy: string;
  /** Nodes could not be asked of all chains: what is due stays due, and is tried again soon. */
  readonly isPutOff: boolean;
}

/** Of lines on one chain. */
export interface Promised {
  readonly chainId: number;
  readonly amount: Amount;
  readonly count: number;
}

export interface Taking {
  readonly place: string;
  readonly account: string;
  readonly validityMicros: bigint;
  /** The newest time of a block that is seen. */
  readonly seenMicros: bigint;
  /** These books were made by this very start: no command of theirs can be anywhere. */
  readonly isNewLedger: boolean;
  /** A sentence for people; empty: nothing is dangerous about it. */
  readonly warning: string;
}

/** What was sent counts, and so does what may still be. */
export interface ToBound {
  readonly lastDay: Amount;
  readonly formerPayouts: readonly Amount[];
  /** Payouts that somebody approved, or that needed nobody. */
  readonly payouts: number;
}

/** The role was lost: somebody else has it, or the books went back. It may be taken anew. */
export class RoleLostError extends Error {
  override readonly name = 'RoleLostError';
}

/** The ledger's rules of payments, for whoever pays. */
export interface PayerRules {
  /** As settings have them. */
  readonly chainDepth: number | 'auto';
  readonly chainNodes: number | 'auto';
  /** Who pays: people by hand, the bridge what somebody approved, or the bridge by itself up to the limits. */
  readonly payoutMode: 'manual' | 'approve' | 'auto';
  /** When a payout is planned, as a setting has it. */
  readonly payoutSchedule: string;
  readonly minimum: Amount;
  /** Of one account, all its parts together. */
  readonly lineLimit: Amount | 'none';
  readonly batchLimit: Amount | 'none';
  /** In any 24 hours. */
  readonly dayLimit: Amount | 'none';
  /** How many times the usual sum of a payout; 0: any. */
  readonly usualFactor: number;
  readonly approvals: number;
  /** So many payouts wait for approval before `auto` pays by itself. */
  readonly firstApprovals: number;
  /** Stays on each chain. */
  readonly reserve: Amount;
  readonly split: boolean;
}

export interface PayerBooks {
  rules(): Promise<PayerRules>;
  /** `undefined` while another bridge pays. Throws LedgerError `refused` where these books are paid from another account. */
  take(taking: Taking): Promise<PayerRole | undefined>;
}

/** Whoever pays. Each method that writes rejects with {@link RoleLostError} where the role was lost, and has written nothing then. */
export interface PayerRole {
  /** Written as well: who pays was heard of. */
  state(): Promise<PayerState>;
  due(minimum: Amount): Promise<readonly DueAccount[]>;
  toBound(): Promise<ToBound>;
  /** Lines that no transaction pays yet, also those that wait for approval. */
  promised(): Promise<readonly Promised[]>;
  /** Nothing where payments are paused meanwhile. */
  plan(payout: PlannedPayout | NothingPlanned): Promise<void>;
  /** Those of lines that their accounts' balances cover; the other lines are withdrawn. Nothing where payments are paused meanwhile. */
  build(transactions: readonly NewTransaction[]): Promise<void>;
  /** Before a signer is asked. False where payments are paused meanwhile. */
  asking(ids: readonly string[]): Promise<boolean>;
  keepSignatures(
    signed: readonly {
      readonly id: string;
      readonly signatures: OpenTransaction['signatures'];
      readonly isSigned: boolean;
    }[],
  ): Promise<void>;
  /** No signer signs it: its line waits until its time is over. */
  refuse(id: string, why: string): Promise<void>;
  /** Before they are sent for the first time. False where payments are paused meanwhile. */
  sending(ids: readonly string[]): Promise<boolean>;
  /** Why lines wait, for people; empty: they do not any more. */
  leaveOut(lines: readonly { readonly id: string; readonly why: string }[]): Promise<void>;
  pause(reason: PauseReason, says: string): Promise<void>;
  /** So that another bridge need not wait for its silence. */
  leave(): Promise<void>;
}
