/**
 * What holds over all fronts of a fleet: tenures of rigs that come back to another front, late shares of jobs of the front that
 * they came from, bans and orders, budgets by address. Plain data in both directions, as calls go between processes.
 *
 * The hub offers each front a {@link FleetState}; each front offers the hub a {@link FrontState}.
 */

import type { Nonce1, Nonce2 } from '../../core/jobs/nonce.js';
import type { Name } from '../../core/names/names.js';
import type { Refusal, Share } from '../../core/shares/share.js';
import type { Target } from '../../core/work/target.js';
import type {
  AddressListName,
  Ban,
  KeptOrders,
  OrderedAddress,
  OrderedDifficulty,
  RigLabel,
} from '../orders/steering.js';

/** A tenure, as others than its front know it. */
export interface KnownTenure {
  /** Known to its rig alone. */
  readonly token: string;
  /** In hex; empty where it has none now. */
  readonly nonce1: string;
  readonly logins: readonly Name[];
  /** As limits see the address. */
  readonly addressKey: string;
  /** In which time it is forgotten; `undefined` while a session holds it. */
  readonly leavesInMs: number | undefined;
  /** All of it: only fronts read that. */
  readonly data: Uint8Array;
}

/** Its first byte is the number of the front that gave it: what is a second old is in no directory yet. */
export function tokenAt(front: number, random: Uint8Array): string {
  return Buffer.from([front, ...random.subarray(1)]).toString('hex');
}

/** `undefined` for what is no token. */
export function frontOfToken(token: string): number | undefined {
  return /^[0-9a-f]{32}$/.test(token) ? Number.parseInt(token.slice(0, 2), 16) : undefined;
}

/** What a rig names or shows, of which its front knows nothing. */
export interface Claim {
  /** A token, or a nonce1 in hex. */
  readonly named: string | undefined;
  /** Those that it has authorized. */
  readonly logins: readonly Name[];
  readonly addressKey: string;
  /** By which difficulties of its logins are remembered. */
  readonly places: readonly string[];
}

/** What it is given. */
export interface Claimed {
  /** What it had at a front, which has it no more. */
  readonly former:
    | {
        readonly front: number;
        readonly tenure: KnownTenure;
        /** Since that was so. */
        readonly agoMs: number;
      }
    | undefined;
  /** What was found for it last, by place, expected hashes a share. */
  readonly difficulties: readonly (readonly [place: string, difficulty: number])[];
}

/** A submit of a job that another front has issued. */
export interface LateSubmit {
  readonly jobId: string;
  readonly nonce2: Nonce2;
  readonly account: string;
  readonly rig: string;
  /** What the job was issued with there, at least one. */
  readonly issues: readonly { readonly nonce1: Nonce1; readonly group: number; readonly own: Target }[];
  readonly onlySolutions: boolean;
}

/** Solutions are on their way from where the submit was judged. */
export type LateVerdict =
  | { readonly accepted: true; readonly share: Share; readonly reached: number }
  | Omit<Refusal, 'solution'>;

/** What is in force now and was not before, or the other way round. Where the order is `undefined` it is taken back. */
export type OrderChange =
  | { readonly kind: 'ban'; readonly ban: Ban }
  /** Before its end; `by` whom. */
  | { readonly kind: 'unban'; readonly ban: Ban; readonly by: string }
  | ({ readonly kind: 'difficulty'; readonly order: OrderedDifficulty | undefined } & Name)
  | ({ readonly kind: 'label'; readonly order: RigLabel | undefined } & Name)
  | {
      readonly kind: 'addresses';
      readonly list: AddressListName;
      readonly addresses: string;
      readonly order: OrderedAddress | undefined;
    };

/** What one address has and did, at one front or at several together. */
export interface AddressUse {
  readonly key: string;
  readonly connections: number;
  /** Rigs there that count as good. */
  readonly goodRigs: number;
  /** Since the last time: messages, good shares not counted; new connections; wrong logins; sessions closed for a flood, or for garbage. */
  readonly messages: number;
  readonly connects: number;
  readonly guesses: number;
  readonly floods: number;
  readonly garbled: number;
}

/** What a front tells once a second; each list is bounded, and what finds no room comes the next time. */
export interface FrontNews {
  /** Tokens of those that are there no more. */
  readonly gone: readonly string[];
  /** By place, expected hashes a share. */
  readonly difficulties: readonly (readonly [place: string, difficulty: number])[];
  /** The busiest. */
  readonly addresses: readonly AddressUse[];
}

/** What a front is told once a second. */
export interface FleetNews {
  /** Of all other fronts together. Who is not named has nothing elsewhere that is worth a word. */
  readonly addresses: readonly AddressUse[];
}

/** What became of a change. */
export interface Spread {
  /** Sessions at other fronts that were ended by it, or whose difficulty is ordered now. */
  readonly sessions: number;
  /** False where an order does not outlive a restart. Bans of the bridge itself do a little later. */
  readonly isKept: boolean;
}

/** The hub, for one of its fronts. */
export interface FleetState {
  tell(news: FrontNews): void;
  /** These are new, or another than when they were told last: some at a time, all of a second within it. */
  has(tenures: readonly KnownTenure[]): void;
  /** What a rig had elsewhere is taken from there. Answers at once where nobody knows the rig. */
  claim(claim: Claim): Promise<Claimed>;
  /** `undefined` where that front is dead: nobody can judge it any more. */
  judge(front: number, submit: LateSubmit): Promise<LateVerdict | undefined>;
  /** Holds at all fronts from now on. Resolves once the others have heard. */
  change(changes: readonly OrderChange[]): Promise<Spread>;
}

/** A front, for its hub. */
export interface FrontState {
  /** All that is in force, in place of what it knew; before it listens. */
  begin(orders: KeptOrders): Promise<void>;
  hear(news: FleetNews): void;
  /** What the claim proves to be the rig's own, by the same rules as at its own door; `undefined` without such. */
  giveUp(claim: Claim): Promise<KnownTenure | undefined>;
  judge(submit: LateSubmit): Promise<LateVerdict>;
  /** What another front or the operator has changed. @returns how many sessions it meets. */
  obey(changes: readonly OrderChange[]): Promise<number>;
}
