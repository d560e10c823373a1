import { type Bridge, startBridge } from '../../assembly/bridge.js';
import { minerFrom } from '../../assembly/chains/miner.js';
import { explained } from '../../assembly/failures.js';
import { checkSetup } from '../../assembly/setup-checks.js';
import { watchSettings, withChosen } from '../../assembly/watch/settings.js';
import { runningBridge } from '../../assembly/watch/status.js';
import type { SettingsWatch } from '../../bridge/watch/settings-watch.js';
import type { Asked } from '../../cli/line/command.js';
import { withoutChatter } from '../../cli/screen/logger.js';
import { type Running, runService } from '../../cli/service/host.js';
import type { CloseStack } from '../../cli/service/stop.js';
import type { Loaded } from '../../config/layers/load.js';
import type { BridgeConfig, BridgeSettings } from '../../config/settings.js';
import type { Log } from '../../core/names/log.js';
import { nodeNameOf } from '../../core/names/node-name.js';
import { withDemoAccounts } from './account.js';
import { type Child, firstEnd } from './children.js';
import { startNode, startRig } from './parts.js';
import { tellOfPorts, withPortsThatGiveWay } from './ports.js';

/** Of a stop at least. */
const CHILD_MS = 500;

export function run(asked: Asked<BridgeSettings>): Promise<number> {
  return runService(asked, {
    check: async (loaded) => (await checkSetup(loaded, Boolean(loaded.config['miner.account']))).problems,
    start: (loaded, log, open, settings) =>
      explained(() => startAll(loaded, log, open, watchSettings(settings)), loaded),
  });
}

/** The node before the bridge that asks it for work, and the rig once there is somebody to connect to. */
async function startAll(
  loaded: Loaded<BridgeSettings>,
  log: Log,
  open: CloseStack,
  settings: SettingsWatch,
): Promise<Running<BridgeConfig>> {
  const children: Record<string, Child> = {};
  const add = (name: string, child: Child): Child => {
    children[name] = child;
    open.add(name, child.stop, CHILD_MS);
    return child;
  };
  const given = withPortsThatGiveWay(loaded);
  const accounts = await withDemoAccounts(given, loaded.sources, log);
  const { worksFor } = accounts;
  const node =
    loaded.sources['node.urls'] === 'default'
      ? add('node', await startNode(given.dataDir, accounts.funded, log))
      : undefined;
  if (!node) tellOfOthers(given['node.urls'], loaded.sources['node.urls'], log);
  const urls = node ? [String(node.ready['url'])] : given['node.urls'];
  const config = { ...accounts.config, 'node.urls': urls };
  const miner = minerFrom(config);
  const bridge = await startBridge(config, miner, withoutChatter(log), open, {
    settings: withChosen(settings, given, config),
    cpuAccount: worksFor,
  });
  tellOfPorts(config, bridge, log);
  const rigUrl = urlOfRigs(bridge);
  if (rigUrl) add('rig', await startRig(rigUrl, worksFor, log));
  return { ...runningBridge(bridge, { node: urls[0] }), ended: firstEnd(children) };
}

function tellOfOthers(nodes: readonly string[], source: string, log: Log): void {
  const names = nodes.map(nodeNameOf).join(', ');
  log.info(
    { event: 'node', nodes: nodes.map(nodeNameOf) },
    `no development node is started, as node.urls is given (${source}); rig and CPU wait until ${names} gives work`,
  );
}

/** WebSocket, or TCP where that is off; none where all ports want TLS. */
function urlOfRigs({ ports }: Bridge): string | undefined {
  const plain = ports.filter(({ tls }) => tls !== 'only');
  const port = plain.find(({ transport }) => transport !== 'tcp') ?? plain[0];
  if (!port) return undefined;
  const { address, transport } = port;
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
  return `${transport === 'tcp' ? 'tcp' : 'ws'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
