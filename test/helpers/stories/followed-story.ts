/** `serve` as a real process on a network that one or two development nodes make, and what its books say of chains and blocks. */
import pg from 'pg';
import { expect } from 'vitest';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { type Program, runProgram, startProgram } from '../processes/program.js';
import { until } from '../until.js';

export const DEPTH = 2;
const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';

export interface ChainRow {
  readonly id: number;
  /** Of its cursor; -1: it was not begun. */
  readonly height: number;
  readonly trouble: string;
}

export function startServe(dataDir: string, databaseUrl: string, more: readonly string[]): Program {
  const doors = ['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', ANY];
  const own = ['--miner-account', ACCOUNT, '--chain-depth', `${DEPTH}`, '--rewards-scheme', 'solo'];
  const books = ['--data-dir', dataDir, '--ledger-database-url', databaseUrl];
  return startProgram(['serve', ...own, ...books, ...doors, ...more]);
}

/** With one thread. */
export const MINES = [
  ...['--cpu-mode', 'always', '--cpu-threads', '1', '--stratum-share-difficulty', '100000'],
];

export class BooksOfChains {
  readonly #url: string;

  constructor(databaseUrl: string) {
    this.#url = databaseUrl;
  }

  async ask<T extends object>(text: string): Promise<T[]> {
    const options = `-c search_path=${SCHEMA}`;
    const client = new pg.Client({ connectionString: this.#url, options });
    await client.connect();
    return (await client.query<T>(text).finally(() => client.end())).rows;
  }

  chains(): Promise<ChainRow[]> {
    return this.ask(`SELECT c.id, coalesce(max(b.height), -1)::float8 AS height, c.trouble
      FROM chain c LEFT JOIN chain_block b ON b.chain_id = c.id GROUP BY c.id ORDER BY c.id`);
  }

  /** State -> blocks of ours. */
  async states(): Promise<Record<string, number>> {
    const rows = await this.ask<{ state: string; n: number }>(
      'SELECT state, count(*)::int AS n FROM block WHERE state IS NOT NULL GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  }

  /** Until every chain was followed to a height at least. */
  async reaches(height: number): Promise<void> {
    await until(`all chains reach height ${height}`, async () => {
      const chains = await this.chains();
      return chains.length > 0 && chains.every((chain) => chain.height >= height);
    });
  }

  /** The lowest and the highest cursor. */
  async cursors(): Promise<[number, number]> {
    const heights = (await this.chains()).map(({ height }) => height);
    return [Math.min(...heights), Math.max(...heights)];
  }

  /**
   * Where all blocks above the first of each chain are of our rigs: each that was taken over is confirmed and somebody's, all that is ours up to
   * there is settled on, and what is confirmed was posted.
   */
  async isSettled(): Promise<void> {
    const open = `SELECT b.state, b.said, b.chain_id, b.height FROM block b
      WHERE b.state = 'unclaimed' OR (b.state = 'pending' AND b.height <= (SELECT max(height) FROM chain_block c WHERE c.chain_id = b.chain_id))
        OR (b.state = 'confirmed' AND b.split_from IS NULL)`;
    await until('all is settled', async () => (await this.ask(open)).length === 0);
    const missing = `SELECT c.chain_id, c.height FROM chain_block c
      WHERE height > 0 AND NOT EXISTS (SELECT FROM block b WHERE b.state = 'confirmed' AND translate(encode(b.hash, 'base64'), '+/=', '-_') = c.hash)`;
    expect(await this.ask(missing)).toEqual([]);
    const beside = `SELECT b.chain_id, b.height FROM block b
      WHERE b.state = 'confirmed' AND NOT EXISTS (SELECT FROM chain_block c WHERE translate(encode(b.hash, 'base64'), '+/=', '-_') = c.hash)`;
    expect(await this.ask(beside)).toEqual([]);
  }

  /** By the command, as an operator does. */
  async isProved(): Promise<void> {
    const { code, text } = await runProgram(['ledger', 'verify', '--ledger-database-url', this.#url]);
    expect(code, text).toBe(0);
  }
}
