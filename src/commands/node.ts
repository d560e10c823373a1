/** `stratum-bridge node`: the development node alone. */
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { loadConfig } from '../config/load.js';
import type { ConfigOf } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import { ForeignStoreError } from '../devnode/chains.js';
import { DataDirectoryError } from '../devnode/data-lock.js';
import { type DevNode, type DevNodeOptions, startDevNode } from '../devnode/server.js';
import { StorageError } from '../devnode/store.js';
import { LedgerError } from '../ledger/errors.js';
import { lockFolderByFile } from '../ledger/folder-lock.js';
import { type CertificatePair, makeSelfSigned } from '../stratum/self-signed.js';
import { type Command, CommandError, helpText, OK } from './command.js';
import { explained } from './failures.js';
import { createLogger } from './logger.js';
import { NODE_SETTINGS } from './node-settings.js';
import { watchForStop } from './signals.js';
import { CloseStack, leaveAfter, STOP_LIMIT_MS, startUnlessStopped } from './stop.js';

export const command: Command = {
  summary: 'run a development node of the ledger: real proof of work, ten braided chains',
  help: () =>
    helpText({
      usage: 'node [options]',
      about:
        'A node of the ledger on this machine, for development: ten braided chains with real proof of work and a\n' +
        'difficulty that follows the hash rate. It serves the whole HTTP interface of the ledger.\n' +
        'Several of them, given each other as peers, make a network.',
      settings: NODE_SETTINGS,
      examples: [
        'node --mining',
        'node --mining --data-dir ./chain --block-delay-ms 2000',
        'node --mining --listen 127.0.0.1:1849 --peer http://127.0.0.1:1848',
        'node --mining --profile chainweb --header-stream true',
      ],
    }),
  async run(argv, io) {
    const { config } = loadConfig(NODE_SETTINGS, { argv });
    const log = createLogger({
      level: config['log.level'],
      format: config['log.format'],
      write: (line) => void io.stdout.write(line),
      isTerminal: io.stdout.isTTY,
    });
    const stop = watchForStop();
    const open = new CloseStack();
    const node = await startUnlessStopped(stop, open, log, () =>
      explained(() => start({ ...optionsFrom(config), log }, open)),
    );
    if (!node) return OK;
    const { url, controlUrl: control } = node;
    const peer = config.profile === 'chainweb' ? node.peerUrl : undefined;
    const mining = config.mining ? 'mining is on' : 'mining is off: --mining switches it on';
    log.info({ event: 'ready', url, peer, control }, `the node serves ${url}; ${mining}`);
    const reason = await stop.asked;
    leaveAfter(STOP_LIMIT_MS, stop, log);
    log.info({ event: 'stopping', reason }, 'stopping');
    await open.close(log);
    return OK;
  },
};

/** What an operator can mend is said in a sentence. */
async function start(options: DevNodeOptions, open: CloseStack): Promise<DevNode> {
  try {
    // The node makes it at once, and where that takes long this process would hear no signal.
    if (options.dataDir) await mkdir(options.dataDir, { recursive: true });
    const lock = (folder: string): (() => void) | undefined => lockFolderByFile(folder, 'node');
    const node = await startDevNode({ lock, ...options });
    open.add('node', () => node.close());
    return node;
  } catch (error) {
    const remedied = [RangeError, DataDirectoryError, ForeignStoreError, StorageError, LedgerError].some(
      (type) => error instanceof type,
    );
    throw remedied ? new CommandError((error as Error).message, { cause: error }) : error;
  }
}

/** For the peer port; nobody keeps it, so that each start makes another. */
function newCertificate(listen: ListenAddress): CertificatePair {
  const hosts = [...new Set([listen.host, 'localhost', '127.0.0.1'])];
  return makeSelfSigned({ hosts, nowMs: Date.now(), days: CERTIFICATE_DAYS, serial: randomBytes(16) });
}

const CERTIFICATE_DAYS = 365;

function optionsFrom(config: ConfigOf<typeof NODE_SETTINGS>): DevNodeOptions {
  const { listen, proofOfWork, network, peers, profile, updateStreamLifetimeMs } = config;
  return {
    ...{ listen, proofOfWork, network, peers, profile, updateStreamLifetimeMs },
    ...(profile === 'chainweb' ? { peerTls: newCertificate(listen) } : {}),
    ...(config.peerListen === 'auto' ? {} : { peerListen: config.peerListen }),
    ...(config.headerStream === 'auto' ? {} : { headerStream: config.headerStream }),
    ...(config.payloadRefreshMs === 0 ? {} : { payloadRefreshMs: config.payloadRefreshMs }),
    miningLimit: config.miningLimit,
    payloadLifetimeMs: config.payloadLifetimeMs,
    updateStreamLimit: config.updateStreamLimit,
    forkState: config.forkState,
    miningEnabled: config.mining,
    miners: config.miners.map((key) => ({
      account: `k:${key}`,
      predicate: 'keys-all',
      'public-keys': [key],
    })),
    graph: config.graph === 'auto' ? undefined : config.graph,
    blockDelayMs: config.blockDelayMs || undefined,
    difficultyWindow: config.difficultyWindow || undefined,
    genesisDifficulty: config.genesisDifficulty || undefined,
    greatestRaise: config.greatestRaise || undefined,
    peerHostname: config.peerHostname || undefined,
    dataDir: config.dataDir || undefined,
    backupDir: config.backupDir || undefined,
    control: config.control === 'off' ? undefined : config.control,
  };
}
