/** The live status, drawn as a terminal would see it. */
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import type { Bridge } from '../../src/assembly/bridge.js';
import { bridgeStatus } from '../../src/assembly/watch/status.js';
import type { Listing, RigWatch } from '../../src/bridge/watch/rig-watch.js';
import { createLiveBlock } from '../../src/cli/screen/terminal.js';
import type { Rig } from '../../src/operations/rigs.js';
import { createEmulator } from '../helpers/rigs/emulator.js';
import { NO_RIGS } from '../helpers/rigs/no-rigs.js';

const hashRates = [1, 5].map((minutes) => ({
  minutes,
  hashesPerSecond: 20.4e12,
  standardError: 1.5e12,
}));
const listed =
  <T>(items: T[]) =>
  ({ limit }: { limit: number }): Listing<T> => ({
    total: items.length,
    items: items.slice(0, limit),
  });
const rig = (name: string): Rig => ({
  account: `k:${'ab'.repeat(32)}`,
  rig: name,
  state: 'online',
  sessions: 1,
  connectedSince: new Date(0).toISOString(),
  agent: '',
  difficulty: null,
  orderedDifficulty: null,
  label: null,
  hashRates,
  accepted: 1,
  rejected: {},
  bestShare: '1',
  lastShareAt: new Date(0).toISOString(),
});
const AT = new Date(0).toISOString();
const ban = { id: '1', reason: 'why \u0007', since: AT, until: AT, by: null };
const watch: RigWatch = {
  ...NO_RIGS,
  counts: () => ({ sessions: 4, leased: 4, resumable: 0, bans: 1, waiting: 0, refused: 0 }),
  rigs: async (query) => ({
    ...(await NO_RIGS.rigs(query)),
    ...(await listed(['cellar', 'attic', 'evil\u001b[2J', 'shed'].map(rig))(query)),
  }),
  bans: () => [
    { ...ban, kind: 'rig', login: 'a.r', address: '192.0.2.7' },
    { ...ban, kind: 'account', login: 'b', until: null },
  ],
  drain: () => ({ ...NO_RIGS.drain(), state: 'draining', sessions: 9, left: 4 }),
};
const summary = {
  version: '1',
  instance: 3,
  bridges: [{ instance: 3, place: 'pool:data', ageMs: 0, sessions: 1, hashesPerSecond: 0 }],
  nodes: [
    {
      url: 'http://127.0.0.1:1848/chainweb/0.0/development',
      bridge: null,
      network: 'development',
      state: 'healthy',
      reason: '',
      isActive: true,
    },
    {
      ...{ url: 'http://other:1848', bridge: null, network: '', state: 'away' },
      ...{ reason: 'nobody answers', isActive: false },
    },
  ],
  sessions: 4,
  ports: [
    { name: 'tcp', port: 1917, sessions: 3 },
    { name: 'high', port: 3334, sessions: 1 },
  ],
  hashesPerSecond: 0,
  submits: { accepted: 12, stale: 0, tryAgain: 3 },
  solutions: { found: 0, accepted: 0 },
  queue: { backend: 'postgres', isUp: true, waiting: 0, heldBack: 0, failed: 0 },
  ledger: { isUp: true, shares: 0, work: '0', differingRules: [] },
};

function bridgeWith(heights: [number, number][]): Bridge {
  const works = heights.map(([chainId, height]) => ({ chainId, height: height + 1 }));
  return {
    watch,
    summary: async () => ({ ...summary, works, startedAt: new Date().toISOString() }),
    cpuHashRate: () => undefined,
  } as unknown as Bridge;
}

/** As a terminal shows them. */
async function drawn(lines: readonly string[], columns: number): Promise<string[]> {
  const emulator = createEmulator(columns, 40, true);
  const stream = new Writable({
    decodeStrings: false,
    write: (text, _, done) => void emulator.write(text).then(() => done()),
  });
  Object.assign(stream, { columns, rows: 40 });
  createLiveBlock(stream as unknown as NodeJS.WriteStream).draw(lines);
  stream.end();
  await finished(stream);
  return emulator.rows();
}

it('names the fastest rigs and the bans, and lets no name of a rig command the terminal', async () => {
  const text = (await drawn(await bridgeStatus(bridgeWith([]))(), 120)).join('\n');
  expect(text).toContain('rig        k:abab');
  expect(text).toContain('.cellar  20.4 TH/s ± 1.50 TH/s');
  expect(text).toContain('.evil\\u{1b}[2J ');
  expect(text).toContain('and 1 more');
  expect(text).toContain('banned     a.r at 192.0.2.7 until 1970-01-01T00:00:00.000Z: why \\u{7}');
  expect(text).toContain('banned     all rigs of b: why');
  expect(text).toContain('drain      under way: 4 of 9 sessions are still here');
});

it('C17: fits 80 columns: a line a node, and of counts those that are not zero', async () => {
  const heights = Array.from({ length: 20 }, (_, chain): [number, number] => [chain, 5_000_000 + chain]);
  const lines = await bridgeStatus(bridgeWith(heights))();
  expect(lines.filter((line) => line.length > 79)).toEqual([]);
  const text = lines.join('\n');
  expect(text).toMatch(/instance 3, up \d s\n/);
  expect(text).toContain('\n  node       127.0.0.1:1848 development in use, healthy\n');
  expect(text).toContain('\n  node       other:1848 away: nobody answers\n');
  expect(text).toContain('\n  sessions   4 (tcp 1917: 3, high 3334: 1)\n');
  expect(text).toContain('\n  submits    accepted 12, tryAgain 3\n');
  expect(text).toContain('\n  solutions  none yet\n');
  expect(text).toContain('\n  queue      postgres: empty\n');
  expect(text).toContain('\n  chains     20 with work, at heights 5000000 to 5000019\n');
  expect(await drawn(lines, 80)).toHaveLength(lines.length);
  expect((await bridgeStatus(bridgeWith([[3, 7]]))()).join('\n')).toContain('\n  chains     3:7\n');
});
