/** The rules of reward, which the ledger has for all bridges: versions, each from a time on. */
import type pg from 'pg';
import { feesAt } from '../accounts/accounts.js';
import { databaseTime } from '../database/clocks.js';
import { LedgerError } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import type { RewardRules } from '../settlement/reward-rules.js';
import { tellInBooks } from '../timeline.js';
import { type Rules, rulesFromJson, rulesInWords, rulesToJson } from './rules-json.js';

export interface RulesInForce extends RewardRules {
  readonly version: number;
}

/** Those in force at a time, with the fees of single accounts then. Throws LedgerError `no-rules` where there are none yet. */
export async function rulesAt(client: pg.ClientBase | pg.Pool, at: Date): Promise<RulesInForce> {
  const row = await versionAt(client, at);
  if (!row) throw new LedgerError('no-rules', NO_RULES);
  const { feeBasisPoints, ...rules } = rulesFromJson(row.rules);
  const fees = { basisPoints: feeBasisPoints, overrides: await feesAt(client, at) };
  return { ...rules, fees, version: row.version };
}

const NO_RULES =
  'these books have no rules of reward yet: the first bridge that starts on them writes its own';

/** By the database's clock. */
export async function rulesNow(client: pg.ClientBase | pg.Pool): Promise<RulesInForce> {
  return rulesAt(client, await databaseTime(client));
}

interface VersionRow {
  readonly version: number;
  readonly valid_from: Date | null;
  readonly made_at: Date;
  readonly made_by: string;
  readonly rules: unknown;
}

/** Of ever: null. */
const VERSIONS =
  "SELECT version, nullif(valid_from, '-infinity') AS valid_from, made_at, made_by, rules FROM rules";

async function versionAt(client: pg.ClientBase | pg.Pool, at: Date): Promise<VersionRow | undefined> {
  const text = `${VERSIONS} WHERE valid_from <= $1 ORDER BY version DESC LIMIT 1`;
  const { rows } = await client.query<VersionRow>(text, [at]);
  return rows[0];
}

/** Books without rules get these, of ever, and own fees with them. True when they did. */
export async function writeFirstRules(pool: pg.Pool, first: RewardRules, by: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query('LOCK TABLE rules IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await client.query('SELECT FROM rules LIMIT 1');
    if (rows.length > 0) return false;
    const { fees, ...rest } = first;
    await insertVersion(client, 1, '-infinity', { ...rest, feeBasisPoints: fees.basisPoints }, by);
    const names = [...fees.overrides.keys()];
    await client.query('SELECT know_accounts($1)', [names]);
    await client.query(FIRST_FEES, [names, [...fees.overrides.values()]]);
    return true;
  });
}

/** Fees that were agreed with `ledger account set` before any bridge started stay. */
const FIRST_FEES = `
  INSERT INTO account_fee (account_id, valid_from, basis_points)
    SELECT id, '-infinity', f.points FROM unnest($1::text[], $2::int[]) AS f (name, points)
    JOIN account ON key = account_key(f.name)
  ON CONFLICT DO NOTHING`;

async function insertVersion(
  client: pg.ClientBase,
  version: number,
  from: Date | string,
  rules: Rules,
  by: string,
): Promise<void> {
  await client.query('INSERT INTO rules (version, valid_from, made_by, rules) VALUES ($1, $2, $3, $4)', [
    version,
    from,
    by,
    JSON.stringify(rulesToJson(rules)),
  ]);
}

export interface RulesVersion extends Rules {
  readonly version: number;
  /** null: of ever. */
  readonly validFrom: string | null;
  readonly madeAt: string;
  readonly madeBy: string;
  /** It is the one in force now. */
  readonly holds: boolean;
}

/** The last made first. */
export async function listRules(pool: pg.Pool): Promise<RulesVersion[]> {
  const { rows } = await pool.query<VersionRow & { holds: boolean }>(
    `SELECT v.*, v.version IS NOT DISTINCT FROM (SELECT max(version) FROM rules WHERE valid_from <= now()) AS holds
     FROM (${VERSIONS}) v ORDER BY version DESC`,
  );
  return rows.map(versionFrom);
}

function versionFrom(row: VersionRow & { readonly holds: boolean }): RulesVersion {
  return {
    version: row.version,
    validFrom: row.valid_from?.toISOString() ?? null,
    madeAt: row.made_at.toISOString(),
    madeBy: row.made_by,
    holds: row.holds,
    ...rulesFromJson(row.rules),
  };
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
    await client.query('LOCK TABLE rules IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await client.query<{ now: Date; version: number | null }>(
      'SELECT clock_timestamp() AS now, (SELECT max(version) FROM rules) AS version',
    );
    const { now = new Date(), version } = rows[0] ?? {};
    if (from && from < now) throw new LedgerError('refused', `${from.toISOString()} is past: ${NOT_PAST}`);
    const { rules, at } = await changed(client, change, from ?? now);
    if (!version) throw new LedgerError('no-rules', NO_RULES);
    if (rules.scheme === 'pps' && rules.schedule.length === 0) throw new LedgerError('refused', NO_SCHEDULE);
    await insertVersion(client, version + 1, at, rules, by);
    const changes = Object.keys(change) as (keyof Rules)[];
    const words = changes.map((key) => `${key} ${rulesInWords(rules)[key]}`).join(', ');
    const says = `rules of reward, version ${version + 1}, from ${at.toISOString()} on: ${words}`;
    await tellInBooks(client, 'ordered', says, { order: 'rules', about: `version ${version + 1}` }, by);
    return at > (from ?? now) ? at : undefined;
  });
}

/** Within ten minutes what is in force may change: it is changed as of their end. */
async function changed(
  client: pg.ClientBase,
  change: Partial<Rules>,
  at: Date,
): Promise<{ rules: Rules; at: Date }> {
  const before = await versionAt(client, at);
  if (!before) throw new LedgerError('no-rules', NO_RULES);
  const inForce = rulesFromJson(before.rules);
  const rules = { ...inForce, ...change };
  const next = new Date(Math.ceil(at.getTime() / PERIOD_MS) * PERIOD_MS);
  const paysShares = inForce.scheme === 'pps' || rules.scheme === 'pps';
  return paysShares && next > at ? changed(client, change, next) : { rules, at };
}

/** Shares are paid by it. */
const PERIOD_MS = 600_000;

const NOT_PAST = 'blocks that were found since then are split by the rules of then';
const NO_SCHEDULE =
  'pps pays each share its part of the scheduled reward: give --block-reward too, such as 0=2.3';

/** What an operator has set for one bridge. */
export interface OwnSettings {
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
    ...(Object.keys(inForce) as (keyof Rules)[])
      .filter((key) => inForce[key] !== mine[key])
      .map((key) => `${key} is ${inForce[key]} in the ledger, and ${mine[key]} in the settings`),
    ...others.map(([account, points]) => {
      const holding = fees.overrides.get(account);
      const words = holding === undefined ? 'that of everybody' : `${holding / 100}%`;
      return `the fee of ${account} is ${words} in the ledger, and ${points / 100}% in the settings`;
    }),
  ];
}
