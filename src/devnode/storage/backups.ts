/** Backup jobs (interface 4.7): one at a time, each into a directory of its own from which a node can be started. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { amountOf, decimalText } from '../../core/money/decimal.js';
import type { Log } from '../../core/names/log.js';
import { makeFolder } from '../../files/make-folder.js';
import type { NodeClock } from '../clock.js';
import { ChainStates } from '../consensus/chain-states.js';
import type { Chains } from '../consensus/chains.js';
import { BlockStore } from './block-store.js';

type BackupState = 'backup-in-progress' | 'backup-done' | 'backup-failed';

/** Name of the blocks' folder in a data directory, and so in a backup. */
export const BLOCKS_FOLDER = 'blocks';

/** Written last: without it a backup is not whole. */
const DONE_FILE = 'backup-done';

/** More are refused: each is a whole copy, and none is ever removed but by the operator. */
const MOST_BACKUPS = 64;

type BackupStart =
  | { readonly outcome: 'started'; readonly id: string }
  | { readonly outcome: 'full'; readonly reason: string };

export class Backups {
  readonly #directory: string;
  readonly #chains: Chains;
  readonly #clock: NodeClock;
  readonly #log: Log;
  readonly #failed = new Set<string>();
  #running: { readonly id: string; readonly job: Promise<void> } | undefined;

  constructor(directory: string, chains: Chains, clock: NodeClock, log: Log) {
    this.#directory = directory;
    this.#chains = chains;
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts a job and gives its id; while one runs, gives that one's. */
  start(withContractState: boolean): BackupStart {
    if (this.#running) return { outcome: 'started', id: this.#running.id };
    if (this.#count() >= MOST_BACKUPS) {
      return {
        outcome: 'full',
        reason: `there are ${MOST_BACKUPS} backups in ${this.#directory}: delete old ones`,
      };
    }
    // A clock that stands gives the same time again.
    let micros = this.#clock.nowMicros();
    while (this.state(String(micros)) !== undefined) micros++;
    const id = String(micros);
    const job = this.#run(id, withContractState).finally(() => {
      this.#running = undefined;
    });
    this.#running = { id, job };
    return { outcome: 'started', id };
  }

  #count(): number {
    // What is no folder fails in the job, which says so.
    const isFolder = statSync(this.#directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
    return isFolder ? readdirSync(this.#directory).length : 0;
  }

  /** `undefined` for an id that no job had. */
  state(id: string): BackupState | undefined {
    if (this.#running?.id === id) return 'backup-in-progress';
    if (this.#failed.has(id)) return 'backup-failed';
    const place = join(this.#directory, id);
    if (existsSync(join(place, DONE_FILE))) return 'backup-done';
    return existsSync(place) ? 'backup-failed' : undefined;
  }

  /** Waits for the job under way. */
  async close(): Promise<void> {
    await this.#running?.job;
  }

  async #run(id: string, withContractState: boolean): Promise<void> {
    try {
      const place = join(this.#directory, id);
      makeFolder(place);
      await this.#chains.store.backUpTo(join(place, BLOCKS_FOLDER));
      if (withContractState) await this.#writeBalances(place);
      writeFileSync(join(place, DONE_FILE), id);
    } catch (error) {
      this.#failed.add(id);
      this.#log.error({ err: error, id }, 'backup failed');
    }
  }

  /** From the copy, so that balances and blocks are of one moment. */
  async #writeBalances(place: string): Promise<void> {
    const copy = new BlockStore(join(place, BLOCKS_FOLDER));
    try {
      const balances = balancesIn(copy);
      writeFileSync(join(place, 'accounts.json'), JSON.stringify(balances, null, 2));
    } finally {
      await copy.close();
    }
  }
}

/** For each chain, account -> coins as a decimal text. */
function balancesIn(store: BlockStore): object {
  const states = new ChainStates(store);
  const chains = [...(store.cut() ?? [])].map(([chainId, hash]) => {
    const head = store.block(hash);
    const accounts = head ? [...states.behind(head).accounts()] : [];
    const balances = accounts.map(({ name, balance }) => [name, decimalText(amountOf(balance))] as const);
    return [chainId, Object.fromEntries(balances)] as const;
  });
  return Object.fromEntries(chains);
}
