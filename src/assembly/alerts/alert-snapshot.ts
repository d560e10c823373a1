/** What alerts are judged by: from the numbers that are shown, and once a minute from the books. */
import type { AlertBook } from '../../bridge/alerts/alerts.js';
import type { BooksWatch } from '../../bridge/watch/books-watch.js';
import type { Name } from '../../core/names/names.js';
import type { HistoryOf } from '../../operations/history.js';
import type { AlertRules } from '../../web/alerts/rules.js';
import { type Figures, type Rate, type Snapshot, UNNUMBERED } from '../../web/alerts/snapshot.js';
import type { SummarySources } from '../../web/state/summary.js';
import { STEADY_CLOCK } from '../clocks.js';

export type SnapshotSources = Pick<
  SummarySources,
  'instance' | 'nodes' | 'queue' | 'ledger' | 'rigs' | 'books' | 'signs'
>;

const MINUTE_MS = 60_000;
const QUARTER_STEPS = 15;
const TEN_MINUTES_MS = 600_000;
const DAY_STEPS = 144;
/** Six hours in which shares came. */
const LEAST_STEPS_OF_DAY = 36;
/** Each is a question to the books. */
const MOST_NAMES = 100;

export class Snapshots {
  readonly #sources: SnapshotSources;
  readonly #book: Pick<AlertBook, 'payable' | 'unweighed'>;
  #figures: Figures | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(sources: SnapshotSources, book: Pick<AlertBook, 'payable' | 'unweighed'>) {
    this.#sources = sources;
    this.#book = book;
  }

  async take(rules: AlertRules): Promise<Snapshot> {
    const { instance, nodes, queue: asked, ledger, signs } = this.#sources;
    const [queue, { isUp: isLedgerUp }, seen] = await Promise.all([asked.look(), ledger.look(), signs()]);
    const number = instance();
    const { waiting = 0, heldBack = 0 } = queue.value ?? {};
    // What is not in the books yet would look as if nobody mined.
    const isBooked = isLedgerUp && queue.isUp && heldBack === 0;
    const figures = isBooked ? await this.#recentFigures(rules) : undefined;
    return {
      bridge: number === undefined ? UNNUMBERED : `bridge ${number}`,
      ...{ isLedgerUp, nodes: nodes(), signs: seen, figures },
      queue: queue.value && { waiting, heldBack },
    };
  }

  /** Those of the last minute; `undefined` where the books do not answer. */
  async #recentFigures(rules: AlertRules): Promise<Figures | undefined> {
    const nowMs = STEADY_CLOCK.nowMs();
    if (nowMs - this.#askedAtMs < MINUTE_MS) return this.#figures;
    this.#askedAtMs = nowMs;
    this.#figures = await this.#ask(rules).catch(() => undefined); // away: it is asked again in a minute
    return this.#figures;
  }

  async #ask(rules: AlertRules): Promise<Figures> {
    const { books } = this.#sources;
    const pool = await rateOf(books, { kind: 'pool' });
    const accounts = new Map<string, Rate>();
    for (const account of Object.keys(rules.accountHashRates).slice(0, MOST_NAMES)) {
      const rate = await rateOf(books, { kind: 'account', account });
      if (rate) accounts.set(account, rate);
    }
    const rigs = new Map<string, Rate>();
    for (const login of Object.keys(rules.rigHashRates).slice(0, MOST_NAMES)) {
      const rate = await rateOf(books, { kind: 'rig', ...nameOf(login) });
      if (rate) rigs.set(login, rate);
    }
    return {
      ...{ pool: pool ?? NO_RATE, accounts, rigs },
      usual: await usualOf(books),
      submits: await submitsOf(books),
      unweighed: rules.off.includes('splitsBehind') ? undefined : await this.#book.unweighed(),
      onChain: rules.onChain && (await onChainOf(books)),
      payable: rules.off.includes('payoutDue') ? undefined : await this.#book.payable(rules.minimumPayout),
    };
  }
}

/** Accounts that are held are counted up to here. */
const MOST_HELD = 1_000;

async function onChainOf(books: BooksWatch): Promise<Figures['onChain']> {
  const [payer, holds] = await Promise.all([books.payer(), books.holds(MOST_HELD)]);
  // What an operator holds is no news to him.
  return { payer, held: holds.filter(({ by }) => by === 'the payer').length };
}

const NO_RATE: Rate = { hashesPerSecond: 0, standardError: 0 };

/** A login is parted at its first dot. */
function nameOf(login: string): Name {
  const dot = login.indexOf('.');
  return dot === -1
    ? { account: login, rig: '' }
    : { account: login.slice(0, dot), rig: login.slice(dot + 1) };
}

const sumOf = (values: readonly (number | null)[] = []): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Minutes without shares count as such. `undefined` for a name that is not in the books. */
async function rateOf(books: BooksWatch, of: HistoryOf): Promise<Rate | undefined> {
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

async function usualOf(books: BooksWatch): Promise<number | undefined> {
  const question = {
    metric: 'hashRate',
    of: { kind: 'pool' },
    stepMs: TEN_MINUTES_MS,
    steps: DAY_STEPS,
  } as const;
  const rates = (await books.history(question))?.columns['hashesPerSecond']?.filter((rate) => rate !== null);
  return rates && rates.length >= LEAST_STEPS_OF_DAY ? sumOf(rates) / rates.length : undefined;
}

async function submitsOf(books: BooksWatch): Promise<Figures['submits']> {
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
