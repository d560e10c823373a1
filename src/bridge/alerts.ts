/**
 * Alerts as the ledger keeps them, for all bridges on it: each is opened, told and resolved once, whoever sees it. What opens one,
 * and who is told, is decided in `src/alerts`.
 */
import type { Name } from '../core/names/names.js';
import type { Alert, AlertList, AlertsQuestion, Notice, TargetReport } from '../operations/alerts.js';
import type { Kind } from './timeline/events.js';
import type { TimelineEvent } from './timeline/timeline-event.js';

/** What of a condition is meant: `pool`, a node, a login, `bridge 3`; {@link MANY} stands for all that are too many to be named. */
type Subject = Pick<Alert, 'condition' | 'about'>;

export const MANY = 'many';

/** Names an alert among those that are open. */
export function keyOfSubject({ condition, about }: Subject): string {
  return `${condition} ${about}`;
}

export type Opening = Pick<Alert, 'condition' | 'about' | 'severity' | 'says'>;

/** What a bridge has found out about a subject. */
export interface Finding extends Opening {
  readonly isBad: boolean;
  /** When it began, where the ledger knows, by its clock: milliseconds since the epoch. */
  readonly sinceMs?: number | undefined;
  /** It stands for so many that are not named. */
  readonly count?: number | undefined;
  /**
   * All bridges see the same of it: one that says it is well is believed, whatever others said before. Where their settings
   * differ others say it again with each look, and it stays open: else it would open and end as often as somebody looks.
   */
  readonly isShared?: boolean | undefined;
}

export interface OpenAlert extends Subject {
  readonly id: number;
  readonly openedAtMs: number;
  /** Opened within the last ten minutes. */
  readonly isRecent: boolean;
  /** Another bridge has found lately that it is so. */
  readonly isSeenByOthers: boolean;
  /** The same, in one of its latest looks. */
  readonly isSeenJustNow: boolean;
}

interface Words {
  readonly id: number;
  readonly says: string;
}

export interface Decisions {
  readonly opens: readonly Opening[];
  /** Found to be so again. */
  readonly confirms: readonly Words[];
  /** Well as this bridge sees it, and not as another does. */
  readonly withdraws: readonly number[];
  readonly resolves: readonly Words[];
}

export type Line = Pick<TimelineEvent, 'kind' | 'says' | 'facts'>;

/** What a bridge brings to the ledger, every few seconds. */
export interface Look {
  /** A UUID that names this start of the bridge. */
  readonly bridge: string;
  /** Switched off: what is open of them is over. */
  readonly off: readonly string[];
  /** What stays open is told again after so long; 0: it is not. */
  readonly repeatMs: number;
  /** Opened, told and perhaps resolved by this bridge while the ledger was away. */
  readonly toldAlready: readonly Alert[];
  /** Kinds of events that are told, and the condition that each is. */
  readonly events: readonly { readonly kind: Kind; readonly condition: string }[];
  /** Events wait while there were so many of one condition within ten minutes. */
  readonly mostLately: number;
  /** With all that is open at hand, while nobody else looks. Pure. */
  decide(open: readonly OpenAlert[]): Decisions;
  /** What is told of events that nobody has told yet. Pure. */
  openingsOf(events: readonly Line[]): readonly Opening[];
  /** Hands over what targets are to hear, before it is kept: where the ledger fails then it is told again, and never missed. */
  tell(news: readonly News[]): Promise<void>;
}

export interface News {
  readonly alert: Alert;
  readonly what: Notice['what'];
}

/** Where alerts are kept; implemented by the ledger. Each rejects while that is away. */
export interface AlertBook {
  readAlerts(asked: AlertsQuestion): Promise<AlertList>;
  /** Opens, tells again and resolves. Resolves with all that is open then. */
  look(look: Look): Promise<readonly Alert[]>;
  /** These rigs are heard now. Those of which the books have no share yet are passed over: names cost nothing. */
  sawRigs(rigs: readonly Name[]): Promise<void>;
  /** @param floorMs rigs may be away for so long. @param open logins that are looked at whether they are overdue or not. */
  overdueRigs(floorMs: number, open: readonly string[]): Promise<OverdueRigs>;
  /** What a payout would pay now. */
  payable(): Promise<Payable>;
  /** What blocks wait for before they can be split. */
  unweighed(): Promise<Unweighed>;
  unclaimed(): Promise<Unclaimed>;
}

/** Rigs that are away for longer than is usual for them. */
export interface OverdueRigs {
  /** The newest that are overdue, and of the others those that were asked for. */
  readonly named: readonly {
    readonly login: string;
    readonly isOverdue: boolean;
    readonly awayMs: number;
    /** Milliseconds since the epoch, by the ledger's clock. */
    readonly seenMs: number;
  }[];
  /** Of those that were asked for: not heard for so long that they are known no more. */
  readonly left: readonly string[];
  /** Overdue, and not named. */
  readonly others: number;
}

/** Blocks whose shares are not all in the books yet. */
export interface Unweighed {
  readonly blocks: number;
  /** Since the oldest of them was found; 0 where there is none. */
  readonly oldestMs: number;
  /** Where the shares are that are waited for, as its bridge names itself; `undefined` where no bridge is known to have any. */
  readonly place: string | undefined;
}

/** Blocks that pay the pool, and of which nobody has said who found them. */
export interface Unclaimed {
  readonly blocks: number;
  /** Since the oldest of them was entered; 0 where there is none. */
  readonly oldestMs: number;
}

export interface Payable {
  /** Of accounts that have none of their own. */
  readonly minimum: string;
  readonly accounts: number;
  readonly total: string;
  /** Since the last payout was prepared; `undefined` when there was none. */
  readonly sinceLastMs: number | undefined;
}

/** A target of the settings, as far as it may be shown. */
interface ShownTarget {
  readonly name: string;
  readonly type: string;
}

/** What may be seen of alerts from outside. */
export interface AlertsView {
  /** In force now. */
  targets(): readonly ShownTarget[];
  /** Rejects while the ledger is away. */
  readAlerts(asked: AlertsQuestion): Promise<AlertList>;
  /** Rejects while the queue of notices is away. */
  readTargets(): Promise<readonly TargetReport[]>;
  /** Known to be open, also while the ledger is away. */
  open(): readonly Alert[];
  /** Notices by what became of each try, since the start of this bridge. */
  readonly tries: Readonly<Record<Try, number>>;
}

/** `retried` will be tried again; `failed` will not. */
export const TRIES = ['delivered', 'retried', 'failed'] as const;
export type Try = (typeof TRIES)[number];
