/**
 * Bridges on one ledger show each other what they have while somebody looks at one of them, and half a minute longer: each has a row, which
 * it writes anew every two seconds. Who looks tells the others so, and reads their rows when he hears that there are newer ones.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  type AllBridges,
  type BridgeRows,
  type BridgeView,
  NO_OTHERS,
  type OtherBridge,
  type OtherBridges,
  rowsTogether,
} from '../../bridge/watch/other-bridges.js';
import type { Log } from '../../core/names/log.js';
import { type RowOf, rowOf, rowsOf, statementsOf } from '../database/statements.js';
import type { Ledger } from '../ledger.js';

const SQL = statementsOf('watch/bridge-views.sql');

const LOOK_CHANNEL = 'stratum_bridge_look';
const VIEW_CHANNEL = 'stratum_bridge_view';
/** Who looks says so again after so long. */
const LOOK_MS = 10_000;
/** After the last look. */
const SHOWN_MS = 30_000;
const SHOW_EVERY_MS = 2_000;
/** One that takes long to be written comes less often: it takes this part of the time at most. */
const PART_OF_TIME = 1 / 20;
const READ_EVERY_MS = 500;
/** Who looks first waits so long for what the others show. */
const FIRST_MS = 800;
/** What is younger is what a bridge has now. */
const NEW_MS = 5_000;
/** Rows that are older may be of rigs that are elsewhere by now. */
const OLD_MS = 15_000;

interface BridgeViewsOptions {
  readonly ledger: Pick<Ledger, 'pool' | 'notices'>;
  /** Of this bridge on the ledger, once it has one. */
  readonly number: () => number | undefined;
  /** Of the program: what another version shows is not read. */
  readonly version: string;
  readonly log: Log;
}

/** What a bridge has shown. */
interface Shown {
  /** Another one is newer. */
  readonly at: string;
  /** `undefined` where it is of another version of the program. */
  readonly view: BridgeView | undefined;
}

export class BridgeViews implements AllBridges {
  readonly #options: BridgeViewsOptions;
  readonly #closing = new AbortController();
  /** By number. */
  #shown = new Map<number, Shown>();
  #others: OtherBridges = NO_OTHERS;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #first: Promise<unknown> = Promise.resolve();
  /** Told once all that are alive have shown what they have now. */
  #areNew: (() => void) | undefined;
  #hasNews = false;
  #reading: Promise<void> | undefined;
  #showUntilMs = 0;
  #showing: Promise<void> | undefined;

  constructor(options: BridgeViewsOptions) {
    this.#options = options;
  }

  get others(): OtherBridges {
    return this.#others;
  }

  /** @param view of this bridge, without the others. */
  begin(view: () => Promise<BridgeView>): void {
    const { notices } = this.#options.ledger;
    notices.on(LOOK_CHANNEL, {
      onNotice: (by) => {
        if (by !== String(this.#options.number())) this.#showFor(SHOWN_MS, view);
      },
      // Somebody may have looked before this listened, and says so again in a while.
      onConnected: () => this.#showFor(1, view),
    });
    const readNews = (): void => void (this.#isLooked && this.#readSoon());
    notices.on(VIEW_CHANNEL, { onNotice: readNews, onConnected: readNews });
  }

  async look(): Promise<void> {
    const sinceMs = performance.now() - this.#lookedAtMs;
    if (sinceMs >= LOOK_MS) {
      this.#lookedAtMs = performance.now();
      const seen = this.#tellAndRead();
      if (sinceMs >= SHOWN_MS) this.#first = Promise.race([seen, pause(FIRST_MS, undefined, { ref: false })]);
    }
    await this.#first;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#reading, this.#showing]);
  }

  get #isLooked(): boolean {
    return performance.now() - this.#lookedAtMs < SHOWN_MS;
  }

  async #tellAndRead(): Promise<void> {
    const { ledger, number } = this.#options;
    const own = number();
    if (own === undefined) return;
    const seen = new Promise<void>((resolve) => {
      this.#areNew = resolve;
    });
    await this.#trying(() => rowOf(ledger.pool, SQL.look, [String(own)]));
    await this.#readSoon();
    await seen;
  }

  /** Now, or once more where a reading is under way. */
  #readSoon(): Promise<void> {
    this.#hasNews = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#hasNews && !this.#closing.signal.aborted) {
      this.#hasNews = false;
      await this.#trying(() => this.#read());
      await this.#pause(READ_EVERY_MS);
    }
  }

  async #read(): Promise<void> {
    const { ledger, number } = this.#options;
    const alive = await rowsOf(ledger.pool, SQL.others, [number()]);
    const nowMs = performance.now();
    await this.#readNew(alive.filter(({ ageMs }) => ageMs !== null && ageMs < OLD_MS));
    const bridges = alive.map(({ number: instance, place, ageMs }): OtherBridge => {
      const shownAtMs = ageMs === null ? undefined : nowMs - ageMs;
      return { instance, place, shownAtMs, summary: this.#shown.get(instance)?.view?.summary };
    });
    const views = [...this.#shown.values()].flatMap(({ view }) => view ?? []);
    this.#others = { bridges, ...(await rowsTogether(views)) };
    if (alive.every(({ ageMs }) => ageMs !== null && ageMs < NEW_MS)) this.#areNew?.();
  }

  /** What these have shown since; what others have shown is forgotten. */
  async #readNew(those: readonly RowOf<typeof SQL.others>[]): Promise<void> {
    const known = new Map(this.#shown);
    const news = those.filter(({ number, version }) => known.get(number)?.at !== version);
    const numbers = news.map(({ number }) => number);
    const read = numbers.length > 0 ? await rowsOf(this.#options.ledger.pool, SQL.views, [numbers]) : [];
    for (const { number, version: at, view } of read)
      known.set(number, { at, view: await this.#decode(number, view) });
    this.#shown = new Map([...known].filter(([number]) => those.some((one) => one.number === number)));
  }

  async #decode(bridge: number, written: Buffer): Promise<BridgeView | undefined> {
    try {
      return await decodeView(written, bridge, this.#options.version);
    } catch (error) {
      this.#options.log.warn(
        { bridge, error: (error as Error).message },
        'what a bridge shows cannot be read',
      );
      return undefined;
    }
  }

  /** At least once. */
  #showFor(ms: number, view: () => Promise<BridgeView>): void {
    if (this.#closing.signal.aborted) return;
    this.#showUntilMs = Math.max(this.#showUntilMs, performance.now() + ms);
    this.#showing ??= this.#show(view).finally(() => {
      this.#showing = undefined;
    });
  }

  async #show(view: () => Promise<BridgeView>): Promise<void> {
    const { ledger, number, version } = this.#options;
    do {
      const begunMs = performance.now();
      await this.#trying(async () =>
        rowOf(ledger.pool, SQL.show, [number(), await encodeView(await view(), version)]),
      );
      await this.#pause(Math.max(SHOW_EVERY_MS, (performance.now() - begunMs) / PART_OF_TIME));
    } while (performance.now() < this.#showUntilMs && !this.#closing.signal.aborted);
  }

  /** Without the ledger a bridge shows itself alone; the parts that ask it more say that it is away. */
  async #trying(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#options.log.debug({ error: (error as Error).message }, 'bridges do not see each other now');
    }
  }

  async #pause(ms: number): Promise<void> {
    // Whoever closes ends it.
    await pause(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

/** Rows that are written or read at once: some tenths of a millisecond. */
const ROWS = 100;
const KINDS = ['rigs', 'sessions', 'accounts', 'bans'] as const satisfies readonly (keyof BridgeRows)[];

/**
 * Pieces of JSON, each gzipped by itself, with its length before it: the version and the summary, then rows, each piece with their kind. All
 * of it at once would hold everybody else up for as long as it takes to copy.
 */
async function encodeView(view: BridgeView, version: string): Promise<Buffer> {
  const pieces = await pieceOf({ version, summary: view.summary });
  for (const kind of KINDS)
    for (let from = 0; from < view[kind].length; from += ROWS)
      pieces.push(...(await pieceOf([kind, view[kind].slice(from, from + ROWS)])));
  return Buffer.concat(pieces);
}

async function pieceOf(value: unknown): Promise<Buffer[]> {
  const packed = await promisify(gzip)(JSON.stringify(value), { level: 1 });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(packed.length);
  return [length, packed];
}

/** Of the bridge of that number; `undefined` where another version has written it. */
async function decodeView(written: Buffer, bridge: number, version: string): Promise<BridgeView | undefined> {
  let view: Mutable<BridgeView> | undefined;
  for (let from = 0; from < written.length; ) {
    const end = from + 4 + written.readUInt32BE(from);
    const said: unknown = JSON.parse(String(await promisify(gunzip)(written.subarray(from + 4, end))));
    from = end;
    if (view) {
      const [kind, rows] = said as [keyof BridgeRows, never[]];
      view[kind].push(...rows);
      continue;
    }
    const head = said as Pick<BridgeView, 'summary'> & { readonly version: string };
    if (head.version !== version) return undefined;
    view = { summary: head.summary, rigs: [], sessions: [], accounts: [], bans: [] };
  }
  for (const row of [...(view?.sessions ?? []), ...(view?.bans ?? [])]) Object.assign(row, { bridge });
  return view;
}

type Mutable<View> = {
  -readonly [K in keyof View]: View[K] extends readonly (infer Row)[] ? Row[] : View[K];
};
