/** Lists of very many rigs: how much is done between two turns of the event loop, counted and not timed. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NO_OTHERS } from '../../src/bridge/watch/other-bridges.js';
import { mapped, SLICE, sorted } from '../../src/bridge/watch/slices.js';
import { RigOrders } from '../../src/stratum/operator/rig-orders.js';
import { type Watched, watchOf } from '../../src/stratum/operator/watch.js';
import { RigBook } from '../../src/stratum/resume/rig-book.js';
import type { RigSession } from '../../src/stratum/resume/rig-record.js';
import { NO_RIGS } from '../helpers/rigs/no-rigs.js';

const RIGS = 100_000;
const ALL = { offset: 0, limit: 1000 };
/** Of a run of a slice that is put in order. */
const COMPARISONS = SLICE * Math.ceil(Math.log2(SLICE));

/** Counts what is done by the turn of the event loop. */
class Turns implements Disposable {
  most = 0;
  turns = 0;
  #now = 0;
  #isOver = false;

  constructor() {
    void this.#count();
  }

  step(): void {
    this.most = Math.max(this.most, ++this.#now);
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  async #count(): Promise<void> {
    while (!this.#isOver) {
      await nextTurn();
      this.#now = 0;
      this.turns++;
    }
  }
}

describe('work in slices', () => {
  it('puts very many in order, as they would be at once, and lets others have their turns', async () => {
    const items = Array.from({ length: RIGS }, (_, i) => ({ key: (i * 7919) % 1000, i }));
    using turns = new Turns();
    const inOrder = await sorted(items, (a, b) => {
      turns.step();
      return a.key - b.key;
    });
    expect(inOrder).toEqual(items.toSorted((a, b) => a.key - b.key));
    expect(turns.most).toBeLessThanOrEqual(COMPARISONS);
    expect(turns.turns).toBeGreaterThan(RIGS / SLICE);
  });

  it.each([0, 1, SLICE - 1, SLICE, SLICE + 1, 3 * SLICE])('puts %i in order', async (length) => {
    const items = Array.from({ length }, (_, i) => (i * 7919) % 101);
    expect(await sorted(items, (a, b) => a - b)).toEqual(items.toSorted((a, b) => a - b));
  });

  it('leaves out what is nothing', async () => {
    const items = Array.from({ length: 3 * SLICE }, (_, i) => i);
    expect(await mapped(items, (i) => (i % 2 === 0 ? i : undefined))).toEqual(
      items.filter((i) => i % 2 === 0),
    );
  });
});

describe(`lists of ${RIGS} rigs`, () => {
  it('are worked out in slices: no turn of the event loop looks at more rigs than two of them', async () => {
    const rigBook = new RigBook({ limits: { remembered: RIGS }, accounts: { areProven: true } });
    const turns = new Turns();
    const nowMs = 1_000_000_000;
    const sessions = Array.from({ length: RIGS }, (_, i) => {
      const login = { account: `k${i % 977}`, rig: `${(i * 7919) % RIGS}` };
      const session: RigSession & Watched = {
        info: { id: i, transport: 'tcp', peer: '' },
        ...{ openedAtMs: i, agent: 'asic/1', difficulty: undefined, logins: [login] },
        cameFrom: { host: '192.0.2.1', port: 'tcp' },
        get answeredAtMs() {
          turns.step();
          return nowMs;
        },
        get hashesPerSecond() {
          turns.step();
          return i;
        },
        report: () => expect.fail('nobody asked for it'),
      };
      rigBook.entered(login, session, 'here');
      return session;
    });
    using _ = turns;
    const watch = watchOf({
      ...{ ...NO_RIGS, rigBook, ordered: new RigOrders(), labels: new RigOrders(), isBanned: () => false },
      ...{ sessions: () => new Set(sessions), bans: () => [], others: () => NO_OTHERS, nowMs: () => nowMs },
    });
    const byState = await watch.rigs({ ...ALL, sort: 'state', order: 'desc', q: '9' });
    expect(byState.total).toBe(sessions.filter(({ logins }) => JSON.stringify(logins).includes('9')).length);
    expect(byState.items).toHaveLength(ALL.limit);
    const fastest = await watch.sessions({ offset: 0, limit: 0 });
    expect(fastest).toEqual({ total: RIGS, items: [] });
    expect((await watch.sessionsByAccount()).get('k0')).toBe(Math.ceil(RIGS / 977));
    expect(turns.most).toBeLessThanOrEqual(2 * SLICE);
    expect(turns.turns).toBeGreaterThan((2 * RIGS) / SLICE);
  });
});
