/**
 * Bridges on one ledger tell each other of orders that hold until they are taken back: bans, difficulties, labels, listed addresses.
 *
 * The ledger has the newest word about each thing, with a number that rises. A bridge reads on from its last number when it is notified,
 * and each half a minute; all of it whenever it has connected, so that nothing is missed with a notification that was lost. What is ordered
 * while the ledger is away holds at the bridge that was asked, and is told later, unless something newer was said of the same meanwhile.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../../core/names/log.js';
import {
  type OrderHearer,
  STANDING_ORDER,
  type StandingOrder,
  type UntoldOrder,
} from '../../operations/orders/standing.js';
import { isDataError } from '../database/errors.js';
import { rowsOf, statementsOf } from '../database/statements.js';
import type { Ledger } from '../ledger.js';

const SQL = statementsOf('orders/orders.sql');

const CHANNEL = 'stratum_bridge_order';
const LOOK_MS = 30_000;
/** Who gives an order waits no longer for the ledger. */
const TELL_MS = 1_000;

interface ExchangeOptions {
  readonly ledger: Pick<Ledger, 'pool' | 'notices'>;
  /** Of an earlier start. */
  readonly untold: readonly UntoldOrder[];
  readonly log: Log;
}

interface Untold {
  readonly told: UntoldOrder;
  /** It is told later than it was given. */
  isLate: boolean;
}

export class OrderExchange {
  readonly #ledger: Pick<Ledger, 'pool' | 'notices'>;
  readonly #log: Log;
  /** By what they are about. */
  readonly #untold: Map<string, Untold>;
  #side: OrderHearer | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of the last order that was read. */
  #last = '0';
  /** All that holds is to be read, and not only what came since. */
  #readsAll = true;
  #turn: Promise<void> = Promise.resolve();
  /** Turns that are waited for. */
  #next: Promise<void> | undefined;
  #isClosed = false;
  #complaint = '';

  constructor({ ledger, untold, log }: ExchangeOptions) {
    this.#ledger = ledger;
    this.#log = log;
    this.#untold = new Map(untold.map((told) => [keyOf(told.order), { told, isLate: true }]));
  }

  get untold(): readonly UntoldOrder[] {
    return Array.from(this.#untold.values(), ({ told }) => told);
  }

  begin(side: OrderHearer): void {
    this.#side = side;
    this.#ledger.notices.on(CHANNEL, {
      onNotice: () => void this.#look(),
      onConnected: () => {
        this.#readsAll = true;
        void this.#look();
      },
    });
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  /** Resolves once it is told, or is to be told later. */
  async tell(told: UntoldOrder): Promise<void> {
    this.#untold.set(keyOf(told.order), { told, isLate: false });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, TELL_MS);
    });
    await Promise.race([this.#look(), late]);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#turn;
  }

  /** One turn after the other; who comes while one is under way waits for the next. */
  #look(): Promise<void> {
    this.#next ??= this.#turn.then(() => {
      this.#next = undefined;
      this.#turn = this.#exchange();
      return this.#turn;
    });
    return this.#next;
  }

  async #exchange(): Promise<void> {
    if (this.#isClosed || !this.#side) return;
    try {
      const were = this.#untold.size;
      await this.#tellAll();
      const heard = await this.#hearAll(this.#side);
      if (heard > 0 || were !== this.#untold.size) await this.#side.keepHeard();
      this.#complaint = '';
    } catch (error) {
      this.#readsAll = true;
      for (const untold of this.#untold.values()) untold.isLate = true;
      this.#complain((error as Error).message);
    }
  }

  /** Once for each kind of trouble. */
  #complain(error: string): void {
    if (error === this.#complaint) return;
    this.#complaint = error;
    const words =
      'orders are not exchanged with other bridges now, and hold where they were given; it is tried again';
    this.#log.warn({ error }, words);
  }

  async #tellAll(): Promise<void> {
    for (const [key, untold] of this.#untold) {
      await this.#tellOne(untold);
      // One may have been given meanwhile.
      if (this.#untold.get(key) === untold) this.#untold.delete(key);
    }
  }

  /** One that the database refuses for what is in it would keep all others waiting: it holds here alone. */
  async #tellOne({ told: { order, givenAt }, isLate }: Untold): Promise<void> {
    const { kind, about } = order;
    const says = order.says && JSON.stringify(order.says);
    try {
      await rowsOf(this.#ledger.pool, SQL.give, [kind, about, givenAt, says, isLate]);
    } catch (error) {
      if (!isDataError(error)) throw error;
      const words =
        'the ledger refuses an order, which holds at this bridge alone, and until it connects anew';
      this.#log.error({ order: kind, about, error: error.message }, words);
    }
  }

  /** @returns how many were news. */
  async #hearAll(side: OrderHearer): Promise<number> {
    const isAll = this.#readsAll;
    // It may be connected anew while this is asked.
    this.#readsAll = false;
    const rows = await rowsOf(this.#ledger.pool, SQL.after, [isAll ? '0' : this.#last]);
    this.#last = rows.at(-1)?.number ?? this.#last;
    const here = new Map(side.standing.map((order) => [keyOf(order), order]));
    const theirs = rows.flatMap((row) => this.#orderOf(row));
    const heard = new Set(theirs.map(keyOf));
    const gone = isAll ? [...here.values()].filter((order) => !heard.has(keyOf(order))) : [];
    const news = [...theirs, ...gone.map((order): StandingOrder => ({ ...order, says: null }))].filter(
      (order) =>
        !this.#untold.has(keyOf(order)) &&
        !isDeepStrictEqual(order.says, here.get(keyOf(order))?.says ?? null),
    );
    for (const order of news) {
      const { kind, about, says } = order;
      this.#log.info({ event: 'order-heard', order: kind, about, isOn: says !== null }, 'by another bridge');
      side.hear(order);
    }
    return news.length;
  }

  #orderOf({ number, ...row }: { readonly number: string }): StandingOrder[] {
    const { data, error } = STANDING_ORDER.safeParse(row);
    if (data) return [data];
    const words = 'an order of another bridge cannot be read, and does not hold here';
    this.#log.warn({ number, fault: error.issues[0]?.message }, words);
    return [];
  }
}

function keyOf({ kind, about }: StandingOrder): string {
  return `${kind} ${about}`;
}
