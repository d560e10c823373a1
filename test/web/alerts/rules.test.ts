/** The rules of Prometheus and the conditions of the bridge say the same, where Prometheus can know. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CONDITIONS, type Condition, SEVERITY_OF } from '../../../src/bridge/alerts/alerts.js';
import { readQuantity } from '../../../src/values/units.js';
import { BOUNDS } from '../../../src/web/alerts/rules.js';
import { ALERT_SETTINGS } from '../../../src/web/alerts/settings.js';
import { rulesIn } from '../../helpers/alerts/expressions.js';

const RULES = rulesIn(fileURLToPath(new URL('../../../config/deploy/prometheus/rules.yml', import.meta.url)));

/** Why Prometheus cannot know. */
const UNKNOWN: Partial<Record<Condition, string>> = {
  rigOffline: 'names of rigs are no labels of a metric: ten thousand of them would be as many series',
  accountHashRateLow: 'names of accounts are no labels of a metric',
  rigHashRateLow: 'names of rigs are no labels of a metric',
  blockConfirmed: 'what becomes of a block is in the books that all bridges share: each would raise it',
  blockOrphaned: 'the same',
  blockPaysAnother: 'the same',
  splitsBehind: 'blocks are in the books that all bridges share',
  payoutsPaused: 'payouts are of the books that all bridges share: each would raise it',
  payoutsOverdue: 'the same',
  paymentsHeld: 'the same',
  payoutPaid: 'the same',
  paymentsReturned: 'the same',
  hotBalanceHigh: 'the same',
  reserveLow: 'the same',
  payoutDue: 'balances are in the books that all bridges share',
};

const nameOf = (condition: Condition): string => condition.charAt(0).toUpperCase() + condition.slice(1);
const ruleOf = (condition: Condition) => RULES.find(({ alert }) => alert === nameOf(condition));

/** Seconds as rules write them. */
function secondsOf(text = '0s'): number {
  const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

/** Bounds by default, as the rule must write them; those that hold for a time in seconds. */
const BOUND_OF: Partial<Record<Condition, { readonly says?: string; readonly forSeconds?: number }>> = {
  poolHashRateLow: { says: `< ${BOUNDS.poolHashRatePart} *`, forSeconds: 300 },
  acceptRateLow: { says: `> ${(100 - 100 * BOUNDS.acceptedPart) / 100}` },
  nodeUnhealthy: { says: '== 0', forSeconds: BOUNDS.nodeMs / 1000 },
  noFreshJob: { says: `> ${BOUNDS.jobMs / 1000}`, forSeconds: 0 },
  forkVotesDiffer: { says: '== 1', forSeconds: 600 },
  sharesHeldBack: { says: '> 0', forSeconds: BOUNDS.heldBackMs / 1000 },
  queueBehind: { says: `> ${BOUNDS.queueEntries}`, forSeconds: 600 },
  ledgerAway: { says: '== 0', forSeconds: BOUNDS.ledgerMs / 1000 },
  diskLow: {
    says: `< ${readQuantity(ALERT_SETTINGS['alerts.disk'].default as string, 'size')}`,
    forSeconds: 0,
  },
  certificateEnding: { says: `< ${BOUNDS.certificateMs / 86_400_000} * 86400`, forSeconds: 0 },
};

describe('rules of Prometheus', () => {
  it('have each condition, or it is said why they cannot', () => {
    const known = CONDITIONS.filter((condition) => ruleOf(condition));
    const expected = CONDITIONS.filter((condition) => UNKNOWN[condition] === undefined);
    expect(known).toEqual(expected);
  });

  it.each(CONDITIONS.filter((condition) => UNKNOWN[condition] === undefined))(
    '%s has its severity and bound',
    (condition) => {
      const rule = ruleOf(condition);
      expect(rule?.labels?.severity).toBe(SEVERITY_OF[condition]);
      const { says = '', forSeconds } = BOUND_OF[condition] ?? {};
      expect(rule?.expr.replace(/\s+/g, ' ')).toContain(says);
      if (forSeconds !== undefined) expect(secondsOf(rule?.for)).toBe(forSeconds);
    },
  );
});
