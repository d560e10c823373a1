/** One look of a bridge at what is wrong, in one transaction: alerts are opened, told again and resolved once for all bridges. */
import type pg from 'pg';
import type { Decisions, Look, News, OpenAlert, Opening } from '../../bridge/alerts.js';
import { storable } from '../../core/names/names.js';
import type { Alert } from '../../operations/alerts.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';
import { readEvents } from './alert-events.js';
import { alertFrom, SQL } from './alerts.js';

const MAX_SAYS = 500;
const MAX_ABOUT = 300;

/** Resolves with all that is open afterwards. */
export function lookAtAlerts(pool: pg.Pool, look: Look): Promise<readonly Alert[]> {
  return inTransaction(pool, async (client) => {
    await run(client, SQL.lock);
    const changes = new Changes(client, look);
    await run(client, SQL.keepWatch);
    const open = await readOpen(client, look.bridge);
    await changes.keepTold();
    const decisions = look.decide(open);
    await confirm(client, look.bridge, decisions.confirms);
    await run(client, SQL.withdraw, [look.bridge, decisions.withdraws]);
    for (const opening of decisions.opens) await changes.open(opening);
    await changes.resolve(decisions.resolves);
    await changes.resolve(await findOver(client, look));
    await changes.repeat();
    for (const event of look.openingsOf(await readEvents(client, look))) await changes.happen(event);
    await changes.tell();
    return (await rowsOf(client, SQL.open, [null, null])).map(alertFrom);
  });
}

async function readOpen(client: pg.ClientBase, bridge: string): Promise<OpenAlert[]> {
  const rows = await rowsOf(client, SQL.standing, [bridge]);
  return rows.map((row) => {
    const { id, condition, about } = alertFrom(row);
    const openedAtMs = row.opened_at.getTime();
    const { seen: isSeenByOthers, lately: isSeenJustNow, recent: isRecent } = row;
    return { id, condition, about, openedAtMs, isSeenByOthers, isSeenJustNow, isRecent };
  });
}

type Words = Decisions['resolves'][number];

async function confirm(client: pg.ClientBase, bridge: string, found: readonly Words[]): Promise<void> {
  if (found.length === 0) return;
  const [ids, says] = [found.map(({ id }) => id), found.map((each) => storable(each.says, MAX_SAYS))];
  await run(client, SQL.confirm, [bridge, ids, says]);
}

async function findOver(client: pg.ClientBase, { bridge, off }: Look): Promise<Words[]> {
  const rows = await rowsOf(client, SQL.over, [bridge, off]);
  return rows.map(({ id, off }) => ({
    id,
    says: off ? 'this is not watched any more' : 'nothing was heard of it for an hour',
  }));
}

/** What changes in one look, and what is told of it. */
class Changes {
  readonly #client: pg.ClientBase;
  readonly #look: Look;
  readonly #news: News[] = [];
  readonly #lines: (() => Promise<void>)[] = [];

  constructor(client: pg.ClientBase, look: Look) {
    this.#client = client;
    this.#look = look;
  }

  /** Of what was told while the ledger was away: nobody is told again, also when this is brought a second time. */
  async keepTold(): Promise<void> {
    for (const alert of this.#look.toldAlready) {
      const { condition, about, severity, says, from, until, resolvedSays } = alert;
      const values = [
        condition,
        storable(about, MAX_ABOUT),
        from,
        until,
        storable(resolvedSays, MAX_SAYS),
      ] as const;
      const over = await rowsOf(this.#client, SQL.endTold, values);
      const rows = await rowsOf(this.#client, SQL.keepTold, [...values, severity, storable(says, MAX_SAYS)]);
      for (const row of rows) this.#tellOpened(alertFrom(row));
      for (const row of [...over, ...rows]) if (row.resolved_at !== null) this.#tellResolved(alertFrom(row));
    }
  }

  async open(opening: Opening): Promise<void> {
    const alert = await this.#insert(opening, false);
    // Open already: told while the ledger was away.
    if (!alert) return;
    this.#news.push({ alert, what: 'opened' });
    this.#tellOpened(alert);
  }

  /** The timeline has it already. */
  async happen(event: Opening): Promise<void> {
    const alert = await this.#insert(event, true);
    if (alert) this.#news.push({ alert, what: 'happened' });
  }

  async resolve(found: readonly Words[]): Promise<void> {
    if (found.length === 0) return;
    const says = found.map((each) => storable(each.says, MAX_SAYS));
    const rows = await rowsOf(this.#client, SQL.resolve, [found.map(({ id }) => id), says]);
    const alerts = rows.map(alertFrom);
    for (const alert of alerts) {
      this.#news.push({ alert, what: 'resolved' });
      this.#tellResolved(alert);
    }
  }

  async repeat(): Promise<void> {
    if (this.#look.repeatMs === 0) return;
    const rows = await rowsOf(this.#client, SQL.tellAgain, [this.#look.repeatMs]);
    for (const row of rows) this.#news.push({ alert: alertFrom(row), what: 'repeated' });
  }

  /** To be called last, since all who write into the timeline wait for each other. */
  async tell(): Promise<void> {
    if (this.#news.length > 0) await this.#look.tell(this.#news);
    for (const line of this.#lines) await line();
  }

  async #insert({ condition, about, severity, says }: Opening, isOver: boolean): Promise<Alert | undefined> {
    const values = [
      condition,
      storable(about, MAX_ABOUT),
      severity,
      storable(says, MAX_SAYS),
      isOver,
      this.#look.bridge,
    ] as const;
    const row = await rowOf(this.#client, SQL.insert, values);
    return row && alertFrom(row);
  }

  #tellOpened({ condition, about, says }: Alert): void {
    this.#lines.push(() =>
      tellInBooks(this.#client, 'alertOpened', { alert: condition, about }, undefined, says),
    );
  }

  #tellResolved({ condition, about, resolvedSays, from, until }: Alert): void {
    const openMs = Math.max(0, Date.parse(until ?? from) - Date.parse(from));
    const facts = { alert: condition, about, openMs };
    this.#lines.push(() => tellInBooks(this.#client, 'alertResolved', facts, undefined, resolvedSays));
  }
}

/** Of each condition the newest are kept; of those that only happen as many. */
const KEPT = 2_000;
const PRUNED_AT_ONCE = 1_000;

/** One step of upkeep. No clock decides what goes of alerts; a rig is forgotten after a month. */
export async function pruneAlerts(pool: pg.Pool, kept = KEPT): Promise<void> {
  await run(pool, SQL.prune, [kept, PRUNED_AT_ONCE]);
  await run(pool, SQL.pruneRigs);
}
