/** Rigs over all bridges: when each was seen last, and which are away for longer than is usual for them. */
import type pg from 'pg';
import type { OpenAlert } from '../../bridge/alerts/alert-decisions.js';
import { type Finding, MANY } from '../../bridge/alerts/alerts.js';
import { loginText, type Name } from '../../core/names.js';

/** A rig that comes back every day at the same time is not offline at night: its longest absences are usual, and fade. */
const FADE = 0.9;
const USUAL_TIMES = 3;
/** An absence that is longer says nothing of the next one. */
const LONGEST_USUAL_MS = 86_400_000;
/** A rig that is away for longer has left, and is no news. */
const LEFT = "interval '7 days'";
/** The newest of those that are overdue are read by name, more than may be told so; the others are counted. */
const MOST_READ = 250;
/** Without any bridge that looks for so long, nothing is known of what went on meanwhile. */
const BREAK = "interval '2 minutes'";
/** Since when somebody looks without a break: also while nobody has looked yet after one, and where the clock was set back. */
export const WATCHING_SINCE = `least(now(), CASE WHEN w.watched_at < now() - ${BREAK} THEN now() ELSE w.watching_since END)`;

/**
 * These are heard now. What was between is an absence if it is longer than a minute, as far as somebody looked: the time in
 * which no bridge ran, or could write this down, is nobody's absence.
 */
export async function sawRigs(pool: pg.Pool, rigs: readonly Name[]): Promise<void> {
  const sorted = rigs.toSorted((a, b) => (loginText(a) < loginText(b) ? -1 : 1));
  await pool.query(SAW, [sorted.map(({ account }) => account), sorted.map(({ rig }) => rig)]);
}

const ABSENCE = `extract(epoch FROM now() - greatest(alert_rig.seen_at, (SELECT ${WATCHING_SINCE} FROM alert_watch w))) * 1000`;
const SAW = `
  INSERT INTO alert_rig (account, rig) SELECT u.account, u.rig FROM unnest($1::text[], $2::text[]) AS u (account, rig)
    WHERE EXISTS (SELECT FROM rig b WHERE b.key = rig_key(u.account, u.rig))
  ON CONFLICT (account, rig) DO UPDATE SET seen_at = now(), usual_ms = CASE WHEN ${ABSENCE} > 60000
    THEN least(${LONGEST_USUAL_MS}, greatest(${ABSENCE}, alert_rig.usual_ms * ${FADE})) ELSE alert_rig.usual_ms END`;

interface RigRow {
  readonly account: string;
  readonly rig: string;
  readonly away_ms: number;
  readonly seen_ms: number;
  readonly overdue: boolean;
}

export interface JudgedRigs {
  /** The newest that are overdue, and those of open alerts. */
  readonly findings: readonly Finding[];
  /** Overdue besides. */
  readonly more: number;
}

/** None when nobody wants to know. */
export async function judgeRigs(
  client: pg.ClientBase,
  floorMs: number,
  open: readonly OpenAlert[],
): Promise<JudgedRigs> {
  if (floorMs === 0) return { findings: [], more: 0 };
  const told = open.filter(({ condition, about }) => condition === 'rigOffline' && about !== MANY);
  const names = told.map(({ about }) => about);
  const { rows: fresh } = await client.query<RigRow & { total: number }>(FRESH, [floorMs, names, MOST_READ]);
  const { rows: others } = names.length === 0 ? NONE : await client.query<RigRow>(THOSE, [floorMs, names]);
  const known = new Set(others.map(loginText));
  const gone = names.filter((about) => !known.has(about)).map(leftFinding);
  const findings = [...[...fresh, ...others].map(findingOf), ...gone];
  const more = (fresh[0]?.total ?? 0) - fresh.length;
  return { findings: [...findings, ...crowdFinding(open, findings)], more };
}

const NONE = { rows: [] as RigRow[] };

/** Nobody is overdue: also then the alert of many is looked at. */
function crowdFinding(open: readonly OpenAlert[], findings: readonly Finding[]): Finding[] {
  const isOpen = open.some(({ condition, about }) => condition === 'rigOffline' && about === MANY);
  const none = { condition: 'rigOffline', about: '', isBad: false, isShared: true } as const;
  return isOpen && findings.length === 0 ? [{ ...none, says: 'no rig is overdue' }] : [];
}

/** Of an account, in one look, and in all. */
const MOST_QUIET = { ofAccount: 20, atOnce: 100, open: 1_000 };

/** Those that are overdue of accounts with a webhook, and have no alert by name: their miners are told, whatever is told to all. */
export async function judgeRigsOfMiners(client: pg.ClientBase, floorMs: number): Promise<Finding[]> {
  const { ofAccount, atOnce, open } = MOST_QUIET;
  const { rows } = await client.query<RigRow>(OF_MINERS, [floorMs, ofAccount, atOnce, open]);
  return rows.map(findingOf);
}

const IS_OVERDUE = `r.seen_at > now() - ${LEFT} AND now() - greatest(r.seen_at, ${WATCHING_SINCE})
  > greatest($1::float8, ${USUAL_TIMES} * r.usual_ms) * interval '1 millisecond'`;
const LOGIN = "CASE WHEN r.rig = '' THEN r.account ELSE r.account || '.' || r.rig END";
const ROW = `r.account, r.rig, (extract(epoch FROM now() - r.seen_at) * 1000)::float8 AS away_ms,
  (extract(epoch FROM r.seen_at) * 1000)::float8 AS seen_ms`;
const FRESH = `
  SELECT ${ROW}, true AS overdue, count(*) OVER ()::int AS total FROM alert_rig r, alert_watch w
  WHERE ${IS_OVERDUE} AND NOT ${LOGIN} = ANY ($2) ORDER BY r.seen_at DESC LIMIT $3`;
const THOSE = `
  SELECT ${ROW}, ${IS_OVERDUE} AS overdue FROM alert_rig r, alert_watch w WHERE ${LOGIN} = ANY ($2)`;
const OF_MINERS = `
  WITH told AS (
    SELECT about, account, told_at = '-infinity' AS quiet FROM alert WHERE resolved_at IS NULL AND condition = 'rigOffline'
  ), of_account AS (
    SELECT account, count(*) AS alerts FROM told GROUP BY account
  )
  SELECT m.* FROM (
    SELECT ${ROW}, true AS overdue, row_number() OVER (PARTITION BY r.account ORDER BY r.seen_at DESC) AS place
    FROM (SELECT DISTINCT account FROM alert_subscription) s JOIN alert_rig r ON r.account = s.account
    CROSS JOIN alert_watch w LEFT JOIN told t ON t.about = ${LOGIN}
    WHERE t.about IS NULL AND ${IS_OVERDUE}
  ) m LEFT JOIN of_account o ON o.account = m.account
  WHERE m.place + coalesce(o.alerts, 0) <= $2 AND (SELECT count(*) FROM told WHERE quiet) < $4
  LIMIT $3`;

function findingOf({ account, rig, away_ms, seen_ms, overdue }: RigRow): Finding {
  const about = loginText({ account, rig });
  const minutes = Math.max(1, Math.round(away_ms / 60_000));
  const says = overdue
    ? `rig ${about} was last heard ${minutes} min ago, which is longer than usual`
    : `rig ${about} is heard again`;
  return { condition: 'rigOffline', about, isBad: overdue, says, account, sinceMs: seen_ms, isShared: true };
}

function leftFinding(about: string): Finding {
  const says = `rig ${about} was not heard for a week: it is not waited for any more`;
  return { condition: 'rigOffline', about, isBad: false, says, isShared: true };
}
