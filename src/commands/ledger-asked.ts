import type { Ledger } from '../ledger/ledger.js';
import type { CommandIo } from './command.js';
import type { LedgerConfig } from './ledger-settings.js';

/** What an action of `ledger` works with. */
export interface Asked {
  readonly ledger: Ledger;
  readonly config: LedgerConfig;
  readonly io: CommandIo;
}

/** Resolves with the exit code. */
export type Action = (asked: Asked) => Promise<number>;
