/** The rules of Prometheus and the conditions of the bridge say the same, where Prometheus can know. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CONDITION_NAMES, CONDITIONS, type Condition } from '../../src/alerts/conditions.js';
import { holdOf } from '../../src/alerts/judge.js';
import { ALERT_SETTINGS } from '../../src/alerts/settings.js';
import { readQuantity } from '../../src/values/units.js';
import { rulesIn } from '../helpers/alerts/expressions.js';

const RULES = rulesIn(fileURLToPath(new URL('../../config/deploy/prometheus/rules.yml', import.meta.url)));

/** Why Prometheus cannot know. */
const UNKNOWN: Partial<Record<Condition, string>> = {
  rigOffline: 'names of rigs are no labels of a metric: ten thousand of them would be as many series',
  accountHashRateLow: 'names of accounts are no labels of a metric',
  rigHashRateLow: 'names of rigs are no labels of a metric',
  blockConfirmed: 'what becomes of a block is in the books that all bridges share: each would raise it',
  blockOrphaned: 'the same',
  blockPaysAnother: 'the same',
  splitsBehind: 'blocks are in the books that all bridges share',
  chainStandsStill: 'the same',
  blockUnclaimed: 'the same',
  paymentsPaused: 'who pays is in the books that all bridges share',
  payoutWaits: 'the same',
  payoutDue: 'balances are in the books that all bridges share',
};

const nameOf = (condition: Condition): string => condition.charAt(0).toUpperCase() + condition.slice(1);
const ruleOf = (condition: Condition) => RULES.find(({ alert }) => alert === nameOf(condition));

/** Seconds as rules write them. */
function secondsOf(text = '0s'): number {
  const [, count = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

/** Bounds by default, as the rule must write them. */
const BOUND_OF: Partial<Record<Condition, string>> = {
  poolHashRateLow: `< ${CONDITIONS.poolHashRateLow.bound} *`,
  acceptRateLow: `> ${(100 - 100 * CONDITIONS.acceptRateLow.bound) / 100}`,
  nodeUnhealthy: '== 0',
  noFreshJob: `> ${CONDITIONS.noFreshJob.bound / 1000}`,
  forkVotesDiffer: '== 1',
  solutionsUnkept: '> 0',
  sharesHeldBack: '> 0',
  entriesUnbooked: '> 0',
  queueBehind: `> ${CONDITIONS.queueBehind.bound}`,
  ledgerAway: '== 0',
  diskLow: `< ${readQuantity(ALERT_SETTINGS['alerts.disk'].default as string, 'size')}`,
  certificateEnding: `< ${CONDITIONS.certificateEnding.bound / 86_400_000} * 86400`,
};

describe('rules of Prometheus', () => {
  it('have each condition, or it is said why they cannot', () => {
    const known = CONDITION_NAMES.filter((condition) => ruleOf(condition));
    const expected = CONDITION_NAMES.filter((condition) => UNKNOWN[condition] === undefined);
    expect(known).toEqual(expected);
  });

  it.each(CONDITION_NAMES.filter((condition) => UNKNOWN[condition] === undefined))(
    '%s has its severity and bound',
    (condition) => {
      const rule = ruleOf(condition);
      expect(rule?.labels?.severity).toBe(CONDITIONS[condition].severity);
      expect(rule?.expr.replace(/\s+/g, ' ')).toContain(BOUND_OF[condition] ?? '');
      // That of submits is judged over another window there.
      if (condition !== 'acceptRateLow') expect(secondsOf(rule?.for)).toBe(holdOf(condition) / 1000);
    },
  );
});
