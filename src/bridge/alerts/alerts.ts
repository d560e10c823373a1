/**
 * What an operator is told without looking: conditions, alerts that they open, and where these are kept. All bridges on a ledger
 * share the alerts in it: each is opened, told and resolved once, whoever sees it.
 */
import {
  CONDITIONS,
  type Condition,
  EVENT_CONDITIONS,
  type EventCondition,
  SEVERITIES,
  type Severity,
} from '../../core/names/alert-names.js';
import type { Name } from '../../core/names/names.js';

export { CONDITIONS, type Condition, EVENT_CONDITIONS, type EventCondition, SEVERITIES, type Severity };

export const SEVERITY_OF: Readonly<Record<Condition, Severity>> = {
  rigOffline: 'warning',
  poolHashRateLow: 'critical',
  accountHashRateLow: 'warning',
  rigHashRateLow: 'warning',
  acceptRateLow: 'warning',
  nodeUnhealthy: 'warning',
  noFreshJob: 'critical',
  forkVotesDiffer: 'warning',
  sharesHeldBack: 'warning',
  queueBehind: 'warning',
  ledgerAway: 'critical',
  diskLow: 'critical',
  certificateEnding: 'warning',
  blockFound: 'info',
  blockConfirmed: 'info',
  blockOrphaned: 'warning',
  blockPaysAnother: 'critical',
  splitsBehind: 'warning',
  payoutDue: 'info',
  payoutsPaused: 'critical',
  payoutsOverdue: 'warning',
  paymentsHeld: 'warning',
  payoutPaid: 'info',
  paymentsReturned: 'warning',
  hotBalanceHigh: 'warning',
  reserveLow: 'warning',
};

/** What of a condition is meant: `pool`, a node, a login, `bridge 3`; {@link MANY} stands for all that are too many to be named. */
export interface Subject {
  readonly condition: Condition;
  readonly about: string;
}

export const MANY = 'many';

/** Names an alert among those that are open. */
export function keyOfSubject({ condition, about }: Subject): string {
  return `${condition} ${about}`;
}

/** What a bridge has found out about a subject, once it is sure. */
export interface Finding extends Subject {
  readonly isBad: boolean;
  /** A sentence for people, without addresses and secrets. */
  readonly says: string;
  /** Whose rigs it is about. */
  readonly account?: string | undefined;
  /** When it began, where the ledger knows, by its clock: milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  /**
   * All bridges see the same of it: one that says it is well is believed, whatever others said before. Where their settings
   * differ others say it again with each look, and it stays open: else it would open and end as often as somebody looks.
   */
  readonly isShared?: boolean | undefined;
}

export interface Alert extends Subject {
  readonly id: number;
  readonly severity: Severity;
  readonly account: string | undefined;
  readonly says: string;
  readonly openedAtMs: number;
  /** `undefined` while it is open. */
  readonly resolvedAtMs: number | undefined;
  /** How it ended; empty while it is open. */
  readonly resolvedSays: string;
}

/** Which alerts are asked for. */
export interface AlertsAsked {
  readonly state: 'open' | 'resolved' | 'all';
  readonly limit: number;
  /** Only those with a lower id; open ones are on the first page alone. */
  readonly before?: number | undefined;
  /** Only those that were open then or later; milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  readonly conditions?: readonly string[] | undefined;
}

/** What became of the notices to a target, from the start of the books. */
export interface TargetReport {
  readonly name: string;
  /** Under way, or tried again later. */
  readonly waiting: number;
  readonly delivered: number;
  /** Given up. */
  readonly failed: number;
  readonly deliveredAtMs: number | undefined;
  readonly lastFailure: { readonly atMs: number; readonly says: string } | undefined;
}

export interface AlertList {
  /** Open ones first; of each the latest first. */
  readonly alerts: readonly Alert[];
  /** Open in all. */
  readonly open: number;
  /** `before` of the next page. */
  readonly next: number | undefined;
}

/** A target as the settings have it, as far as it may be shown. */
export interface ShownTarget {
  readonly name: string;
  readonly type: string;
}

/** What may be seen of alerts from outside. */
export interface AlertsView {
  /** In force now. */
  targets(): readonly ShownTarget[];
  /** Rejects while the ledger is away. */
  readAlerts(asked: AlertsAsked): Promise<AlertList>;
  /** Of the targets named, those that were ever told something. Rejects while the ledger is away. */
  readTargets(names: readonly string[]): Promise<readonly TargetReport[]>;
  /** Known to be open, also while the ledger is away. */
  open(): readonly Alert[];
  /** Notices by what became of each try, since the start of this bridge. */
  readonly tries: Readonly<Record<Try, number>>;
}

/** `retried` will be tried again; `failed` will not. */
export const TRIES = ['delivered', 'retried', 'failed'] as const;
export type Try = (typeof TRIES)[number];

/** A target of the settings, as far as it decides which notices it gets. */
export interface TargetChoice extends ShownTarget {
  /** Absent: all of them. */
  readonly conditions?: readonly Condition[] | undefined;
  readonly leastSeverity: Severity;
}

export function isFor(
  target: TargetChoice,
  { condition, severity }: Pick<Alert, 'condition' | 'severity'>,
): boolean {
  const isWanted = target.conditions?.includes(condition) ?? true;
  return isWanted && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(target.leastSeverity);
}

/** What is told of an alert: `happened` is both ends at once, of what is over as it comes. */
export type What = 'opened' | 'repeated' | 'resolved' | 'happened';

/** One alert, told to one target. */
export interface Notice {
  /** A UUID, the same in every try: who hears it twice knows. */
  readonly id: string;
  readonly what: What;
  readonly madeAtMs: number;
  readonly alert: Alert;
}

/** A notice that this bridge has to send now. */
export interface Delivery {
  readonly notice: Notice;
  /** Name of a target of the settings. */
  readonly target: string;
  /** This one included. */
  readonly tries: number;
}

export type DeliveryEnd =
  | { readonly outcome: 'delivered' }
  /** @see {@link TRIES}; `afterMs` from now. With `isForAll` the target wants to hear of nothing else sooner. */
  | {
      readonly outcome: 'retried';
      readonly afterMs: number;
      readonly says: string;
      readonly isForAll?: boolean | undefined;
    }
  | { readonly outcome: 'failed'; readonly says: string }
  /** It was not tried: the bridge stops. */
  | { readonly outcome: 'released' };

/** What a bridge brings to the book, every few seconds. */
export interface Look {
  /** A UUID that names this start of the bridge. */
  readonly bridge: string;
  readonly findings: readonly Finding[];
  /** Rigs may be away for so long, and for longer where that is usual for them; 0: they are not looked at. */
  readonly rigOfflineMs: number;
  /** Which of those that only happen are told. */
  readonly events: readonly EventCondition[];
  /** Switched off: what is open of them is over. */
  readonly off: readonly Condition[];
  /** What stays open is told again after so long; 0: it is not. */
  readonly repeatMs: number;
  readonly targets: readonly TargetChoice[];
  /** Opened, told and perhaps resolved by this bridge while the ledger was away. */
  readonly toldAlready: readonly Omit<Alert, 'id'>[];
}

/** Where alerts are kept; implemented by the ledger. Each rejects while that is away. */
export interface AlertBook {
  readAlerts(asked: AlertsAsked): Promise<AlertList>;
  readTargets(names: readonly string[]): Promise<readonly TargetReport[]>;
  /** Opens, tells again and resolves. Resolves with all that is open then. */
  look(look: Look): Promise<readonly Alert[]>;
  /** These rigs are heard now. Those of which the books have no share yet are passed over: names cost nothing. */
  sawRigs(rigs: readonly Name[]): Promise<void>;
  /**
   * Takes notices that are due for a bridge that knows these targets, so many for each; nobody else gets them for `leaseMs`.
   */
  claim(asked: {
    readonly targets: readonly string[];
    readonly each: number;
    readonly leaseMs: number;
  }): Promise<readonly Delivery[]>;
  /** Once, however often it is asked. */
  settle(delivery: Delivery, end: DeliveryEnd): Promise<void>;
  /** What a payout of balances from `minimum` up would pay now. */
  payable(minimum: string): Promise<Payable>;
  /** What blocks wait for before they can be split. */
  unweighed(): Promise<Unweighed>;
}

/** Blocks whose shares are not all in the books yet. */
export interface Unweighed {
  readonly blocks: number;
  /** Since the oldest of them was found; 0 where there is none. */
  readonly oldestMs: number;
  /** Where the shares are that are waited for, as its bridge names itself; `undefined` where no bridge is known to have any. */
  readonly place: string | undefined;
}

export interface Payable {
  readonly accounts: number;
  readonly total: string;
  /** Since the last payout was prepared; `undefined` when there was none. */
  readonly sinceLastMs: number | undefined;
}
