/** What an entry adds to the books: work by rig, slot and kind. */
import type { WorkSum } from '../../bridge/ports.js';
import type { Name } from '../../core/names/names.js';
import { slotOf } from '../../core/work/slot.js';
import type { LoggedShare } from '../log/records.js';

type Growing = { -readonly [K in keyof WorkSum]: WorkSum[K] };

export class ShareSums {
  readonly #sums: Growing[] = [];
  readonly #byName = new Map<string, Map<string, Map<number, Growing>>>();

  get sums(): readonly WorkSum[] {
    return this.#sums;
  }

  add({ account, rig }: Name, { acceptedAtMs, difficulty, expected, best }: LoggedShare): void {
    const slots = mapOf(mapOf(this.#byName, account), rig);
    const slot = slotOf(acceptedAtMs);
    const sum = slots.get(slot);
    if (sum) {
      sum.submits++;
      sum.work += difficulty;
      sum.expected += expected;
      if (best > sum.best) sum.best = best;
      return;
    }
    const first: Growing = {
      account,
      rig,
      slot,
      kind: 'accepted',
      submits: 1,
      work: difficulty,
      expected,
      best,
    };
    slots.set(slot, first);
    this.#sums.push(first);
  }
}

function mapOf<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  let map = maps.get(key);
  if (!map) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
