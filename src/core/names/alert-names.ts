/** Names of what alerts are about: settings, rules and the API say them alike. */

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
  'sharesHeldBack',
  'queueBehind',
  'ledgerAway',
  'diskLow',
  'certificateEnding',
  'blockFound',
  'blockConfirmed',
  'blockOrphaned',
  'blockPaysAnother',
  'splitsBehind',
  'payoutDue',
  'payoutsPaused',
  'payoutsOverdue',
  'paymentsHeld',
  'payoutPaid',
  'paymentsReturned',
  'hotBalanceHigh',
  'reserveLow',
] as const;
export type Condition = (typeof CONDITIONS)[number];

/** Of what happens, and is over at once. */
export const EVENT_CONDITIONS = [
  'blockFound',
  'blockConfirmed',
  'blockOrphaned',
  'blockPaysAnother',
  'payoutPaid',
  'paymentsReturned',
] as const;
export type EventCondition = (typeof EVENT_CONDITIONS)[number];

/** The lesser ones first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
