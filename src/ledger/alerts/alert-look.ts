/** One look of a bridge at what is wrong, in one transaction: alerts are opened, told again and resolved once for all bridges. */
import type pg from 'pg';
import { decide, type OpenAlert, type Opening } from '../../bridge/alerts/alert-decisions.js';
import { type Alert, type Look, SEVERITY_OF, type What } from '../../bridge/alerts/alerts.js';
import { storable } from '../../core/names/names.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';
import { enqueue } from './alert-deliveries.js';
import { readEvents } from './alert-events.js';
import { judgeRigs } from './alert-rigs.js';
import { alertFrom, SQL } from './alerts.js';

const MAX_SAYS = 500;
const MAX_ABOUT = 300;

/** Resolves with all that is open afterwards. */
export function lookAtAlerts(pool: pg.Pool, look: Look): Promise<readonly Alert[]> {
  return inTransaction(pool, async (client) => {
    await run(client, SQL.lock);
    const news = new News(client, look);
    await run(client, SQL.keepWatch);
    const open = await readOpen(client, look.bridge);
    await news.keepTold();
    const rigs = await judgeRigs(client, look.rigOfflineMs, open);
    const more = new Map([['rigOffline' as const, rigs.more]]);
    const decisions = decide(open, [...look.findings, ...rigs.findings], more);
    await confirm(client, look.bridge, decisions.confirms);
    await run(client, SQL.withdraw, [look.bridge, decisions.withdraws]);
    for (const opening of decisions.opens) await news.open(opening);
    await news.resolve(decisions.resolves);
    await news.resolve(await findOver(client, look));
    await news.repeat();
    for (const event of await readEvents(client, look.events)) await news.happen(event);
    await news.tell();
    return (await rowsOf(client, SQL.open, [null, null])).map(alertFrom);
  });
}

async function readOpen(client: pg.ClientBase, bridge: string): Promise<OpenAlert[]> {
  const rows = await rowsOf(client, SQL.standing, [bridge]);
  return rows.map((row) => {
    const { id, condition, about, openedAtMs } = alertFrom(row);
    const { seen: isSeenByOthers, lately: isSeenJustNow, recent: isRecent } = row;
    return { id, condition, about, openedAtMs, isSeenByOthers, isSeenJustNow, isRecent };
  });
}

interface Words {
  readonly id: number;
  readonly says: string;
}

async function confirm(client: pg.ClientBase, bridge: string, found: readonly Words[]): Promise<void> {
  if (found.length === 0) return;
  const [ids, says] = [found.map(({ id }) => id), found.map((each) => storable(each.says, MAX_SAYS))];
  await run(client, SQL.confirm, [ids, says]);
  await run(client, SQL.report, [bridge, ids]);
}

async function findOver(client: pg.ClientBase, { bridge, off }: Look): Promise<Words[]> {
  const rows = await rowsOf(client, SQL.over, [bridge, off]);
  return rows.map(({ id, off }) => ({
    id,
    says: off ? 'this is not watched any more' : 'nothing was heard of it for an hour',
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
        condition,
        storable(about, MAX_ABOUT),
        openedAtMs,
        resolvedAtMs,
        storable(resolvedSays, MAX_SAYS),
      ] as const;
      const over = await rowsOf(this.#client, SQL.endTold, values);
      const more = [SEVERITY_OF[condition], account, storable(says, MAX_SAYS)] as const;
      const rows = await rowsOf(this.#client, SQL.keepTold, [...values, ...more]);
      for (const row of rows) this.#tellOpened(alertFrom(row));
      for (const row of [...over, ...rows]) if (row.resolved_at !== null) this.#tellResolved(alertFrom(row));
    }
  }

  async open(opening: Opening): Promise<void> {
    const alert = await this.#insert(opening, false);
    // Open already: told while the ledger was away.
    if (!alert) return;
    await run(this.#client, SQL.report, [this.#look.bridge, [alert.id]]);
    await this.#enqueue([alert], 'opened');
    this.#tellOpened(alert);
  }

  /** The timeline has it already. */
  async happen(event: Opening): Promise<void> {
    const alert = await this.#insert(event, true);
    if (alert) await this.#enqueue([alert], 'happened');
  }

  async resolve(found: readonly Words[]): Promise<void> {
    if (found.length === 0) return;
    const says = found.map((each) => storable(each.says, MAX_SAYS));
    const rows = await rowsOf(this.#client, SQL.resolve, [found.map(({ id }) => id), says]);
    const alerts = rows.map(alertFrom);
    await this.#enqueue(alerts, 'resolved');
    for (const alert of alerts) this.#tellResolved(alert);
  }

  async repeat(): Promise<void> {
    if (this.#look.repeatMs === 0) return;
    const rows = await rowsOf(this.#client, SQL.tellAgain, [this.#look.repeatMs]);
    await this.#enqueue(rows.map(alertFrom), 'repeated');
  }

  /** To be called last, since all who tell wait for each other. */
  async tell(): Promise<void> {
    for (const line of this.#lines) await line();
  }

  async #insert({ condition, about, says, account }: Opening, isOver: boolean): Promise<Alert | undefined> {
    const row = await rowOf(this.#client, SQL.insert, [
      condition,
      storable(about, MAX_ABOUT),
      SEVERITY_OF[condition],
      account,
      storable(says, MAX_SAYS),
      isOver,
    ]);
    return row && alertFrom(row);
  }

  async #enqueue(alerts: readonly Alert[], what: What): Promise<void> {
    await enqueue(this.#client, alerts, what, this.#look.targets);
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

/** Of each condition the newest are kept; of those that only happen as many. */
const KEPT = 2_000;
const PRUNED_AT_ONCE = 1_000;

/** One step of upkeep. No clock decides what goes of alerts; a rig is forgotten after a month. */
export async function pruneAlerts(pool: pg.Pool, kept = KEPT): Promise<void> {
  await run(pool, SQL.prune, [kept, PRUNED_AT_ONCE]);
  await run(pool, SQL.pruneRigs);
}
