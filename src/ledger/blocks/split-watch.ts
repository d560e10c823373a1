/**
 * Says when a block was split while something was amiss: shares of before it came into the books only after its split, or
 * bridges on this ledger have different rules of reward. Until the split waits for all that, people have to know.
 */
import type pg from 'pg';
import { formatAmount } from '../../core/amount.js';
import type { Log } from '../../core/log.js';
import type { RewardRules } from '../settlement/reward-rules.js';

export interface SplitWatchOptions {
  readonly pool: pg.Pool;
  readonly rules: RewardRules;
  /** Names this bridge to people, the same at each start: host and data directory. */
  readonly bridge: string;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface SplitWatch {
  /** Resolves when this bridge's rules are told, and what is new was said. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 30_000;
/** Blocks that one look names. */
const NAMED = 5;

export function startSplitWatch(options: SplitWatchOptions): SplitWatch {
  const watch = new Watch(options);
  const timer = setInterval(() => void watch.look(), options.intervalMs ?? INTERVAL_MS);
  void watch.look();
  return {
    look: () => watch.look(),
    close: async () => {
      clearInterval(timer);
      await watch.leave();
    },
  };
}

class Watch {
  readonly #options: SplitWatchOptions;
  #looking: Promise<void> | undefined;
  #differing = '';
  /** As PostgreSQL writes it: finer than a Date. */
  #said: string | undefined;

  constructor(options: SplitWatchOptions) {
    this.#options = options;
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookNow()
      .catch((error: Error) =>
        this.#options.log.debug({ error: error.message }, 'the rules of the bridges cannot be compared now'),
      )
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Its rules are of no concern from now on. */
  async leave(): Promise<void> {
    const { pool, bridge } = this.#options;
    await this.#looking;
    await pool.query('DELETE FROM bridge_rules WHERE bridge = $1', [bridge]).catch((error: Error) => {
      this.#options.log.debug(
        { error: error.message },
        'this bridge is left in the list of rules for a while',
      );
    });
  }

  async #lookNow(): Promise<void> {
    const { pool, rules, bridge } = this.#options;
    await pool.query(
      `INSERT INTO bridge_rules (bridge, rules) VALUES ($1, $2)
       ON CONFLICT (bridge) DO UPDATE SET rules = excluded.rules, seen_at = now()`,
      [bridge, rulesInWords(rules)],
    );
    await pool.query(FORGET);
    await this.#sayDiffering();
    await this.#sayDoubts();
  }

  async #sayDiffering(): Promise<void> {
    const { pool, log } = this.#options;
    const { rows } = await pool.query<{ differing: string | null }>('SELECT differing_rules() AS differing');
    const differing = rows[0]?.differing ?? '';
    if (differing === this.#differing) return;
    this.#differing = differing;
    if (differing === '') log.info({}, 'all bridges on this ledger have the same rules of reward again');
    else log.warn({ bridges: differing }, `${DIFFERING}: ${differing}`);
  }

  async #sayDoubts(): Promise<void> {
    const { pool, log } = this.#options;
    const { rows } = await pool.query<{ noted_at: string; words: string }>(
      `SELECT noted_at::text, ${DOUBT_IN_WORDS} AS words FROM split_doubt
       WHERE noted_at > coalesce($1::timestamptz, now() - interval '1 minute') ORDER BY noted_at LIMIT 10000`,
      [this.#said ?? null],
    );
    this.#said = rows.at(-1)?.noted_at ?? this.#said;
    for (const { words } of rows.slice(0, NAMED)) log.warn({}, words);
    if (rows.length > NAMED)
      log.warn({}, `${rows.length - NAMED} more blocks so; \`ledger verify\` names them`);
  }
}

/** Bridges have new names with new hosts, as containers do at each start. */
const FORGET = "DELETE FROM bridge_rules WHERE seen_at < now() - interval '1 day'";

const DIFFERING =
  'bridges on this ledger have different rules of reward, and each splits the blocks that it sees first by its own: give them the same';

/** SQL: a row of split_doubt as a sentence. */
export const DOUBT_IN_WORDS = `CASE kind
  WHEN 'late' THEN format('the block of solution %s was split while shares waited: %s shares of work %s from before it came into the books after its split', solution_id, shares, work)
  ELSE format('the block of solution %s was split while bridges had different rules of reward: %s', solution_id, detail) END`;

/** Equal rules have equal words. */
export function rulesInWords(rules: RewardRules): string {
  const { scheme, fees, pplnsWindow, schedule, confirmDepth } = rules;
  const window =
    pplnsWindow.of === 'time' ? `${pplnsWindow.ms} ms` : `${Number(pplnsWindow.permille) / 1000}x`;
  const own = Array.from(fees.overrides, ([account, points]) => `${account}=${points}`).sort();
  const steps = schedule.map(({ fromHeight, amount }) => `${fromHeight}=${formatAmount(amount)}`);
  return [
    `scheme ${scheme}`,
    ...(scheme === 'pplns' ? [`window ${window}`] : []),
    `fee ${fees.basisPoints}`,
    ...(own.length > 0 ? [`own fees ${own.join(' ')}`] : []),
    ...(steps.length > 0 ? [`schedule ${steps.join(' ')}`] : []),
    `confirmed at depth ${confirmDepth}`,
  ].join(', ');
}
