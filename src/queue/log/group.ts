/** Shares that are written and synced together: what came while the last sync ran. */

import type { ShareWaiter } from '../../bridge/ports.js';
import { NAME_BYTES, type Name, storable } from '../../core/names/names.js';
import { expectedBlocks, type Share } from '../../core/shares/share.js';
import { nameBytes, type RecordWriter } from './records.js';

/** Numbers for the names of one segment. */
export class NameTable {
  readonly names: Name[] = [];
  /** About what one copy of their records takes. */
  bytes = 0;
  readonly #indexes = new Map<string, Map<string, number>>();

  /** @param isNew told of a number that was given out just now. */
  place(account: string, rig: string, isNew: (index: number) => void): number {
    let rigs = this.#indexes.get(account);
    if (!rigs) {
      rigs = new Map();
      this.#indexes.set(account, rigs);
    }
    const known = rigs.get(rig);
    if (known !== undefined) return known;
    const name = { account: textOf(account), rig: textOf(rig) };
    const index = this.names.push(name) - 1;
    this.bytes += nameBytes(name);
    rigs.set(rig, index);
    isNew(index);
    return index;
  }
}

/** Names are checked where they enter; this is what a record takes in any case. */
function textOf(text: string): string {
  return storable(text, 4 * NAME_BYTES.account);
}

export class Group {
  readonly table: NameTable;
  readonly records: RecordWriter;
  /** Names that are not in the segment yet. */
  newNames: number[];
  shares = 0;
  work = 0n;
  /** It carries a cut, and what is accepted from now on counts as of this time at the earliest. */
  cutAtMs: number | undefined;
  readonly #waiters: ShareWaiter[] = [];

  /** @param records written by nobody else any more. */
  constructor(table: NameTable, records: RecordWriter, newNames: number[] = []) {
    this.table = table;
    this.newNames = newNames;
    this.records = records;
    records.clear();
  }

  add(share: Share, acceptedAtMs: number, reached: number, waiter: ShareWaiter): void {
    const name = this.table.place(share.account, share.rig, (index) => this.newNames.push(index));
    this.records.share(name, acceptedAtMs, share.difficulty, expectedBlocks(share), reached);
    this.shares++;
    this.work += share.difficulty;
    this.#waiters.push(waiter);
  }

  kept(): void {
    for (const waiter of this.#waiters) waiter.kept();
  }

  lost(error: Error): void {
    for (const waiter of this.#waiters) waiter.lost(error);
  }
}
