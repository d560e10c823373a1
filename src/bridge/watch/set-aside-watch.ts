/** What was set aside because it could not be booked: of ledger and queue. Implemented by assembly, shown by the web. */
import type { EntryOrderHandlers, SetAsideEntry } from '../../operations/books/entries.js';

export interface SetAsideWatch {
  /** The oldest first. Not complete while the queue does not answer. */
  list(): Promise<{ readonly items: readonly SetAsideEntry[]; readonly isComplete: boolean }>;
  readonly orders: EntryOrderHandlers;
}
