/** The hub of the fleet benchmark: real fronts, books and queue; works are made here instead of fetched. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hub } from '../../../src/assembly/fleet/hub.js';
import { openState } from '../../../src/assembly/fleet/state.js';
import { createBridgeEvents } from '../../../src/bridge/events.js';
import { CloseStack } from '../../../src/cli/service/stop.js';
import { BRIDGE_SETTINGS } from '../../../src/config/settings/settings.js';
import { SILENT } from '../../../src/core/names/log.js';
import { nodeNameOf } from '../../../src/core/names/node-name.js';
import { CrowdSums } from '../../../src/fleet/hub/crowd-sums.js';
import { FleetWorks } from '../../../src/fleet/hub/fleet-works.js';
import { FrontPosts } from '../../../src/fleet/hub/front-posts.js';
import { SolutionDesk } from '../../../src/fleet/hub/solution-desk.js';
import { HubWatch } from '../../../src/fleet/watch/hub-watch.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { makeWork } from '../../helpers/rigs/works.js';
import { loadConfig } from '../../helpers/stories/load-config.js';
import { startTestBridge } from '../../helpers/stories/stratum-bridge.js';
import { type Calls, nowNs } from '../peer.js';

export interface FleetOptions {
  readonly fronts: number;
  readonly databaseUrl: string;
  readonly nodeUrl: string;
}

/** A solution in so many submits. */
const BLOCK_DIFFICULTY = 3_000n;

const OPEN_LIMITS = {
  'stratum.limits.connectionsPerAddress': 100_000,
  'stratum.limits.connectsPerSecond': 100_000,
  'stratum.limits.connectsPerSecondPerAddress': 100_000,
  'stratum.limits.connectBurst': 100_000,
  'stratum.limits.messagesPerSecond': 1e6,
  'stratum.limits.messageBurst': 1e6,
  'stratum.limits.messagesPerSecondPerAddress': 1e8,
  'stratum.limits.pendingSubmits': 1e6,
} as const;

const NOTHING = { bans: [], difficulties: [], labels: [], addresses: [] };

export async function fleetHub({ fronts, databaseUrl, nodeUrl }: FleetOptions): Promise<Calls> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stratum-bridge-bench-'));
  const argv = [
    '--data-dir',
    dataDir,
    '--tcp',
    'off',
    '--ws',
    '127.0.0.1:0',
    '--share-difficulty',
    '1',
    '--node',
    nodeUrl,
  ];
  const config = {
    ...loadConfig(BRIDGE_SETTINGS, { argv, env: {} }).config,
    ...OPEN_LIMITS,
    processes: fronts,
  };
  const [open, events] = [new CloseStack(), createBridgeEvents()];
  const connection = { backend: 'postgres', connectionString: databaseUrl } as const;
  const ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
  const recorder = startShareRecorder({ connection, ledger, log: SILENT });
  const found: [header: string, foundNs: number][] = [];
  const clock = { nowMs: () => performance.timeOrigin + performance.now() };
  const solutions = new SolutionDesk({
    ...{ events, posts: new FrontPosts() },
    send: (solution) => {
      const agoNs = (clock.nowMs() - solution.foundAtMs) * 1e6;
      found.push([Buffer.from(solution.header).toString('base64'), nowNs() - agoNs]);
      events.emit('solutionKept', solution, 'found');
    },
  });
  const works = new FleetWorks({ handsOut: () => true });
  const site = { config, log: SILENT, open, events };
  const own = await startTestBridge({ events, listeners: [] });
  const hub = new Hub(site, {
    ...{
      ship: async () => undefined,
      books: { ledger, clock },
      connection,
      works,
      crowds: new CrowdSums(),
      solutions,
    },
    watch: new HubWatch({ own: own.server, events, clock, log: SILENT }),
    state: openState(site, { kept: NOTHING, keeper: { keep: () => Promise.resolve() } }),
  });
  await hub.listen();
  let cuts = 0;
  const node = nodeNameOf(nodeUrl);
  const newCut = (): void => {
    cuts++;
    const [parent, payload] = [cuts % 251, cuts % 241];
    works.offerWork(makeWork({ parent, payload, difficulty: BLOCK_DIFFICULTY }), node);
  };
  newCut();
  return {
    port: () => hub.ports[0]?.address.port,
    fanOut: () => {
      const startedNs = nowNs();
      cuts++;
      works.offerWork(makeWork({ parent: cuts % 251, payload: cuts % 241, difficulty: 1n << 100n }), node);
      return { startedNs, writtenNs: nowNs() };
    },
    sessions: () => hub.fronts.map(({ beat }) => beat?.sessions ?? 0),
    rssBytes: () => hub.fronts.reduce((sum, { beat }) => sum + (beat?.rssBytes ?? 0), 0),
    newCut,
    killOne: () => {
      hub.fronts[0]?.kill();
      return nowNs();
    },
    /** Since the last call: the header in base64, and when it was judged. */
    found: () => found.splice(0),
    close: async () => {
      await open.close(SILENT);
      await own[Symbol.asyncDispose]();
      solutions.close();
      await recorder.close();
      await ledger.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
