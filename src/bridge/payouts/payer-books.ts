/**
 * What the payer (`src/payouts`) asks of the books, and writes into them. Implemented by the ledger.
 *
 * One of all bridges has the seat. Whatever it writes carries the fence of its seat: a payer that was stopped for a while and has lost
 * the seat meanwhile is refused with {@link SeatLostError}, whatever it believes. Each method is one transaction of the database.
 */
import type { Amount } from '../../core/money/amount.js';
import type { TransactionState } from '../../operations/enums.js';

/** Another payer has taken the seat since, or its connection has broken. */
export class SeatLostError extends Error {
  override readonly name = 'SeatLostError';
  readonly code = 'seat-lost';
}

export interface PayerBooks {
  /** `undefined` while another bridge has the seat. */
  takeSeat(place: string): Promise<PayerSeat | undefined>;
}

/** A block, as a checked chain has it. */
interface BlockPlace {
  readonly height: number;
  readonly hash: string;
}

/** A line of a batch that may be paid now: approved, and with no transaction that lives. */
export interface OpenPayment {
  readonly id: string;
  /** Of its batch. */
  readonly payout: string;
  readonly account: string;
  readonly chainId: number;
  readonly amount: Amount;
  /** Of the next transaction, from 1 on. */
  readonly attempt: number;
}

/** Lines of a chain that have no transaction yet, and take of it when they get one. */
export interface Bespoken {
  readonly chainId: number;
  /** Those of batches that wait for approval stand apart. */
  readonly isApproved: boolean;
  readonly lines: number;
  readonly amount: Amount;
}

/** A command that pays a line, with the bytes that are signed. Times are seconds of the chain's time. */
export interface NewTransaction {
  readonly paymentId: string;
  readonly attempt: number;
  readonly chainId: number;
  readonly cmd: string;
  readonly requestKey: string;
  readonly creationTimeS: number;
  readonly ttlS: number;
  readonly gasLimit: number;
  readonly gasPrice: Amount;
  /** The chain's head when it was built: no block up to it can have it. */
  readonly birth: BlockPlace;
}

/** Of one signer, in lower-case hex. */
export interface Signature {
  readonly pubKey: string;
  readonly sig: string;
}

export interface LiveTransaction extends NewTransaction {
  readonly id: string;
  readonly payout: string;
  readonly account: string;
  readonly amount: Amount;
  readonly state: TransactionState;
  /** Its batch was rejected: it is followed, and neither signed nor sent for the first time. */
  readonly isRejected: boolean;
  /** Books of before these were restored had its attempt signed, in other bytes: nobody signs these. It expires, and the next one has a number of its own. */
  readonly isOfFormer: boolean;
  /** Somebody who can sign was given its bytes: it may be somewhere, signed. */
  readonly isAsked: boolean;
  /** Request keys of the attempts of its line before it: all dead. */
  readonly deadKeys: readonly string[];
  /** In the order of its signers; absent until it is signed. */
  readonly sigs: readonly string[] | undefined;
  /** Good ones, while not all of its signers have signed. */
  readonly partial: readonly Signature[];
  /** Where it was seen last. */
  readonly included: BlockPlace | undefined;
  readonly sentAtMs: number | undefined;
}

/** What was found out about a transaction, and by what. The books are moved by it in the same transaction. */
export type Finding = { readonly id: string; readonly evidence: Readonly<Record<string, unknown>> } & (
  | { readonly now: 'included'; readonly place: BlockPlace }
  /** Deep enough: the line is paid. */
  | { readonly now: 'confirmed'; readonly place: BlockPlace; readonly gasPaid: Amount }
  | { readonly now: 'final' }
  /** Its block has left the chain: the same bytes are sent again. What was booked for it is taken back. */
  | { readonly now: 'sent' }
  /** Failed on the chain, and deep enough; the line waits until its account is allowed again. */
  | {
      readonly now: 'refused';
      readonly place: BlockPlace;
      readonly gasPaid: Amount;
      readonly why: string;
    }
  /** Nobody can include it any more: the line is tried again. */
  | { readonly now: 'expired'; readonly why: string }
  /** It was never signed, so nobody has it: the line is tried again. */
  | { readonly now: 'dropped'; readonly why: string }
  | { readonly now: 'unknown'; readonly why: string }
);

export interface DueAccount {
  readonly account: string;
  readonly amount: Amount;
  /** Its own, or that of everybody. */
  readonly minimum: Amount;
  readonly wishedChain: number | undefined;
  /** When it was paid last; absent: never. */
  readonly paidAtMs: number | undefined;
}

/** A part of what an account is owed, and where it is paid. */
interface PlannedLine {
  readonly account: string;
  readonly part: number;
  readonly chainId: number;
  readonly amount: Amount;
}

export interface NewBatch {
  readonly lines: readonly PlannedLine[];
  readonly minimum: Amount;
  /** SHA-256 over the sorted lines, lower-case hex. */
  readonly contentHash: string;
  /** Why somebody has to approve it; absent: nobody has to. */
  readonly approvalFor: string | undefined;
  readonly approvalsNeeded: number;
  readonly by: string;
}

/** Why nothing new is built, signed or sent. What is under way is followed nevertheless. */
export interface Pause {
  /** One word: `foreign-debit`, `nodes-disagree`, `operator`. */
  readonly kind: string;
  /** A sentence for people. */
  readonly says: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** A debit of the paying account that no transaction of the books made. */
export interface ForeignDebit {
  readonly chainId: number;
  readonly height: number;
  /** Of its block. */
  readonly hash: string;
  /** Who got it. */
  readonly account: string;
  readonly amount: string;
  /** Of the command that made it; absent: none did. */
  readonly requestKey?: string | undefined;
}

/** By this it is accepted: its command, with all that it does; without one the block, which has one coinbase. */
export function debitName({
  requestKey,
  hash,
}: {
  readonly requestKey?: string | undefined;
  readonly hash: string;
}): string {
  return requestKey ?? hash;
}

/** What checked blocks say of the payer's account on a chain. All up to `read` was read; `balance` is the one there. */
export interface PayerChain {
  readonly chainId: number;
  readonly read: BlockPlace;
  readonly balance: Amount;
  /** Since reading began. */
  readonly credits: Amount;
  readonly debits: Amount;
}

export interface SeenChain {
  readonly chainId: number;
  readonly head: { readonly height: number; readonly timeS: number } | undefined;
  /** What is wrong; empty: nothing. */
  readonly trouble: string;
  /** Coins that lines there wait for, as the last round found; absent: none. */
  readonly missing?: Amount;
  /** What is odd and stops nothing; absent: nothing. */
  readonly doubt?: string | undefined;
  /** Absent where nothing was read. `credits`, `debits`: what came since the last time. */
  readonly read?: PayerChain;
}

/** A transaction of these books that they do not know of: from before they were restored. */
export interface FoundPayment {
  readonly chainId: number;
  readonly requestKey: string;
  readonly cmd: string;
  readonly status: 'success' | 'failure';
  readonly gasPaid: Amount;
  readonly place: BlockPlace;
  /** Hash of the block below. */
  readonly parent: string;
  readonly account: string;
  readonly amount: Amount;
  /** As its nonce says. */
  readonly paymentId: string;
  readonly attempt: number;
  readonly creationTimeS: number;
  readonly ttlS: number;
  readonly gasLimit: number;
  readonly gasPrice: Amount;
}

/** A command that books of before these were restored had signed, by the signer log: in no block, and none will have it. */
export interface DeadBefore {
  readonly paymentId: string;
  readonly attempt: number;
  readonly requestKey: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** Of all transactions of a chain. */
export interface Born {
  readonly chainId: number;
  /** The chain's head when the first of them was built. */
  readonly height: number;
  /** The longest. */
  readonly ttlS: number;
}

/** To compare the books with the chain. */
interface ReconcileOrder {
  /** Absent: from what was read. */
  readonly sinceHeight: number | undefined;
  /** What is missing is entered. */
  readonly applies: boolean;
}

export interface PayerState {
  readonly ledgerId: string;
  /** The same, and those of before these books were restored. */
  readonly ledgerIds: readonly string[];
  readonly reconcile: ReconcileOrder | undefined;
  /** From what account and on what network these books were paid so far. */
  readonly account: string | undefined;
  readonly network: string | undefined;
  readonly pause: (Pause & { readonly sinceMs: number; readonly by: string }) | undefined;
  readonly chains: readonly (PayerChain & {
    /** Up to here books and chain are known to agree. */
    readonly comparedHeight: number;
  })[];
  readonly ranAtMs: number | undefined;
  readonly nextAtMs: number | undefined;
  /** Why the last run made no batch, or what is not in it; empty: nothing. */
  readonly whyNot: string;
  /** Somebody has asked for a batch since the last run. */
  readonly isAsked: boolean;
  /** Batches that were paid on chain so far. */
  readonly batches: number;
  /** The books' clock. */
  readonly nowMs: number;
}

/** What counts against the limits: lines that were sent, and all that are on their way, those too that are not sent yet or unknown. */
interface Spent {
  readonly lastDay: Amount;
  /** Sums of the last batches that were closed. */
  readonly formerBatches: readonly Amount[];
}

export interface PayerSeat {
  state(): Promise<PayerState>;
  /**
   * Binds these books to an account and a network; refused (LedgerError) where they are bound to others.
   * @param signsElsewhere for who looks: nobody signs here.
   */
  bind(account: string, network: string, signsElsewhere?: boolean): Promise<void>;
  /** Whose balances are from their minimum up and who is not on hold. At most `limit`, who waits longest first. */
  due(minimum: Amount, limit: number): Promise<readonly DueAccount[]>;
  spent(): Promise<Spent>;
  /** The name of the batch; `undefined` where one waits for its approval, or a balance is not what was planned with. */
  prepare(batch: NewBatch): Promise<string | undefined>;
  /** The oldest first. */
  open(limit: number): Promise<readonly OpenPayment[]>;
  bespoken(): Promise<readonly Bespoken[]>;
  /** Those that are followed: of each chain the oldest first. */
  live(): Promise<readonly LiveTransaction[]>;
  build(transactions: readonly NewTransaction[]): Promise<void>;
  /** The intention to ask for signatures, before anybody is asked. */
  asking(ids: readonly string[]): Promise<void>;
  keepSignatures(signed: readonly { readonly id: string; readonly sigs: readonly string[] }[]): Promise<void>;
  /** Those of some of the signers, beside those of others that were kept before. */
  keepPartial(
    signed: readonly { readonly id: string; readonly signatures: readonly Signature[] }[],
  ): Promise<void>;
  /** The intention, before the first byte leaves. Resolves with those that may be sent: of no batch that was rejected meanwhile. */
  sending(ids: readonly string[]): Promise<ReadonlySet<string>>;
  found(findings: readonly Finding[]): Promise<void>;
  /** Lines that fail alone: their amounts are back in the balances, and their accounts wait on that chain until allowed. */
  hold(lines: readonly { readonly paymentId: string; readonly why: string }[]): Promise<void>;
  /** What is wrong with the books, as far as payments need them and it is asked quickly: a sentence each; empty: nothing. */
  faults(): Promise<readonly string[]>;
  /** Stays until a person resumes. Further reasons that are found meanwhile are kept behind the first one. Resolves with whether this one is new. */
  pause(pause: Pause): Promise<boolean>;
  sawChains(chains: readonly SeenChain[]): Promise<void>;
  /** For who looks, and with `isRun` for the next run: it has made a batch, or there was none to make. */
  ran(run: {
    readonly isRun: boolean;
    readonly nextAtMs: number | undefined;
    readonly whyNot: string;
  }): Promise<void>;
  born(): Promise<readonly Born[]>;
  /**
   * Enters payments that the chain has: of lines that wait for them, or as new ones. Resolves with how many cannot be entered yet, as an
   * earlier attempt of their line may still come by what the books know.
   */
  takeOver(found: readonly FoundPayment[]): Promise<number>;
  /** Their payments are tried again, with numbers after theirs. */
  bury(dead: readonly DeadBefore[]): Promise<void>;
  /** What came of the last comparison, as JSON. */
  reconciled(outcome: Readonly<Record<string, unknown>>): Promise<void>;
  /** Of these request keys those that are of transactions in the books. */
  known(requestKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Of debits by their names ({@link debitName}), those of transactions in the books that are not dead by proof, and those that somebody has accepted. */
  expected(names: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}
