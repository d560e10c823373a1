/**
 * What a bridge knows at one moment of all that alerts are about: from the numbers that are shown, and once a minute from the books.
 * What is `undefined` is not known now, and judged by nobody.
 */
import type { AlertBook } from '../bridge/alerts.js';
import type { NodeReport } from '../bridge/events.js';
import type { BooksWatch } from '../bridge/watch/books-watch.js';
import { type Log, tellUnanswered } from '../core/names/log.js';
import type { Name } from '../core/names/names.js';
import { ALL_CHAINS } from '../operations/books/chains.js';
import type { HistoryOf } from '../operations/history.js';
import type { Signs } from './signs.js';

/** A bridge whose ledger has not given it a number yet. */
export const UNNUMBERED = 'a bridge';

interface Known<T> {
  readonly isUp: boolean;
  readonly value: T | undefined;
}

export interface SnapshotSources {
  readonly instance: () => number | undefined;
  readonly nodes: () => readonly Pick<NodeReport, 'url' | 'state' | 'reason'>[];
  readonly queue: {
    look(): Promise<Known<Record<'waiting' | 'failed' | 'heldBack' | 'unkeptSolutions', number>>>;
  };
  readonly ledger: { look(): Promise<Known<unknown>> };
  readonly books: Pick<BooksWatch, 'history' | 'listed'>;
  readonly signs: () => Promise<Signs>;
}

/** The settings by which conditions are judged, as they are named there. */
export interface Bounds {
  readonly 'alerts.off': readonly string[];
  readonly 'alerts.rigOffline': number;
  /** Hashes a second. */
  readonly 'alerts.poolHashRate': number;
  readonly 'alerts.accountHashRates': Readonly<Record<string, number>>;
  /** By login. */
  readonly 'alerts.rigHashRates': Readonly<Record<string, number>>;
  readonly 'alerts.disk': number;
}

type Book = Pick<AlertBook, 'payable' | 'unweighed' | 'unclaimed' | 'overdueRigs'>;

export type Snapshot = Awaited<ReturnType<Snapshots['take']>>;
export type Figures = Awaited<ReturnType<typeof askBooks>>;

const MINUTE_MS = 60_000;
const QUARTER_STEPS = 15;
const TEN_MINUTES_MS = 600_000;
const DAY_STEPS = 144;
/** Six hours in which shares came. */
const LEAST_STEPS_OF_DAY = 36;
const ONE = { offset: 0, limit: 1 };
/** Each is a question to the books. */
const MOST_NAMES = 100;

export class Snapshots {
  readonly #sources: SnapshotSources;
  readonly #book: Book;
  readonly #steadyMs: () => number;
  readonly #log: Log;
  #figures: Figures | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  /** @param steadyMs a clock that nobody sets. */
  constructor(sources: SnapshotSources, book: Book, steadyMs: () => number, log: Log) {
    this.#log = log;
    this.#sources = sources;
    this.#book = book;
    this.#steadyMs = steadyMs;
  }

  /** Never rejects. @param offline logins of rigs that are told to be offline. */
  async take(settings: Bounds, offline: readonly string[]) {
    const { instance, nodes, queue: asked, ledger, signs } = this.#sources;
    const [queue, { isUp: isLedgerUp }, seen] = await Promise.all([asked.look(), ledger.look(), signs()]);
    const number = instance();
    // What is not in the books yet would look as if nobody mined.
    const isBooked = isLedgerUp && queue.isUp && queue.value?.heldBack === 0;
    const isMissed = isLedgerUp && !settings['alerts.off'].includes('rigOffline');
    return {
      bridge: number === undefined ? UNNUMBERED : `bridge ${number}`,
      ...{ isLedgerUp, nodes: nodes(), signs: seen, queue: queue.value },
      rigs: isMissed
        ? await this.#answered(this.#book.overdueRigs(settings['alerts.rigOffline'], offline))
        : undefined,
      figures: isBooked ? await this.#recentFigures(settings) : undefined,
    };
  }

  /** Those of the last minute; `undefined` where the books do not answer. */
  async #recentFigures(settings: Bounds): Promise<Figures | undefined> {
    const nowMs = this.#steadyMs();
    if (nowMs - this.#askedAtMs < MINUTE_MS) return this.#figures;
    this.#askedAtMs = nowMs;
    this.#figures = await this.#answered(askBooks(this.#sources.books, this.#book, settings));
    return this.#figures;
  }

  /** `undefined` where the books have gone away meanwhile. */
  #answered<T>(asked: Promise<T>): Promise<T | undefined> {
    return asked.catch((error: Error) => {
      tellUnanswered(this.#log, error, 'the ledger does not say what alerts are judged by');
      return undefined;
    });
  }
}

/** Of all bridges. */
async function askBooks(books: SnapshotSources['books'], book: Book, settings: Bounds) {
  const off = settings['alerts.off'];
  return {
    pool: (await rateOf(books, { kind: 'pool' })) ?? { hashesPerSecond: 0, standardError: 0 },
    accounts: await ratesOf(books, settings['alerts.accountHashRates'], (account) => ({
      kind: 'account',
      account,
    })),
    rigs: await ratesOf(books, settings['alerts.rigHashRates'], (login) => ({
      kind: 'rig',
      ...nameOf(login),
    })),
    usual: await usualOf(books),
    submits: await submitsOf(books),
    unweighed: off.includes('splitsBehind') ? undefined : await book.unweighed(),
    chains: off.includes('chainStandsStill') ? undefined : (await books.listed('chains', ALL_CHAINS))?.items,
    payer: off.includes('paymentsPaused') ? undefined : (await books.listed('payer', ONE))?.items[0],
    unclaimed: off.includes('blockUnclaimed') ? undefined : await book.unclaimed(),
    payable: off.includes('payoutDue') ? undefined : await book.payable(),
  };
}

/** Of those that are in the books. */
async function ratesOf(
  books: SnapshotSources['books'],
  bounds: Readonly<Record<string, number>>,
  of: (name: string) => HistoryOf,
): Promise<ReadonlyMap<string, Rate>> {
  const rates = new Map<string, Rate>();
  for (const name of Object.keys(bounds).slice(0, MOST_NAMES)) {
    const rate = await rateOf(books, of(name));
    if (rate) rates.set(name, rate);
  }
  return rates;
}

/** A login is parted at its first dot. */
function nameOf(login: string): Name {
  const dot = login.indexOf('.');
  return dot === -1
    ? { account: login, rig: '' }
    : { account: login.slice(0, dot), rig: login.slice(dot + 1) };
}

const sumOf = (values: readonly (number | null)[] = []): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Over the last quarter of an hour. */
export interface Rate {
  readonly hashesPerSecond: number;
  readonly standardError: number;
}

/** Minutes without shares count as such. `undefined` for a name that is not in the books. */
async function rateOf(books: SnapshotSources['books'], of: HistoryOf): Promise<Rate | undefined> {
  const question = { metric: 'hashRate', of, stepMs: MINUTE_MS, steps: QUARTER_STEPS + 1 } as const;
  const found = await books.history(question);
  if (!found) return undefined;
  // The last minute is not over.
  const [rates, errors] = [found.columns['hashesPerSecond'], found.columns['standardError']].map((column) =>
    column?.slice(0, QUARTER_STEPS),
  );
  const squares = errors?.map((error) => (error ?? 0) ** 2);
  return {
    hashesPerSecond: sumOf(rates) / QUARTER_STEPS,
    standardError: Math.sqrt(sumOf(squares)) / QUARTER_STEPS,
  };
}

/** Over the last day, while shares came; `undefined` while there are less than six hours of them. */
async function usualOf(books: SnapshotSources['books']): Promise<number | undefined> {
  const question = {
    metric: 'hashRate',
    of: { kind: 'pool' },
    stepMs: TEN_MINUTES_MS,
    steps: DAY_STEPS,
  } as const;
  const rates = (await books.history(question))?.columns['hashesPerSecond']?.filter((rate) => rate !== null);
  return rates && rates.length >= LEAST_STEPS_OF_DAY ? sumOf(rates) / rates.length : undefined;
}

/** Of the last quarter of an hour. */
async function submitsOf(books: SnapshotSources['books']) {
  const question = {
    metric: 'shares',
    of: { kind: 'pool' },
    stepMs: MINUTE_MS,
    steps: QUARTER_STEPS,
  } as const;
  const { accepted, ...reasons } = (await books.history(question))?.columns ?? {};
  return {
    accepted: sumOf(accepted),
    rejected: sumOf(Object.values(reasons).map((column) => sumOf(column))),
  };
}
