/** What a rigs' side shows where nobody is connected. */
import type { RigWatch } from '../../../src/bridge/watch/rig-watch.js';

const NONE = { total: 0, items: [] };

export const NO_RIGS: RigWatch = {
  counts: () => ({ sessions: 0, leased: 0, resumable: 0, bans: 0, waiting: 0, refused: 0 }),
  sessions: async () => NONE,
  rigs: async () => ({ ...NONE, states: { online: 0, idle: 0, offline: 0, banned: 0 } }),
  online: async function* () {},
  rig: () => undefined,
  accounts: async () => NONE,
  accountNames: async () => [],
  sessionsByAccount: async () => new Map(),
  here: async () => ({ rigs: [], sessions: [], accounts: [], bans: [] }),
  bans: () => [],
  difficulties: () => [],
  labels: () => [],
  addresses: () => [],
  drain: () => ({
    ...{ state: 'off', by: null, startedAt: null, endsAt: null, stops: false },
    ...{ sessions: 0, asked: 0, unsupported: 0, left: 0 },
  }),
};
