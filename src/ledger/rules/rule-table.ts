/**
 * The rules that all bridges on a ledger go by. Each is written once, as a setting: a bridge's file gives it where the ledger has none yet.
 * A row of `rules` holds them by the keys of their settings, as a file would: `{"rewards.scheme": "pplns", "rewards.fee": "1%", …}`.
 */
import type { Fees } from '../../core/money/rewards.js';
import { asInFile } from '../../values/as-in-file.js';
import type { ConfigOf, Setting } from '../../values/setting.js';
import { RULE_SETTINGS } from '../settings.js';

/** As the code calls them -> as settings are called. Own fees are rows of `account_fee`. */
export const RULES = {
  scheme: 'rewards.scheme',
  feeBasisPoints: 'rewards.fee',
  pplnsWindow: 'rewards.pplnsWindow',
  schedule: 'rewards.schedule',
  poolAccounts: 'rewards.poolAccounts',
  chainDepth: 'chain.depth',
  chainNodes: 'chain.nodes',
  patienceMs: 'rewards.patience',
  keepRigsMs: 'ledger.retention.rigs',
  keepAccountsMs: 'ledger.retention.accounts',
  payoutMode: 'payouts.mode',
  payoutSchedule: 'payouts.schedule',
  minimum: 'payouts.minimum',
  lineLimit: 'payouts.limit.line',
  batchLimit: 'payouts.limit.batch',
  dayLimit: 'payouts.limit.day',
  usualFactor: 'payouts.limit.factor',
  approvals: 'payouts.approvals',
  firstApprovals: 'payouts.firstApprovals',
  reserve: 'payouts.reserve',
  split: 'payouts.split',
} as const satisfies Record<string, keyof typeof RULE_SETTINGS>;

type Rule = keyof typeof RULES;

/** What one version says. */
export type Rules = { readonly [R in Rule]: ConfigOf<typeof RULE_SETTINGS>[(typeof RULES)[R]] };

/** The same with the fees of single accounts. */
export type RewardRules = Omit<Rules, 'feeBasisPoints'> & { readonly fees: Fees };

/** Throws where a row is none: nothing but {@link rulesToRow} writes them. */
export function rulesFromRow(row: Readonly<Record<string, unknown>>): Rules {
  return each((key) => typeOf(RULE_SETTINGS[key]).parse(row[key]));
}

const { feeBasisPoints: basisPoints, ...DEFAULTS } = rulesFromRow(
  Object.fromEntries(Object.values(RULES).map((key) => [key, RULE_SETTINGS[key].default])),
);
export const REWARD_RULES: RewardRules = { ...DEFAULTS, fees: { basisPoints, overrides: new Map() } };

/** Of all settings those that are rules. */
export function rulesOf(config: ConfigOf<typeof RULE_SETTINGS>): Rules {
  return each((key) => config[key]);
}

/** As settings have them. */
export function settingsOf(rules: Rules): ConfigOf<typeof RULE_SETTINGS> {
  const pairs = Object.entries(RULES).map(([rule, key]) => [key, rules[rule as Rule]]);
  return Object.fromEntries(pairs) as ConfigOf<typeof RULE_SETTINGS>;
}

export function rulesToRow(rules: Rules): Record<string, unknown> {
  const values = Object.entries(settingsOf(rules)) as [(typeof RULES)[Rule], unknown][];
  return Object.fromEntries(values.map(([key, value]) => [key, asInFile(RULE_SETTINGS[key], value)]));
}

/** By the keys of their settings, for people. */
export function rulesInWords(rules: Rules): Record<string, string> {
  return Object.fromEntries(Object.entries(rulesToRow(rules)).map(([key, value]) => [key, textOf(value)]));
}

function each(of: (key: (typeof RULES)[Rule]) => unknown): Rules {
  const pairs = Object.entries(RULES).map(([rule, key]) => [rule, of(key)]);
  return Object.fromEntries(pairs) as Rules;
}

function typeOf(setting: Setting) {
  return setting.type(setting.default);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map((pair) => pair.join('='))
    .join(',');
}
