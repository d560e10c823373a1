/** What addresses use over all fronts: each front is told what the others have. */
import type { AddressUse } from '../../bridge/fleet/state.js';

/** Addresses that a front is told of at once, the busiest first. */
const MAX_TOLD = 1000;

/** What has happened since a front heard last, and what is so now. */
interface Others {
  readonly key: string;
  connections: number;
  goodRigs: number;
  messages: number;
  connects: number;
  guesses: number;
  floods: number;
  garbled: number;
}

export class AddressUses {
  /** Of each front, as it has told last: what is so now. */
  readonly #now = new Map<number, ReadonlyMap<string, AddressUse>>();
  /** For each front, what the others did that it has not heard of. */
  readonly #news = new Map<number, Map<string, Others>>();

  join(front: number): void {
    this.#now.set(front, new Map());
    this.#news.set(front, new Map());
  }

  leave(front: number): void {
    this.#now.delete(front);
    this.#news.delete(front);
  }

  tell(front: number, uses: readonly AddressUse[]): void {
    if (!this.#now.has(front)) return;
    this.#now.set(front, new Map(uses.map((use) => [use.key, use])));
    for (const [other, news] of this.#news) if (other !== front) for (const use of uses) add(news, use);
  }

  /** What a front is to hear of the others, once. */
  of(front: number): AddressUse[] {
    const news = this.#news.get(front) ?? new Map<string, Others>();
    for (const [other, uses] of this.#now)
      if (other !== front) for (const use of uses.values()) addNow(news, use);
    this.#news.set(front, new Map());
    const all = [...news.values()];
    return all.length <= MAX_TOLD ? all : all.sort((a, b) => weight(b) - weight(a)).slice(0, MAX_TOLD);
  }
}

function add(news: Map<string, Others>, use: AddressUse): void {
  const others = othersAt(news, use.key);
  others.messages += use.messages;
  others.connects += use.connects;
  others.guesses += use.guesses;
  others.floods += use.floods;
  others.garbled += use.garbled;
}

function addNow(news: Map<string, Others>, { key, connections, goodRigs }: AddressUse): void {
  const others = othersAt(news, key);
  others.connections += connections;
  others.goodRigs += goodRigs;
}

function othersAt(news: Map<string, Others>, key: string): Others {
  const others = news.get(key) ?? {
    ...{ key, connections: 0, goodRigs: 0 },
    ...{ messages: 0, connects: 0, guesses: 0, floods: 0, garbled: 0 },
  };
  news.set(key, others);
  return others;
}

/** Wrong logins, floods and garbage are rare, and what follows from them is grave. */
function weight({ connections, messages, guesses, floods, garbled }: AddressUse): number {
  return connections + messages + 1000 * (guesses + floods + garbled);
}
