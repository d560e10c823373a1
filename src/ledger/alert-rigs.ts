/** Rigs over all bridges: when each was seen last, and which are away for longer than is usual for them. */
import type pg from 'pg';
import type { OpenAlert } from '../bridge/alerts/alert-decisions.js';
import { type Finding, MANY } from '../bridge/alerts/alerts.js';
import { loginText, type Name } from '../core/names.js';

/** A rig that comes back every day at the same time is not offline at night: its longest absences are usual, and fade. */
const FADE = 0.9;
const USUAL_TIMES = 3;
/** An absence that is longer says nothing of the next one. */
const LONGEST_USUAL_MS = 86_400_000;
/** A rig that is away for longer has left, and is no news. */
const LEFT = "interval '7 days'";
/** Of those that are told as one, these are counted by name. */
const MOST_READ = 20_000;

/**
 * These are heard now. What was between is an absence if it is longer than a minute, as far as somebody looked: the time in
 * which no bridge ran is nobody's absence.
 */
export async function sawRigs(pool: pg.Pool, rigs: readonly Name[]): Promise<void> {
  const sorted = rigs.toSorted((a, b) => (loginText(a) < loginText(b) ? -1 : 1));
  await pool.query(SAW, [sorted.map(({ account }) => account), sorted.map(({ rig }) => rig)]);
}

const ABSENCE = `extract(epoch FROM now() - greatest(alert_rig.seen_at, (SELECT watching_since FROM alert_watch))) * 1000`;
const SAW = `
  INSERT INTO alert_rig (account, rig) SELECT account, rig FROM unnest($1::text[], $2::text[]) AS u (account, rig)
  ON CONFLICT (account, rig) DO UPDATE SET seen_at = now(), usual_ms = CASE WHEN ${ABSENCE} > 60000
    THEN least(${LONGEST_USUAL_MS}, greatest(${ABSENCE}, alert_rig.usual_ms * ${FADE})) ELSE alert_rig.usual_ms END`;

interface RigRow {
  readonly account: string;
  readonly rig: string;
  readonly away_ms: number;
  readonly overdue: boolean;
}

/** Those that are overdue, and those of open alerts. None when nobody wants to know. */
export async function judgeRigs(
  client: pg.ClientBase,
  floorMs: number,
  open: readonly OpenAlert[],
): Promise<Finding[]> {
  if (floorMs === 0) return [];
  const told = open.filter(({ condition, about }) => condition === 'rigOffline' && about !== MANY);
  const { rows: overdue } = await client.query<RigRow>(OVERDUE, [floorMs, MOST_READ]);
  const { rows: others } = await client.query<RigRow>(THOSE, [floorMs, told.map(({ about }) => about)]);
  const known = new Map([...overdue, ...others].map((row) => [loginText(row), row]));
  const findings = Array.from(known.values(), findingOf);
  const gone = told.filter(({ about }) => !known.has(about)).map(({ about }) => leftFinding(about));
  return [...findings, ...gone, ...crowdFinding(open, findings)];
}

/** Nobody is overdue: also then the alert of many is looked at. */
function crowdFinding(open: readonly OpenAlert[], findings: readonly Finding[]): Finding[] {
  const isOpen = open.some(({ condition, about }) => condition === 'rigOffline' && about === MANY);
  const none = { condition: 'rigOffline', about: '', isBad: false, isShared: true } as const;
  return isOpen && findings.length === 0 ? [{ ...none, says: 'no rig is overdue' }] : [];
}

const IS_OVERDUE = `now() - greatest(r.seen_at, w.watching_since)
  > greatest($1::float8, ${USUAL_TIMES} * r.usual_ms) * interval '1 millisecond'`;
const ROW = `r.account, r.rig, (extract(epoch FROM now() - r.seen_at) * 1000)::float8 AS away_ms`;
const OVERDUE = `
  SELECT ${ROW}, true AS overdue FROM alert_rig r, alert_watch w
  WHERE r.seen_at > now() - ${LEFT} AND ${IS_OVERDUE} ORDER BY r.seen_at DESC LIMIT $2`;
const THOSE = `
  SELECT ${ROW}, r.seen_at > now() - ${LEFT} AND ${IS_OVERDUE} AS overdue FROM alert_rig r, alert_watch w
  WHERE CASE WHEN r.rig = '' THEN r.account ELSE r.account || '.' || r.rig END = ANY ($2)`;

function findingOf({ account, rig, away_ms, overdue }: RigRow): Finding {
  const about = loginText({ account, rig });
  const minutes = Math.max(1, Math.round(away_ms / 60_000));
  const says = overdue
    ? `rig ${about} was last heard ${minutes} min ago, which is longer than usual`
    : `rig ${about} is heard again`;
  return { condition: 'rigOffline', about, isBad: overdue, says, account, isShared: true };
}

function leftFinding(about: string): Finding {
  const says = `rig ${about} was not heard for a week: it is not waited for any more`;
  return { condition: 'rigOffline', about, isBad: false, says, isShared: true };
}
