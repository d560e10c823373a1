/** The operator's side of a story: two bridges as processes that share books, key and settings, and the commands of who runs them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { createDatabase } from '../../helpers/books/postgres.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';
import type { DayNodes } from './day-nodes.js';
import type { DayPostgres } from './day-postgres.js';

/** D. */
export const DEPTH = 4;
/** For a dozen looks of a payer between the first and the last block that can have a transaction. */
const TTL_MS = 3_600_000;

export interface PoolParts {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly nodes: DayNodes;
  readonly postgres: DayPostgres;
  readonly account: string;
  readonly keyFile: string;
  readonly limits: { readonly line: number; readonly batch: number; readonly day: number };
}

export interface Ran {
  readonly code: number | NodeJS.Signals;
  readonly text: string;
  readonly stderr: string;
}

/** What the books say of the payer, without a command: a story looks often. */
export interface PayerNow {
  readonly pause: string | null;
  readonly says: string | null;
  /** Of the chain that it has seen least of; null: it has looked at none. */
  readonly height: number | null;
}

export class DayPool {
  readonly #parts: PoolParts;
  readonly #bridges: (Program | undefined)[] = [undefined, undefined];
  #databaseUrl = '';
  #ledger: Ledger | undefined;

  private constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  static async start(parts: PoolParts): Promise<DayPool> {
    const pool = new DayPool(parts);
    await pool.#moveTo(await createDatabase(parts.postgres));
    await pool.#open();
    for (const i of [0, 1]) await pool.startBridge(i);
    return pool;
  }

  get ledger(): Ledger {
    return this.#ledger ?? expect.fail('the books are closed');
  }

  get #configFile(): string {
    return join(this.#parts.folder, 'stratum-bridge.json');
  }

  /** What operators write down once. */
  async #moveTo(databaseUrl: string): Promise<void> {
    const { nodes, account, keyFile, limits } = this.#parts;
    this.#databaseUrl = databaseUrl;
    const settings = {
      node: { urls: nodes.nodes.map(({ tap }) => tap.url) },
      miner: { account },
      cpu: { mode: 'off' },
      ledger: { databaseUrl },
      chain: { depth: DEPTH, nodes: 2 },
      payouts: {
        ...{ mode: 'auto', schedule: 'every 30m', ttl: `${TTL_MS}ms` },
        ...{ key: keyFile, limit: limits },
      },
    };
    await writeFile(this.#configFile, JSON.stringify(settings), { mode: 0o600 });
  }

  async #open(): Promise<void> {
    this.#ledger = await openLedger({ connectionString: this.#databaseUrl, log: SILENT });
  }

  async startBridge(i: number): Promise<void> {
    const { folder, env } = this.#parts;
    const listeners = ['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', '--web-listen', 'off'];
    const own = ['--data-dir', join(folder, `bridge-${i}`), '--config', this.#configFile];
    this.#bridges[i] = startProgram(['serve', ...own, ...listeners], env);
    await this.#bridges[i]?.ready();
  }

  async killBridge(i: number): Promise<void> {
    const bridge = this.#bridges[i];
    bridge?.kill('SIGKILL');
    await bridge?.ended;
    this.#bridges[i] = undefined;
  }

  isUp(i: number): boolean {
    return this.#bridges[i] !== undefined;
  }

  /** Warnings of bridges, of late. */
  lastWords(): string {
    const lines = this.#bridges.flatMap((bridge, i) =>
      (bridge?.lines ?? []).slice(-15).map((line) => `${i}: ${JSON.stringify(line)}`),
    );
    return lines.join('\n');
  }

  /** `stratum-bridge ledger …`, as a process of its own. */
  async run(...words: string[]): Promise<Ran> {
    const { env } = this.#parts;
    return runProgram(['ledger', ...words, '--json', '--config', this.#configFile], { ...env });
  }

  /** The same, where it has to go well. */
  async done(...words: string[]): Promise<Ran> {
    const ran = await this.run(...words);
    expect(ran.code, `ledger ${words.join(' ')}: ${ran.stderr}\n${ran.text}`).toBe(0);
    return ran;
  }

  /** Waits while the database is away. */
  async now(): Promise<PayerNow> {
    return until('the books answer', async () => {
      const rows = await this.ask<PayerNow>(
        `SELECT pause_kind AS pause, pause_says AS says, (SELECT min(head_height)::float8 FROM payer_chain) AS height FROM payer`,
      ).catch(() => []);
      return rows[0];
    });
  }

  async ask<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.ledger.pool.query<T>(text, [...values])).rows;
  }

  /** The payer has looked at a height. */
  async untilSeen(height: number): Promise<void> {
    await until(
      `the payer has seen height ${height}`,
      async () => ((await this.now()).height ?? -1) >= height,
    );
  }

  dump(file: string): Promise<Ran> {
    return this.done('dump', file);
  }

  /** Into a database of its own, as after a disk that was lost: bridges, killed before, begin on it. */
  async restore(file: string): Promise<void> {
    for (const i of [0, 1]) await this.killBridge(i);
    await this.ledger.close();
    await this.#moveTo(await createDatabase(this.#parts.postgres));
    // No payout of theirs was ever a file.
    await this.done('restore', file, '--none-were-sent');
    await this.#open();
    for (const i of [0, 1]) await this.startBridge(i);
  }

  async close(): Promise<void> {
    await this.#ledger?.close();
    for (const bridge of this.#bridges) await bridge?.[Symbol.asyncDispose]();
  }
}
