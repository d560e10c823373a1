/** Rigs over all bridges: when each was seen last, and which are away for longer than is usual for them. */
import type pg from 'pg';
import type { OpenAlert } from '../../bridge/alerts/alert-decisions.js';
import { type Finding, MANY } from '../../bridge/alerts/alerts.js';
import { loginText, type Name } from '../../core/names/names.js';
import { type RowOf, rowsOf, run, statementsOf } from '../database/statements.js';

/** The newest of those that are overdue are read by name, more than may be told so; the others are counted. */
const MOST_READ = 250;

export const SQL = statementsOf('alerts/rigs.sql');

type RigRow = RowOf<typeof SQL.those>;

/**
 * These are heard now. What was between is an absence if it is longer than a minute, as far as somebody looked: the time in
 * which no bridge ran, or could write this down, is nobody's absence.
 */
export async function sawRigs(pool: pg.Pool, rigs: readonly Name[]): Promise<void> {
  const sorted = rigs.toSorted((a, b) => (loginText(a) < loginText(b) ? -1 : 1));
  await run(pool, SQL.saw, [sorted.map(({ account }) => account), sorted.map(({ rig }) => rig)]);
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
  const fresh = await rowsOf(client, SQL.fresh, [floorMs, names, MOST_READ]);
  const others = names.length === 0 ? [] : await rowsOf(client, SQL.those, [floorMs, names]);
  const known = new Set(others.map(loginText));
  const gone = names.filter((about) => !known.has(about)).map(leftFinding);
  const findings = [...[...fresh, ...others].map(findingOf), ...gone];
  const more = (fresh[0]?.total ?? 0) - fresh.length;
  return { findings: [...findings, ...crowdFinding(open, findings)], more };
}

/** Nobody is overdue: also then the alert of many is looked at. */
function crowdFinding(open: readonly OpenAlert[], findings: readonly Finding[]): Finding[] {
  const isOpen = open.some(({ condition, about }) => condition === 'rigOffline' && about === MANY);
  const none = { condition: 'rigOffline', about: '', isBad: false, isShared: true } as const;
  return isOpen && findings.length === 0 ? [{ ...none, says: 'no rig is overdue' }] : [];
}

function findingOf({ account, rig, awayMs, seenMs: sinceMs, overdue }: RigRow): Finding {
  const about = loginText({ account, rig });
  const minutes = Math.max(1, Math.round(awayMs / 60_000));
  const says = overdue
    ? `rig ${about} was last heard ${minutes} min ago, which is longer than usual`
    : `rig ${about} is heard again`;
  return { condition: 'rigOffline', about, isBad: overdue, says, account, sinceMs, isShared: true };
}

function leftFinding(about: string): Finding {
  const says = `rig ${about} was not heard for a week: it is not waited for any more`;
  return { condition: 'rigOffline', about, isBad: false, says, isShared: true };
}
