/** Lists of 100,000 rigs: for how long nothing else gets its turn while one is worked out. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { NO_OTHERS } from '../../../src/bridge/watch/other-bridges.js';
import type { RigWatch } from '../../../src/bridge/watch/rig-watch.js';
import type { RigQuery } from '../../../src/operations/rigs.js';
import { RigOrders } from '../../../src/stratum/operator/rig-orders.js';
import { watchOf } from '../../../src/stratum/operator/watch.js';
import { RigBook } from '../../../src/stratum/resume/rig-book.js';
import { NO_RIGS } from '../../helpers/rigs/no-rigs.js';

export interface ListRow {
  readonly name: string;
  readonly longestTurnMs: number;
  readonly tookMs: number;
}

const BAR_MS = 5;
const PAGE = { offset: 0, limit: 100 };
const LISTS: readonly (readonly [string, Partial<RigQuery>])[] = [
  ['fastest first', {}],
  ['by name', { sort: 'name' }],
  ['by state, searched', { sort: 'state', q: '77' }],
];

export async function benchLists(rigs: number): Promise<ListRow[]> {
  const nowMs = { at: Date.now() };
  const watch = watchOfMany(rigs, nowMs);
  const rows: ListRow[] = [];
  for (const [name, query] of LISTS) {
    await watch.rigs({ ...PAGE, ...query });
    nowMs.at += 1000;
    rows.push(await measured(name, () => watch.rigs({ ...PAGE, ...query })));
  }
  process.stdout.write(
    `lists of ${rigs} rigs, ms: longest turn of the event loop (bar ${BAR_MS}), and in all\n`,
  );
  for (const { name, longestTurnMs, tookMs } of rows) {
    const missed = longestTurnMs > BAR_MS ? ' **missed**' : '';
    process.stdout.write(
      `  ${name.padEnd(20)} ${longestTurnMs.toFixed(1).padStart(7)} ${tookMs.toFixed(0).padStart(7)}${missed}\n`,
    );
  }
  return rows;
}

/** Each has mined a little. */
function watchOfMany(rigs: number, nowMs: { readonly at: number }): RigWatch {
  const rigBook = new RigBook({ limits: { remembered: rigs }, accounts: { areProven: true } });
  for (let i = 0; i < rigs; i++) {
    const record = rigBook.recordOf({ account: `k:${i % 5000}`, rig: `rig${(i * 7919) % rigs}` });
    const share = { difficulty: 1 + (i % 997), nextDifficulty: undefined, addressKey: 'here', sinceMs: 0 };
    rigBook.share(record, share, nowMs.at - (i % 300) * 1000);
  }
  return watchOf({
    ...{ ...NO_RIGS, rigBook, ordered: new RigOrders(), labels: new RigOrders(), isBanned: () => false },
    ...{ sessions: () => new Set(), bans: () => [], others: () => NO_OTHERS, nowMs: () => nowMs.at },
  });
}

async function measured(name: string, act: () => Promise<unknown>): Promise<ListRow> {
  const beganAtMs = performance.now();
  let [lastMs, longestTurnMs, isOver] = [beganAtMs, 0, false];
  const looking = (async () => {
    while (!isOver) {
      await nextTurn();
      const atMs = performance.now();
      longestTurnMs = Math.max(longestTurnMs, atMs - lastMs);
      lastMs = atMs;
    }
  })();
  await act();
  isOver = true;
  await looking;
  return { name, longestTurnMs, tookMs: performance.now() - beganAtMs };
}
