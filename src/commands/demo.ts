/** `stratum-bridge demo`: node, database, bridge, CPU and a rig on this machine, by one command. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, type Loaded } from '../config/load.js';
import { BRIDGE_SETTINGS, type BridgeConfig, type BridgeSettings } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import type { Log } from '../core/log.js';
import { type Bridge, startBridge } from './bridge.js';
import { type Child, startChild } from './children.js';
import { type Command, CommandError, FAILED, helpText, loadBridgeConfig, OK } from './command.js';
import { explained } from './failures.js';
import { generateMinerKeys } from './keygen.js';
import { withoutChatter } from './logger.js';
import { minerFrom } from './miner.js';
import { createScreen } from './screen.js';
import { checkSetup } from './setup-checks.js';
import { watchForStop } from './signals.js';
import { bridgeStatus, reportReady } from './status.js';
import { CloseStack, leaveAfter, STOP_LIMIT_MS, startUnlessStopped } from './stop.js';
import { writeWhole } from './whole-file.js';

const DEFAULTS = {
  // The rig is connected all the time, so in `fallback` the CPU threads would never mine.
  'cpu.mode': 'always',
  'stratum.tcp': '127.0.0.1:1917',
  'stratum.ws': '127.0.0.1:1918',
  // What one thread finds within a second or some, where the default is for machines that do nothing else.
  'stratum.vardiff.startDifficulty': 4_194_304,
  'stratum.limits.connections': 1000,
};
/** Blocks of the first seconds take a thread about one: easier ones come faster than a rig may submit. */
const GENESIS_DIFFICULTY = 2_000_000;
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
    const problems = checkSetup(loaded, Boolean(loaded.config['miner.account'])).problems;
    if (problems.length > 0) throw new ConfigError(problems);
    const screen = createScreen(loaded.config, io);
    const { log } = screen;
    const open = new CloseStack();
    const stop = watchForStop();
    const start = () => explained(() => startAll(loaded, log, open), loaded);
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
  const withPorts = withPortsThatGiveWay(loaded);
  const ownNode = loaded.sources['node.urls'] === 'default';
  if (ownNode) {
    children['node'] = await startNode(loaded.config.dataDir, log);
    open.add('node', children['node'].stop);
  }
  const nodeUrls = ownNode ? [String(children['node']?.ready['url'])] : withPorts['node.urls'];
  const config = { ...withPorts, 'node.urls': nodeUrls };
  const miner = minerFrom(config['miner.account'] ? config : await withDemoAccount(config, log));
  const bridge = await startBridge(config, miner, withoutChatter(log), open);
  tellOfPorts(config, bridge, log);
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

/** Default ports give way to free ones, so that the demo runs beside whatever runs. */
function withPortsThatGiveWay({ config, sources }: Loaded<BridgeSettings>): BridgeConfig {
  const mayMove = PORTS.filter((key) => sources[key] === 'default' && config[key] !== 'off');
  const moving = mayMove.map((key) => [key, { ...(config[key] as ListenAddress), elseAny: true }]);
  return { ...config, ...Object.fromEntries(moving) } as BridgeConfig;
}

function tellOfPorts(config: BridgeConfig, { addresses: { tcp, ws, web } }: Bridge, log: Log): void {
  const got = { 'stratum.tcp': tcp?.port, 'stratum.ws': ws?.port, 'web.listen': web && portOf(web) };
  for (const key of PORTS) {
    const asked = config[key];
    if (asked !== 'off' && asked.port !== 0 && got[key] !== asked.port) tellOfPort(key, asked.port, log);
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port || 80);
}

function tellOfPort(what: string, port: number, log: Log): void {
  log.warn({ port }, `port ${port} is taken: ${what} gets a free one instead`);
}

async function startNode(dataDir: string, log: Log): Promise<Child> {
  // With its ledger: blocks that no chain knows would lose what they have earned.
  const chain = ['--data-dir', join(dataDir, 'chain')];
  const rules = ['--genesis-difficulty', String(GENESIS_DIFFICULTY)];
  const listen = ({ host, port }: ListenAddress): Promise<Child> =>
    startChild(['node', '--mining', '--listen', `${host}:${port}`, ...chain, ...rules], log);
  try {
    return await listen(NODE_ADDRESS);
  } catch (error) {
    if (!(error instanceof CommandError && error.message.includes('EADDRINUSE'))) throw error;
    tellOfPort('the node', NODE_ADDRESS.port, log);
    return listen({ ...NODE_ADDRESS, port: 0 });
  }
}

/** An account of its own for each data directory: a second start pays the same one. */
async function withDemoAccount(config: BridgeConfig, log: Log): Promise<BridgeConfig> {
  const path = join(config.dataDir, ACCOUNT_FILE);
  await mkdir(config.dataDir, { recursive: true });
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (kept !== undefined) return { ...config, 'miner.account': accountIn(kept, path) };
  const keys = generateMinerKeys();
  await writeWhole(path, [`${JSON.stringify(keys, null, 2)}\n`]);
  log.info({ path }, 'made an account to mine for');
  return { ...config, 'miner.account': keys.account };
}

const KEPT = z.object({ account: z.string() });

function accountIn(text: string, path: string): string {
  try {
    return KEPT.parse(JSON.parse(text)).account;
  } catch (cause) {
    const sentence = `${path} holds no account, or not all of it: bring it back, or remove it to get a new one`;
    throw new CommandError(sentence, { cause });
  }
}

/** A part that ends by itself ends the demo: half of it would only look as if it worked. */
async function anyEnds(children: Record<string, Child>): Promise<Ending> {
  const endings = Object.entries(children).map(
    async ([name, child]) => `the ${name} ended: ${await child.ended}`,
  );
  if (endings.length === 0) return new Promise(() => {});
  return { reason: await Promise.race(endings), code: FAILED };
}
