/** The live status, drawn as a terminal would see it. */
import { expect, it } from 'vitest';
import type { Listing, RigWatch } from '../../src/bridge/rig-watch.js';
import type { Bridge } from '../../src/commands/bridge.js';
import { bridgeStatus } from '../../src/commands/status.js';
import { createLiveBlock } from '../../src/commands/terminal.js';

const hashRates = [60_000, 300_000].map((windowMs) => ({
  windowMs,
  hashesPerSecond: 20.4e12,
  standardError: 1.5e12,
}));
const listed =
  <T>(items: T[]) =>
  ({ limit }: { limit: number }): Listing<T> => ({ total: items.length, items: items.slice(0, limit) });
const rig = (name: string) => ({
  account: `k:${'ab'.repeat(32)}`,
  rig: name,
  sessions: 1,
  hashRates,
  lastShareAtMs: 0,
});
const watch: RigWatch = {
  counts: () => ({ sessions: 4, leased: 4, parked: 0, bans: 1, waiting: 0, refused: 0 }),
  sessions: listed([]),
  accounts: listed([]),
  rigs: listed(['cellar', 'attic', 'evil\u001b[2J', 'shed'].map(rig)),
  bans: listed([{ kind: 'rig', login: 'a.r', address: '192.0.2.7', reason: 'why \u0007', untilMs: 0 }]),
};
const summary = {
  version: '1',
  startedAt: new Date().toISOString(),
  nodes: [],
  sessions: 4,
  hashesPerSecond: 0,
  submits: {},
  solutions: {},
  queue: { backend: 'postgres', waiting: 0, spooled: 0 },
  ledger: { shares: 0, work: '0' },
};

it('names the fastest rigs and the bans, and lets no name of a rig command the terminal', async () => {
  const bridge = {
    watch,
    addresses: {},
    tally: { heights: new Map() },
    summary: async () => summary,
    cpuHashesPerSecond: () => 0,
  } as unknown as Bridge;
  const lines = await bridgeStatus(bridge)();
  let drawn = '';
  const stream = { columns: 120, write: (text: string) => (drawn += text) } as unknown as NodeJS.WriteStream;
  createLiveBlock(stream).draw(lines);
  expect(drawn).toContain('rig        k:abab');
  expect(drawn).toContain('.cellar  20.4 TH/s ± 1.50 TH/s');
  expect(drawn).toContain('.evil?[2J ');
  expect(drawn).toContain('and 1 more');
  expect(drawn).toContain('banned     a.r at 192.0.2.7 until 1970-01-01T00:00:00.000Z: why ?');
  // Nothing but the block's own way of beginning: to the start of the line, and clear what follows.
  expect(drawn.replace('\r\u001b[J', '')).not.toMatch(/[^\P{Cc}\n]/u);
});
