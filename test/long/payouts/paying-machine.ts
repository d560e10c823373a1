/** A machine on which a bridge pays: a process that is killed, sleeps, and is started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PayerStory } from '../../helpers/payouts/payer-story.js';
import type { PayingStart } from '../../helpers/payouts/paying-process.js';
import { until } from '../../helpers/until.js';

const PROCESS = fileURLToPath(
  new URL('../../../dist/test/helpers/payouts/paying-process.js', import.meta.url),
);

/** Two of them leave the machine on which this runs some time. */
const EVERY_MS = 200;

interface MachineOptions extends Pick<PayingStart, 'needed' | 'keyFile' | 'bySignerProgram'> {
  readonly place: string;
  readonly ttlS: number;
}

export class PayingMachine {
  readonly place: string;
  readonly keyFile: string;
  /** It runs, and does not sleep. */
  isAwake = false;
  readonly #story: PayerStory;
  readonly #options: MachineOptions;
  #child: ChildProcess | undefined;

  constructor(story: PayerStory, options: MachineOptions) {
    this.#story = story;
    this.#options = options;
    this.place = options.place;
    this.keyFile = options.keyFile;
  }

  start(): void {
    const { nodes, connectionString, nowMs } = this.#story;
    const { place, ttlS, ...options } = this.#options;
    const named = new URL(connectionString);
    named.searchParams.set('application_name', place);
    const start: PayingStart = {
      ...{ ...options, terms: { place, ttlS }, isNewLedger: false },
      connectionString: named.toString(),
      ...{ nodeUrls: nodes.map(({ tap }) => tap.url), aheadMs: nowMs - Date.now() },
      everyMs: EVERY_MS,
    };
    this.#child = spawn(process.execPath, [PROCESS, JSON.stringify(start)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.isAwake = true;
  }

  get hasEndedByItself(): boolean {
    return this.#child !== undefined && this.#child.exitCode !== null;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.isAwake = false;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Not in a transaction: others would wait for it until the database ends that. */
  async sleep(): Promise<void> {
    await until('it sleeps', async () => {
      this.#child?.kill('SIGSTOP');
      const { rows } = await this.#story.pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 AND state <> 'idle'",
        [this.place],
      );
      if (rows.length > 0) this.#child?.kill('SIGCONT');
      return rows.length === 0;
    });
    this.isAwake = false;
  }

  wake(): void {
    this.#child?.kill('SIGCONT');
    this.isAwake = true;
  }
}
