/**
 * What an operator is told without looking: conditions, alerts that they open, and where these are kept. All bridges on a ledger
 * share the alerts in it: each is opened, told and resolved once, whoever sees it.
 */

/** Each has its bounds in settings; the Prometheus rules of `config/deploy` bear the same names, with a capital letter. */
export const CONDITIONS = [
  'rigOffline',
  'poolHashRateLow',
  'accountHashRateLow',
  'rigHashRateLow',
  'acceptRateLow',
  'nodeUnhealthy',
  'noFreshJob',
  'forkVotesDiffer',
  'spoolBehind',
  'queueBehind',
  'ledgerAway',
  'diskLow',
  'certificateEnding',
  'blockFound',
  'blockConfirmed',
  'blockOrphaned',
  'payoutDue',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Of what happens, and is over at once. */
export const EVENT_CONDITIONS = ['blockFound', 'blockConfirmed', 'blockOrphaned'] as const;
export type EventCondition = (typeof EVENT_CONDITIONS)[number];

/** The lesser ones first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SEVERITY_OF: Readonly<Record<Condition, Severity>> = {
  rigOffline: 'warning',
  poolHashRateLow: 'critical',
  accountHashRateLow: 'warning',
  rigHashRateLow: 'warning',
  acceptRateLow: 'warning',
  nodeUnhealthy: 'warning',
  noFreshJob: 'critical',
  forkVotesDiffer: 'warning',
  spoolBehind: 'warning',
  queueBehind: 'warning',
  ledgerAway: 'critical',
  diskLow: 'critical',
  certificateEnding: 'warning',
  blockFound: 'info',
  blockConfirmed: 'info',
  blockOrphaned: 'warning',
  payoutDue: 'info',
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
  /** All bridges see the same of it: one that says it is well is believed, whatever others said before. */
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
