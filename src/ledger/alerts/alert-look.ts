/** One look of a bridge at what is wrong, in one transaction: alerts are opened, told again and resolved once for all bridges. */
import type pg from 'pg';
import { decide, type OpenAlert, type Opening } from '../../bridge/alerts/alert-decisions.js';
import {
  type Alert,
  type Look,
  MANY,
  SEVERITY_OF,
  type Subject,
  type What,
} from '../../bridge/alerts/alerts.js';
import { storable } from '../../core/names.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';
import { enqueue } from './alert-deliveries.js';
import { readEvents } from './alert-events.js';
import { judgeRigs, judgeRigsOfMiners, WATCHING_SINCE } from './alert-rigs.js';
import { ALERT_COLUMNS, type AlertRow, alertFrom, IS_QUIET } from './alerts.js';

/** Any constant: who looks holds this advisory lock, and looks one after the other. */
const LOOK_LOCK = 0x5b_a1e7;
/** What another bridge has found counts for so long without being found again. */
const REPORT_HOLDS = "interval '1 minute'";
/** Three looks: what all see alike counts for so long. */
const LOOKS_HOLD = "interval '15 seconds'";
/** Many alerts of one condition within it are told as one. */
const RECENT = "interval '10 minutes'";
/** An alert that nobody finds right or wrong any more, as when a node was taken out of the settings. */
const FORGOTTEN = "interval '1 hour'";
const MAX_SAYS = 500;
const MAX_ABOUT = 300;

/** Resolves with all that is open afterwards. */
export function lookAtAlerts(pool: pg.Pool, look: Look): Promise<readonly Alert[]> {
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOOK_LOCK]);
    const news = new News(client, look);
    await client.query(KEEP_WATCH);
    const open = await readOpen(client, look.bridge);
    await news.keepTold();
    const rigs = await judgeRigs(client, look.rigOfflineMs, open);
    const more = new Map([['rigOffline' as const, rigs.more]]);
    const decisions = decide(open, [...look.findings, ...rigs.findings], more);
    await confirm(client, look.bridge, decisions.confirms);
    await client.query('DELETE FROM alert_report WHERE bridge = $1 AND alert_id = ANY ($2)', [
      look.bridge,
      decisions.withdraws,
    ]);
    for (const opening of decisions.opens) await news.open(opening);
    await news.promote(decisions.promotes);
    if ([...open, ...decisions.opens].some(isOfManyRigs)) await news.openForMiners();
    await news.resolve(decisions.resolves);
    await news.resolve(await findOver(client, look));
    await news.repeat();
    for (const event of await readEvents(client, look.events)) await news.happen(event);
    await news.tell();
    const { rows } = await client.query<AlertRow>(
      `SELECT ${ALERT_COLUMNS} FROM alert WHERE resolved_at IS NULL AND NOT ${IS_QUIET} ORDER BY id DESC`,
    );
    return rows.map(alertFrom);
  });
}

function isOfManyRigs({ condition, about }: Subject): boolean {
  return condition === 'rigOffline' && about === MANY;
}

const KEEP_WATCH = `UPDATE alert_watch w SET watched_at = now(), watching_since = ${WATCHING_SINCE}`;

async function readOpen(client: pg.ClientBase, bridge: string): Promise<OpenAlert[]> {
  const { rows } = await client.query<AlertRow & Record<'seen' | 'lately' | 'recent' | 'quiet', boolean>>(
    `SELECT ${ALERT_COLUMNS}, opened_at > now() - ${RECENT} AS recent, ${IS_QUIET} AS quiet,
       ${seenByOthers(REPORT_HOLDS)} AS seen, ${seenByOthers(LOOKS_HOLD)} AS lately FROM alert a WHERE resolved_at IS NULL`,
    [bridge],
  );
  return rows.map((row) => {
    const { id, condition, about, openedAtMs } = alertFrom(row);
    const { seen: isSeenByOthers, lately: isSeenJustNow, recent: isRecent, quiet: isQuiet } = row;
    return { id, condition, about, openedAtMs, isSeenByOthers, isSeenJustNow, isRecent, isQuiet };
  });
}

function seenByOthers(holds: string): string {
  return `EXISTS (SELECT FROM alert_report r
    WHERE r.alert_id = a.id AND r.bridge <> $1 AND r.reported_at > now() - ${holds})`;
}

interface Words {
  readonly id: number;
  readonly says: string;
}

async function confirm(client: pg.ClientBase, bridge: string, found: readonly Words[]): Promise<void> {
  if (found.length === 0) return;
  const [ids, says] = [found.map(({ id }) => id), found.map((each) => storable(each.says, MAX_SAYS))];
  await client.query(
    `UPDATE alert a SET reported_at = now(), says = f.says
     FROM unnest($1::bigint[], $2::text[]) AS f (id, says) WHERE a.id = f.id`,
    [ids, says],
  );
  await client.query(REPORT, [bridge, ids]);
}

const REPORT = `
  INSERT INTO alert_report (alert_id, bridge) SELECT id, $1 FROM unnest($2::bigint[]) AS u (id)
  ON CONFLICT (alert_id, bridge) DO UPDATE SET reported_at = now()`;

/** Of conditions that are switched off, here and at all that found them lately, and of what nobody speaks of any more. */
async function findOver(client: pg.ClientBase, { bridge, off }: Look): Promise<Words[]> {
  const { rows } = await client.query<{ id: string; off: boolean }>(
    `SELECT a.id, a.condition = ANY ($2) AS off FROM alert a, alert_watch w WHERE a.resolved_at IS NULL AND (
       a.condition = ANY ($2) AND NOT ${seenByOthers(REPORT_HOLDS)}
       OR a.reported_at < now() - ${FORGOTTEN} AND w.watching_since < now() - ${FORGOTTEN})`,
    [bridge, off],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    says: row.off ? 'this is not watched any more' : 'nothing was heard of it for an hour',
  }));
}

/** What changes in one look, and who is told of it. */
class News {
  readonly #client: pg.ClientBase;
  readonly #look: Look;
  readonly #lines: (() => Promise<void>)[] = [];

  constructor(client: pg.ClientBase, look: Look) {
    this.#client = client;
    this.#look = look;
  }

  /** Of what was told while the ledger was away: nobody is told again, also when this is brought a second time. */
  async keepTold(): Promise<void> {
    for (const alert of this.#look.toldAlready) {
      const { condition, about, says, account, openedAtMs, resolvedAtMs, resolvedSays } = alert;
      const values = [
        ...[condition, storable(about, MAX_ABOUT), openedAtMs, resolvedAtMs ?? null],
        storable(resolvedSays, MAX_SAYS),
      ];
      const { rows: over } = await this.#client.query<AlertRow>(END_TOLD, values);
      const { rows } = await this.#client.query<AlertRow>(KEEP_TOLD, [
        ...[...values, SEVERITY_OF[condition], account ?? null],
        storable(says, MAX_SAYS),
      ]);
      for (const row of rows) this.#tellOpened(alertFrom(row));
      for (const row of [...over, ...rows]) if (row.resolved_ms !== null) this.#tellResolved(alertFrom(row));
    }
  }

  async open(opening: Opening): Promise<void> {
    const alert = await this.#insert(opening, false);
    // Open already: told while the ledger was away.
    if (!alert) return;
    await this.#client.query(REPORT, [this.#look.bridge, [alert.id]]);
    await this.#enqueue([alert], 'opened');
    this.#tellOpened(alert);
  }

  /** Of their own rigs, which are too many for all others to be told by name. */
  async openForMiners(): Promise<void> {
    const { tellsMiners, rigOfflineMs } = this.#look;
    if (!tellsMiners || rigOfflineMs === 0) return;
    const found = await judgeRigsOfMiners(this.#client, rigOfflineMs);
    if (found.length === 0) return;
    const { rows } = await this.#client.query<AlertRow>(OPEN_QUIETLY, [
      found.map(({ about }) => storable(about, MAX_ABOUT)),
      found.map(({ account }) => account),
      found.map(({ says }) => storable(says, MAX_SAYS)),
      SEVERITY_OF.rigOffline,
    ]);
    await enqueue(this.#client, rows.map(alertFrom), 'opened', { targets: [], tellsMiners });
  }

  /** Those are few enough now. Their miners know. */
  async promote(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { rows } = await this.#client.query<AlertRow>(
      `UPDATE alert SET told_at = now() WHERE id = ANY ($1) RETURNING ${ALERT_COLUMNS}`,
      [ids],
    );
    const alerts = rows.map(alertFrom);
    await enqueue(this.#client, alerts, 'opened', { ...this.#look, tellsMiners: false });
    for (const alert of alerts) this.#tellOpened(alert);
  }

  /** The timeline has it already. */
  async happen(event: Opening): Promise<void> {
    const alert = await this.#insert(event, true);
    if (alert) await this.#enqueue([alert], 'happened');
  }

  async resolve(found: readonly Words[]): Promise<void> {
    if (found.length === 0) return;
    const { rows } = await this.#client.query<AlertRow & { quiet: boolean }>(
      `UPDATE alert a SET resolved_at = now(), resolved_says = f.says
       FROM unnest($1::bigint[], $2::text[]) AS f (found, says) WHERE a.id = f.found AND resolved_at IS NULL
       RETURNING ${ALERT_COLUMNS.replace(/\bsays\b/, 'a.says')}, ${IS_QUIET} AS quiet`,
      [found.map(({ id }) => id), found.map(({ says }) => storable(says, MAX_SAYS))],
    );
    const quiet = rows.filter((row) => row.quiet).map(alertFrom);
    await enqueue(this.#client, quiet, 'resolved', { ...this.#look, targets: [] });
    const alerts = rows.filter((row) => !row.quiet).map(alertFrom);
    await this.#enqueue(alerts, 'resolved');
    for (const alert of alerts) this.#tellResolved(alert);
  }

  async repeat(): Promise<void> {
    if (this.#look.repeatMs === 0) return;
    const { rows } = await this.#client.query<AlertRow>(
      `UPDATE alert SET told_at = now() WHERE resolved_at IS NULL AND NOT ${IS_QUIET}
       AND told_at < now() - $1::float8 * interval '1 millisecond' RETURNING ${ALERT_COLUMNS}`,
      [this.#look.repeatMs],
    );
    await this.#enqueue(rows.map(alertFrom), 'repeated');
  }

  /** To be called last, since all who tell wait for each other. */
  async tell(): Promise<void> {
    for (const line of this.#lines) await line();
  }

  async #insert({ condition, about, says, account }: Opening, isOver: boolean): Promise<Alert | undefined> {
    const { rows } = await this.#client.query<AlertRow>(
      `INSERT INTO alert (condition, about, severity, account, says, resolved_at)
       VALUES ($1, $2, $3, $4, $5, CASE WHEN $6 THEN now() END)
       ON CONFLICT (condition, about) WHERE resolved_at IS NULL DO NOTHING RETURNING ${ALERT_COLUMNS}`,
      [
        ...[condition, storable(about, MAX_ABOUT), SEVERITY_OF[condition], account ?? null],
        ...[storable(says, MAX_SAYS), isOver],
      ],
    );
    return rows[0] && alertFrom(rows[0]);
  }

  async #enqueue(alerts: readonly Alert[], what: What): Promise<void> {
    await enqueue(this.#client, alerts, what, this.#look);
  }

  #tellOpened({ condition, about, says }: Alert): void {
    this.#lines.push(() => tellInBooks(this.#client, 'alertOpened', says, { alert: condition, about }));
  }

  #tellResolved({ condition, about, resolvedSays, openedAtMs, resolvedAtMs = openedAtMs }: Alert): void {
    const openMs = Math.max(0, resolvedAtMs - openedAtMs);
    const facts = { alert: condition, about, openMs };
    this.#lines.push(() =>
      tellInBooks(this.#client, 'alertResolved', `${condition} is over: ${resolvedSays}`, facts),
    );
  }
}

/** {@link IS_QUIET}: of rigs. */
const OPEN_QUIETLY = `
  INSERT INTO alert (condition, about, account, says, severity, told_at)
    SELECT 'rigOffline', u.about, u.account, u.says, $4, '-infinity'
    FROM unnest($1::text[], $2::text[], $3::text[]) AS u (about, account, says)
  ON CONFLICT (condition, about) WHERE resolved_at IS NULL DO NOTHING RETURNING ${ALERT_COLUMNS}`;

/** The moment in which it was opened names an alert that was told while the ledger was away. */
const SAME_TOLD = 'condition = $1::text AND about = $2::text AND opened_at = to_timestamp($3::float8 / 1000)';
const END_TOLD = `
  UPDATE alert SET resolved_at = to_timestamp($4::float8 / 1000), resolved_says = $5
  WHERE ${SAME_TOLD} AND $4::float8 IS NOT NULL AND resolved_at IS NULL RETURNING ${ALERT_COLUMNS}`;
const KEEP_TOLD = `
  INSERT INTO alert (condition, about, severity, account, says, opened_at, resolved_at, resolved_says)
    SELECT $1::text, $2::text, $6::text, $7::text, $8::text, to_timestamp($3::float8 / 1000),
           to_timestamp($4::float8 / 1000), $5::text
    WHERE NOT EXISTS (SELECT FROM alert WHERE ${SAME_TOLD})
  ON CONFLICT (condition, about) WHERE resolved_at IS NULL DO NOTHING RETURNING ${ALERT_COLUMNS}`;

/** Of each condition the newest are kept; of those that only happen as many. */
const KEPT = 2_000;
const PRUNED_AT_ONCE = 1_000;

/** One step of upkeep. No clock decides what goes of alerts; a rig is forgotten after a month. */
export async function pruneAlerts(pool: pg.Pool, kept = KEPT): Promise<void> {
  await pool.query(
    `DELETE FROM alert WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER (PARTITION BY condition, ${IS_QUIET} ORDER BY id DESC) AS place
         FROM alert WHERE resolved_at IS NOT NULL
       ) a WHERE place > $1 ORDER BY id LIMIT $2)`,
    [kept, PRUNED_AT_ONCE],
  );
  await pool.query("DELETE FROM alert_rig WHERE seen_at < now() - interval '30 days'");
}
