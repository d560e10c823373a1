/** The rules, which the ledger has for all bridges: versions, each from a time on. */
import type pg from 'pg';
import type { LedgerLists } from '../../operations/books/ledger.js';
import { SQL as ACCOUNTS } from '../accounts/accounts.js';
import { LedgerError } from '../database/errors.js';
import { type Ask, rowOf, run, statementsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { RULE_CHECKS } from '../settings.js';
import { tellInBooks } from '../timeline.js';
import {
  REWARD_RULES,
  type RewardRules,
  RULES,
  type Rules,
  rulesFromRow,
  rulesInWords,
  rulesToRow,
  settingsOf,
} from './rule-table.js';

export interface RulesInForce extends RewardRules {
  readonly version: number;
}

/** Those in force at a time, with the fees of single accounts then. Throws LedgerError `no-rules` where there are none yet. */
export async function rulesAt(client: pg.ClientBase | pg.Pool, at: Date | null): Promise<RulesInForce> {
  const row = await rowOf(client, SQL.at, [at]);
  if (!row) throw new LedgerError('no-rules', NO_RULES);
  const { feeBasisPoints, ...rules } = rulesFromRow(row.rules);
  const overrides = new Map(Object.entries(row.fees));
  const fees = { basisPoints: feeBasisPoints, overrides };
  return { ...rules, fees, version: row.version };
}

const NO_RULES = 'these books have no rules yet: the first bridge that starts on them writes its own';

/** By the database's clock. */
export function rulesNow(client: pg.ClientBase | pg.Pool): Promise<RulesInForce> {
  return rulesAt(client, null);
}

const SQL = statementsOf<'rules/rules.sql', { at: { fees: Readonly<Record<string, number>> } }>(
  'rules/rules.sql',
);

/** Nobody else makes a version until the transaction ends. */
const LOCK = 'LOCK TABLE rules IN SHARE ROW EXCLUSIVE MODE';

/** Books without rules get these, of ever, and own fees with them. True when they did. */
export async function writeFirstRules(pool: pg.Pool, first: RewardRules, by: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query(LOCK);
    if ((await rowOf(client, SQL.newest))?.version) return false;
    const { fees, ...rest } = first;
    await insertVersion(client, 1, '-infinity', { ...rest, feeBasisPoints: fees.basisPoints }, by);
    const names = [...fees.overrides.keys()];
    await run(client, ACCOUNTS.know, [names]);
    await run(client, SQL.firstFees, [names, [...fees.overrides.values()]]);
    return true;
  });
}

async function insertVersion(
  client: pg.ClientBase,
  version: number,
  from: Date | string,
  rules: Rules,
  by: string,
): Promise<void> {
  await run(client, SQL.insert, [version, from, by, JSON.stringify(rulesToRow(rules))]);
}

/** The last made first, in words. */
export async function listRules(ask: Ask): Promise<LedgerLists['rules'][]> {
  const rows = await ask(SQL.all);
  const words = rows.map(({ rules }) => rulesInWords(rulesFromRow(rules)));
  return rows.map(({ rules: _, ...version }, i) => {
    const rules = words[i] ?? {};
    return { ...version, rules, changes: changesOf(rules, words[i + 1] ?? DEFAULTS) };
  });
}

const { fees: DEFAULT_FEES, ...DEFAULT } = REWARD_RULES;
const DEFAULTS = rulesInWords({ ...DEFAULT, feeBasisPoints: DEFAULT_FEES.basisPoints });

function changesOf(
  rules: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): string {
  const changed = Object.entries(rules).filter(([key, words]) => words !== before[key]);
  return changed.map(([key, words]) => `${key} ${words}`).join(', ');
}

/**
 * A new version: what is in force at its time, with these changes, from `from` on, or from now on; where shares are paid before or after
 * it, from the next whole ten minutes on, which are paid by one version. Versions made before that would begin later are passed over by
 * it. Resolves with its time where that is not the one given. Throws LedgerError `refused` for a time in the past and for rules that cannot be, `no-rules`.
 */
export async function makeRules(
  pool: pg.Pool,
  change: Partial<Rules>,
  from: Date | undefined,
  by: string,
): Promise<Date | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(LOCK);
    const { now = new Date(), version } = (await rowOf(client, SQL.newest)) ?? {};
    if (from && from < now) throw new LedgerError('refused', `${from.toISOString()} is past: ${NOT_PAST}`);
    const { rules, at } = await changed(client, change, from ?? now);
    if (!version) throw new LedgerError('no-rules', NO_RULES);
    for (const { key, says } of RULE_CHECKS) {
      const fault = says(settingsOf(rules));
      if (fault !== undefined) throw new LedgerError('refused', `${key} ${fault}`);
    }
    await insertVersion(client, version + 1, at, rules, by);
    const changes = Object.keys(change) as (keyof Rules)[];
    const words = changes.map((rule) => `${RULES[rule]} ${rulesInWords(rules)[RULES[rule]]}`).join(', ');
    const says = `rules, version ${version + 1}, from ${at.toISOString()} on: ${words}`;
    await tellInBooks(client, 'ordered', { order: 'rules', about: `version ${version + 1}` }, by, says);
    return at > (from ?? now) ? at : undefined;
  });
}

/** Within ten minutes what is in force may change: it is changed as of their end. */
async function changed(
  client: pg.ClientBase,
  change: Partial<Rules>,
  at: Date,
): Promise<{ rules: Rules; at: Date }> {
  const before = await rowOf(client, SQL.at, [at]);
  if (!before) throw new LedgerError('no-rules', NO_RULES);
  const inForce = rulesFromRow(before.rules);
  const rules = { ...inForce, ...change };
  const next = new Date(Math.ceil(at.getTime() / PERIOD_MS) * PERIOD_MS);
  const paysShares = inForce.scheme === 'pps' || rules.scheme === 'pps';
  return paysShares && next > at ? changed(client, change, next) : { rules, at };
}

/** Shares are paid by it. */
const PERIOD_MS = 600_000;

const NOT_PAST = 'blocks that were found since then are split by the rules of then';
/** What an operator has set for one bridge. */
export interface OwnSettings {
  /** That its blocks pay. */
  readonly account: string;
  readonly rules: Partial<Rules>;
  readonly fees: ReadonlyMap<string, number>;
}

/** Of settings, those that say otherwise than the ledger, in words. */
export function differences(holds: RulesInForce, own: OwnSettings): string[] {
  const { fees, ...rest } = holds;
  const rules = { ...rest, feeBasisPoints: fees.basisPoints };
  const inForce = rulesInWords(rules);
  const mine = rulesInWords({ ...rules, ...own.rules });
  const others = [...own.fees].filter(([account, points]) => fees.overrides.get(account) !== points);
  return [
    ...Object.keys(inForce)
      .filter((key) => inForce[key] !== mine[key])
      .map((key) => `${key} is ${inForce[key]} in the ledger, and ${mine[key]} in the settings`),
    ...(holds.poolAccounts.includes(own.account)
      ? []
      : [
          `miner.account is ${own.account}, which is none of rewards.poolAccounts: what pays it is credited to nobody`,
        ]),
    ...others.map(([account, points]) => {
      const holding = fees.overrides.get(account);
      const words = holding === undefined ? 'that of everybody' : `${holding / 100}%`;
      return `the fee of ${account} is ${words} in the ledger, and ${points / 100}% in the settings`;
    }),
  ];
}
