/** `stratum-bridge demo`: node, database, bridge, CPU and a rig on this machine, by one command. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Loaded } from '../config/load.js';
import { BRIDGE_SETTINGS, type BridgeConfig, type BridgeSettings } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import type { Log } from '../core/log.js';
import { type Bridge, startBridge } from './bridge.js';
import { type Child, startChild } from './children.js';
import { type Command, CommandError, FAILED, helpText, loadBridgeConfig, OK } from './command.js';
import { listenError } from './doctor-checks.js';
import { explained } from './failures.js';
import { generateMinerKeys, type MinerKeys } from './keygen.js';
import { minerFrom } from './miner.js';
import { createScreen } from './screen.js';
import { watchForStop } from './signals.js';
import { bridgeStatus, reportReady } from './status.js';
import { CloseStack, leaveAfter, STOP_LIMIT_MS, startUnlessStopped } from './stop.js';

/** The rig is connected all the time, so in `fallback` the CPU threads would never mine. */
const DEFAULTS = { 'cpu.mode': 'always', 'stratum.tcp': '127.0.0.1:1917', 'stratum.ws': '127.0.0.1:1918' };
const NODE_ADDRESS: ListenAddress = { host: '127.0.0.1', port: 1848 };
const ACCOUNT_FILE = 'demo-account.json';
const PORTS = ['stratum.tcp', 'stratum.ws', 'web.listen'] as const;

export const command: Command = {
  summary: 'start everything on this machine: node, database, bridge, CPU threads and a rig',
  help: () =>
    helpText({
      usage: 'demo [settings]',
      about:
        'What `npm start` runs: a development node in a process of its own, an embedded PostgreSQL in the data directory,\n' +
        'the bridge, its CPU threads, and a reference rig connected over WebSocket. A default port that is taken gives\n' +
        `way to a free one. Pays to an account that it makes and keeps in <data-dir>/${ACCOUNT_FILE}.`,
      settings: BRIDGE_SETTINGS,
      withKeys: true,
      examples: ['demo', 'demo --data-dir /tmp/try --cpu-threads 2'],
    }),
  async run(argv, io) {
    const loaded = loadBridgeConfig(argv, io, DEFAULTS);
    const screen = createScreen(loaded.config, io);
    const { log } = screen;
    const open = new CloseStack();
    const stop = watchForStop();
    const start = () => explained(() => startAll(loaded, log, open));
    const all = await startUnlessStopped(stop, open, log, start);
    if (!all) return OK;
    screen.show(bridgeStatus(all.bridge));
    const ending = await Promise.race([
      stop.asked.then((reason): Ending => ({ reason, code: OK })),
      anyEnds(all.children),
    ]);
    leaveAfter(STOP_LIMIT_MS, stop, log);
    screen.end();
    log[ending.code === OK ? 'info' : 'error']({ event: 'stopping', reason: ending.reason }, 'stopping');
    await open.close(log);
    log.info({ event: 'stopped' }, 'stopped');
    return ending.code;
  },
};

interface Ending {
  readonly reason: string;
  readonly code: number;
}

async function startAll(
  loaded: Loaded<BridgeSettings>,
  log: Log,
  open: CloseStack,
): Promise<{ bridge: Bridge; children: Record<string, Child> }> {
  const children: Record<string, Child> = {};
  const withPorts = await freePorts(loaded, log);
  const ownNode = loaded.sources['node.urls'] === 'default';
  if (ownNode) {
    const { host, port } = await freeInstead('the node', NODE_ADDRESS, log);
    children['node'] = await startChild(['node', '--mining', '--listen', `${host}:${port}`], log);
    open.add('node', children['node'].stop);
  }
  const nodeUrls = ownNode ? [String(children['node']?.ready['url'])] : withPorts['node.urls'];
  const config = { ...withPorts, 'node.urls': nodeUrls };
  const miner = minerFrom(config['miner.account'] ? config : withDemoAccount(config, log));
  const bridge = await startBridge(config, miner, log, open);
  const rigUrl = urlOfRigs(bridge);
  if (rigUrl) {
    children['rig'] = await startChild(
      ['rig', '--url', rigUrl, '--user', `${miner.account}.demo`, '--threads', '1'],
      log,
    );
    open.add('rig', children['rig'].stop);
  }
  reportReady(log, bridge, { node: nodeUrls[0] });
  return { bridge, children };
}

/** WebSocket, or TCP where that is off. */
function urlOfRigs({ addresses: { ws, tcp } }: Bridge): string | undefined {
  const address = ws ?? tcp;
  if (!address) return undefined;
  const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
  return `${ws ? 'ws' : 'tcp'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

async function freePorts(loaded: Loaded<BridgeSettings>, log: Log): Promise<BridgeConfig> {
  const config: Record<string, unknown> = { ...loaded.config };
  for (const key of PORTS) {
    const address = loaded.config[key];
    if (address === 'off' || loaded.sources[key] !== 'default') continue;
    config[key] = await freeInstead(key, address, log);
  }
  return config as BridgeConfig;
}

/** The address itself, or the same host with a port that the system chooses. */
async function freeInstead(what: string, address: ListenAddress, log: Log): Promise<ListenAddress> {
  const error = await listenError(address);
  if (error?.code !== 'EADDRINUSE') return address;
  log.warn({ port: address.port }, `port ${address.port} is taken: ${what} gets a free one instead`);
  return { ...address, port: 0 };
}

/** An account of its own for each data directory: a second start pays the same one. */
function withDemoAccount(config: BridgeConfig, log: Log): BridgeConfig {
  const path = join(config.dataDir, ACCOUNT_FILE);
  if (!existsSync(path)) {
    mkdirSync(config.dataDir, { recursive: true });
    writeFileSync(path, `${JSON.stringify(generateMinerKeys(), null, 2)}\n`, { mode: 0o600 });
    log.info({ path }, 'made an account to mine for');
  }
  const { account } = JSON.parse(readFileSync(path, 'utf8')) as MinerKeys;
  if (typeof account !== 'string')
    throw new CommandError(`${path} holds no account: remove it to get a new one`);
  return { ...config, 'miner.account': account };
}

/** A part that ends by itself ends the demo: half of it would only look as if it worked. */
async function anyEnds(children: Record<string, Child>): Promise<Ending> {
  const endings = Object.entries(children).map(
    async ([name, child]) => `the ${name} ended: ${await child.ended}`,
  );
  if (endings.length === 0) return new Promise(() => {});
  return { reason: await Promise.race(endings), code: FAILED };
}
