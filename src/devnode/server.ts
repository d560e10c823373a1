/** The development node: a real node of the multi-chain ledger on one machine. */
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Log, SILENT } from '../core/log.js';
import { Backups, BLOCKS_FOLDER } from './backups.js';
import { Chains } from './chains.js';
import { type NodeClock, SkewedClock, systemClock } from './clock.js';
import { DiskStore } from './disk-store.js';
import { Faults } from './faults.js';
import { basePath, createApp } from './http/app.js';
import type { NodeContext } from './http/context.js';
import { createControl } from './http/control.js';
import { cutJson } from './http/cut-routes.js';
import { StreamSet } from './http/streams.js';
import { MemoryStore } from './memory-store.js';
import { Mempool } from './mempool.js';
import { Mining } from './mining.js';
import { type Network, networkFrom } from './networks.js';
import { PeerLinks } from './peers.js';
import { type DevNodeSettings, settingsFrom } from './settings.js';

/** Settings as plain values, and what a test may want to hold in its hand. */
export interface DevNodeOptions extends Partial<DevNodeSettings> {
  readonly clock?: NodeClock;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly log?: Log;
}

export interface DevNode {
  /** Base address of the interface: `http://host:port/chainweb/0.0/<network>`. */
  readonly url: string;
  /** `http://host:port` */
  readonly rootUrl: string;
  readonly address: AddressInfo;
  /** Address of the control port; `undefined` when there is none. */
  readonly controlUrl: string | undefined;
  /** The cut as it is now. */
  cut(): CutSummary;
  /** Cuts or heals the link to a peer, or to all. Returns how many links that were. */
  setPeerConnected(connected: boolean, url?: string): number;
  close(): Promise<void>;
}

export interface CutSummary {
  /** Sum over all chains. */
  readonly height: number;
  readonly weight: bigint;
  /** Height of each chain's head. */
  readonly heights: Readonly<Record<number, number>>;
  /** Hash of each chain's head. */
  readonly hashes: Readonly<Record<number, string>>;
}

/**
 * Starts a node; it serves when the promise resolves. Rejects with a RangeError for a bad setting, DataDirectoryError
 * or ForeignStoreError for a data directory that cannot be used, and the system's error for a port that is taken.
 */
export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const { clock: ownClock = systemClock(), random = Math.random, log = SILENT, ...given } = options;
  const settings = settingsFrom(given);
  const network = networkOf(settings);
  const clock = new SkewedClock(ownClock);
  const store =
    settings.dataDir === undefined ? new MemoryStore() : new DiskStore(join(settings.dataDir, BLOCKS_FOLDER));
  const closing = new AbortController();
  const close = closer(closing);
  close.later(() => store.close());
  try {
    const chains = new Chains({ network, store, clock, log });
    const context = contextOf({ settings, chains, clock, random, log, closing: closing.signal });
    close.later(async () => {
      context.mining.close();
      await context.peers.close();
      await context.backups?.close();
    });
    const app = createApp(context);
    close.later(() => {
      context.miningStreams.endAll();
      context.blockStreams.endAll();
      return app.close();
    });
    const { address, rootUrl } = await listen(app, settings.listen);
    const controlUrl = await startControl(context, clock, app, close);
    context.peers.start({ hostname: settings.peerHostname ?? settings.listen.host, port: address.port });
    return {
      url: rootUrl + basePath(context),
      rootUrl,
      address,
      controlUrl,
      cut: () => summaryOf(chains),
      setPeerConnected: (connected, url) => context.peers.setConnected(connected, url),
      close: () => close.now(),
    };
  } catch (error) {
    await close.now();
    throw error;
  }
}

interface Closer {
  /** What is to be closed before everything that was named earlier. */
  later(part: () => Promise<unknown>): void;
  now(): Promise<void>;
}

function closer(closing: AbortController): Closer {
  const parts: (() => Promise<unknown>)[] = [];
  return {
    later: (part) => parts.unshift(part),
    async now() {
      closing.abort();
      for (const part of parts.splice(0)) await part();
    },
  };
}

interface Parts {
  readonly settings: DevNodeSettings;
  readonly chains: Chains;
  readonly clock: NodeClock;
  readonly random: () => number;
  readonly log: Log;
  readonly closing: AbortSignal;
}

function contextOf(parts: Parts): NodeContext {
  const { settings, chains, clock, random, log, closing } = parts;
  const nonce = Math.floor(random() * Number.MAX_SAFE_INTEGER);
  const mempool = new Mempool(chains, nonce, (chainId) => mining.transactionsArrived(chainId));
  const mining: Mining = miningOf(parts, mempool);
  const streams = { lifetimeMs: settings.updateStreamLifetimeMs, limit: settings.updateStreamLimit };
  const peers = {
    urls: settings.peers.map((url) => baseAddress(url, settings)),
    pollMs: settings.peerPollMs,
  };
  return {
    settings,
    chains,
    mining,
    mempool,
    peers: new PeerLinks(peers, {
      chains,
      mempool,
      cutJson: () => cutJson(chains, chains.cut),
      log,
      closing,
    }),
    backups:
      settings.backupDir === undefined ? undefined : new Backups(settings.backupDir, chains, clock, log),
    faults: new Faults(closing),
    clock,
    log,
    names: {
      network: chains.network.name,
      versionKey: settings.profile === 'chainweb' ? 'chainwebVersion' : 'ledgerVersion',
    },
    miningStreams: new StreamSet(streams, random),
    blockStreams: new StreamSet(streams, random),
    closing,
  };
}

/** A peer's base address where only scheme, host and port are given. */
function baseAddress(url: string, settings: DevNodeSettings): string {
  return new URL(url).pathname === '/' ? new URL(basePath({ settings }), url).href : url;
}

function miningOf({ settings, chains, clock, random, log }: Parts, transactions: Mempool): Mining {
  return new Mining({
    chains,
    clock,
    random,
    log,
    transactions,
    settings: {
      miners: settings.miners,
      payloadLimit: settings.miningLimit,
      payloadLifetimeMs: settings.payloadLifetimeMs,
      dropStaleAtLimit: settings.profile !== 'chainweb',
      payloadRefreshMs: settings.payloadRefreshMs,
    },
  });
}

async function listen(
  app: FastifyInstance,
  where: { readonly host: string; readonly port: number },
): Promise<{ address: AddressInfo; rootUrl: string }> {
  await app.listen(where);
  const address = app.server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { address, rootUrl: `http://${host}:${address.port}` };
}

async function startControl(
  context: NodeContext,
  clock: SkewedClock,
  app: FastifyInstance,
  close: Closer,
): Promise<string | undefined> {
  const { control: where } = context.settings;
  if (where === undefined) return undefined;
  app.server.on('connection', (socket) => {
    if (context.faults.state.refuse && context.faults.state.onlyPath === '') socket.destroy();
  });
  const control = createControl({ context, clock, cutConnections: () => app.server.closeAllConnections() });
  close.later(() => control.close());
  return (await listen(control, where)).rootUrl;
}

function networkOf(settings: DevNodeSettings): Network {
  const { graph, graphHistory, blockDelayMs, difficultyWindow, genesisDifficulty, greatestRaise } = settings;
  const chosen = graph ?? (settings.network === 'development' ? 'petersen' : 'network');
  const onGraph = chosen === 'network' || graphHistory !== undefined ? {} : { graph: chosen };
  return networkFrom({
    name: settings.network,
    proofOfWork: settings.proofOfWork,
    flags: settings.forkState,
    ...onGraph,
    ...(graphHistory === undefined ? {} : { graphHistory }),
    ...(blockDelayMs === undefined ? {} : { blockDelayMs }),
    ...(difficultyWindow === undefined ? {} : { difficultyWindow }),
    ...(genesisDifficulty === undefined ? {} : { genesisDifficulty }),
    ...(greatestRaise === undefined ? {} : { greatestRaise }),
  });
}

function summaryOf({ cut }: Chains): CutSummary {
  const heads = [...cut.heads.values()];
  return {
    height: cut.height,
    weight: cut.weight,
    heights: Object.fromEntries(heads.map((head) => [head.chainId, head.height])),
    hashes: Object.fromEntries(heads.map((head) => [head.chainId, head.hash])),
  };
}
