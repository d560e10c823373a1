/** The development node: a real node of the multi-chain ledger on one machine. */
import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DIALECTS } from '../chain/dialects.js';
import { type Log, SILENT } from '../core/names/log.js';
import { contextOf, networkOf, startLife } from './assemble.js';
import { seededRandom } from './chance.js';
import { type After, afterTime, type NodeClock, OrderedClock, systemClock } from './clock.js';
import { balancesOf, type FundedAccount, fundedAccounts } from './coin/funded-accounts.js';
import { Chains } from './consensus/chains.js';
import { chainsOf } from './consensus/networks.js';
import { basePath, createApp } from './http/app.js';
import type { NodeContext } from './http/context.js';
import { createControl } from './orders/control.js';
import { newestTime, type Orders } from './orders/orders.js';
import { ownName } from './peers/peer-address.js';
import { type DevNodeSettings, settingsFrom } from './settings.js';
import { BLOCKS_FOLDER } from './storage/backups.js';
import { BlockStore } from './storage/block-store.js';

/** Settings as plain values, and what a test may want to hold in its hand. */
export interface DevNodeOptions extends Partial<DevNodeSettings> {
  readonly clock?: NodeClock;
  /** How time passes for clients that wait. */
  readonly after?: After;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly log?: Log;
}

export interface DevNode extends AsyncDisposable {
  /** Base address of the interface: `http://host:port/chainweb/0.0/<network>`. */
  readonly url: string;
  /** `http://host:port` */
  readonly rootUrl: string;
  readonly address: AddressInfo;
  /** Base address for other nodes; that of the interface but on profile chainweb. */
  readonly peerUrl: string;
  /** Address of the control port; `undefined` when there is none. */
  readonly controlUrl: string | undefined;
  /** Those that were asked for, with the keys that were made. */
  readonly accounts: readonly FundedAccount[];
  /** Blocks on demand, time and snapshots. */
  readonly orders: Orders;
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
 * Starts a node; it serves when the promise resolves. Rejects with a RangeError for a bad setting, FileError,
 * DataDirectoryError or ForeignStoreError for a data directory that cannot be used, and the system's error for a port that is taken.
 */
export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const { clock: ownClock = systemClock(), after = afterTime, ...own } = options;
  const { random: ownRandom, log = SILENT, ...given } = own;
  const checked = settingsFrom(given);
  const accounts = fundedAccounts(checked.accounts, checked.seed);
  const initialBalances = [...(checked.initialBalances ?? []), ...balancesOf(accounts)];
  const settings = { ...checked, initialBalances };
  const randomFor = (purpose: string): (() => number) =>
    ownRandom ?? (settings.seed === undefined ? Math.random : seededRandom(settings.seed, purpose));
  const network = networkOf(settings);
  const clock = new OrderedClock(ownClock);
  const { dataDir } = settings;
  const store = new BlockStore(dataDir === undefined ? undefined : join(dataDir, BLOCKS_FOLDER));
  const closing = new AbortController();
  // All that is under way listens to it.
  setMaxListeners(0, closing.signal);
  const close = closer(closing);
  close.later(() => store.close());
  try {
    const chains = new Chains({ network, store, clock, log });
    setClock(clock, chains, settings);
    const context = contextOf({ settings, chains, clock, after, randomFor, log, closing: closing.signal });
    const { orders, stopped } = startLife(context, clock, randomFor('blocks'), accounts[0]);
    close.later(() => stopped);
    close.later(async () => {
      context.mining.close();
      await context.peers.close();
      await context.backups?.close();
    });
    const service = await serve(createApp(context), settings.listen, close);
    const peer = context.dialect.hasPeerPort ? await servePeers(context, close) : service;
    close.later(async () => {
      context.miningStreams.endAll();
      context.blockStreams.endAll();
    });
    const controlUrl = await startControl(context, orders, [service.app, peer.app], close);
    context.peers.start({ hostname: peerHostname(settings), port: peer.address.port });
    return {
      url: service.rootUrl + basePath(context),
      rootUrl: service.rootUrl,
      peerUrl: peer.rootUrl + basePath(context),
      address: service.address,
      controlUrl,
      orders,
      accounts,
      cut: () => summaryOf(chains),
      setPeerConnected: (connected, url) => context.peers.setConnected(connected, url),
      close: () => close.now(),
      [Symbol.asyncDispose]: () => close.now(),
    };
  } catch (error) {
    await close.now();
    throw error;
  }
}

/** Blocks on disk may be of a time that was ordered; with a seed blocks make the time. */
function setClock(clock: OrderedClock, chains: Chains, { seed }: DevNodeSettings): void {
  const { difficulty, genesisTime } = chains.network;
  const newest = newestTime(chains);
  if (seed === undefined && genesisTime > clock.nowMicros()) {
    throw new RangeError('genesisTime must not be later than the clock of the node');
  }
  if (seed !== undefined) {
    const step = difficulty.blockDelayMicros / BigInt(chainsOf(chains.network).length);
    clock.freeze(step > 0n ? step : 1n, newest);
  } else clock.reach(newest);
}

function peerHostname({ profile, peerHostname: given, peerListen, listen }: DevNodeSettings): string {
  return given ?? ownName((DIALECTS[profile].hasPeerPort ? peerListen?.host : undefined) ?? listen.host);
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

interface Served {
  readonly app: FastifyInstance;
  readonly address: AddressInfo;
  readonly rootUrl: string;
}

type Where = DevNodeSettings['listen'];

async function serve(app: FastifyInstance, where: Where, close: Closer): Promise<Served> {
  close.later(() => app.close());
  // Fastify writes into what it is given.
  await app.listen({ ...where });
  const address = app.server.address() as AddressInfo;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const scheme = app.initialConfig.https ? 'https' : 'http';
  return { app, address, rootUrl: `${scheme}://${host}:${address.port}` };
}

/** The second port of real nodes. */
function servePeers(context: NodeContext, close: Closer): Promise<Served> {
  const { listen, peerListen } = context.settings;
  const where = peerListen ?? { host: listen.host, port: listen.port === 0 ? 0 : REAL_PEER_PORT };
  return serve(createApp({ ...context, port: 'peer' }), where, close);
}

const REAL_PEER_PORT = 1789;

async function startControl(
  context: NodeContext,
  orders: Orders,
  apps: readonly FastifyInstance[],
  close: Closer,
): Promise<string | undefined> {
  const { control: where } = context.settings;
  if (where === undefined) return undefined;
  for (const { server } of new Set(apps)) {
    server.on('connection', (socket) => {
      if (context.faults.state.refuse && context.faults.state.onlyPath === '') socket.destroy();
    });
  }
  const cutConnections = (): void => {
    for (const { server } of apps) server.closeAllConnections();
  };
  return (await serve(createControl({ context, orders, cutConnections }), where, close)).rootUrl;
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
