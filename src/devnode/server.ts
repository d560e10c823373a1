/** The development node: a real node of the multi-chain ledger on one machine. */
import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ListenAddress } from '../core/names/listening.js';
import { type Log, SILENT } from '../core/names/log.js';
import { contextOf, networkOf, startLife } from './assemble.js';
import { seededRandom } from './chance.js';
import { type After, afterTime, type NodeClock, OrderedClock, systemClock } from './clock.js';
import { type FundedAccount, fundedAccounts } from './coin/funded-accounts.js';
import { Chains } from './consensus/chains.js';
import { chainsOf } from './consensus/networks.js';
import { basePath, createApp } from './http/app.js';
import type { NodeContext } from './http/context.js';
import { createControl } from './orders/control.js';
import { newestTime, type Orders } from './orders/orders.js';
import { ownName } from './peers/peer-address.js';
import type { NodeSettings } from './settings.js';
import { BLOCKS_FOLDER } from './storage/backups.js';
import { BlockStore } from './storage/block-store.js';

/** What a test may want to hold in its hand. */
interface Handles {
  readonly clock?: NodeClock;
  /** How time passes for clients that wait. */
  readonly after?: After;
  readonly log?: Log;
}

export type DevNodeOptions = Partial<NodeSettings> & Handles;

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
 * Starts a node; it serves when the promise resolves. Rejects with a RangeError for what makes no network, FileError,
 * DataDirectoryError or ForeignStoreError for a data directory that cannot be used, and the system's error for a port that is taken.
 */
export async function startDevNode(settings: NodeSettings & Handles): Promise<DevNode> {
  const { seed, dataDir, after = afterTime, log = SILENT } = settings;
  const accounts = fundedAccounts(settings);
  const randomFor = (purpose: string): (() => number) =>
    seed === '' ? Math.random : seededRandom(seed, purpose);
  const network = networkOf(settings, accounts);
  const clock = new OrderedClock(settings.clock ?? systemClock());
  const store = new BlockStore(dataDir === '' ? undefined : join(dataDir, BLOCKS_FOLDER));
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
    context.peers.start({ hostname: peerHostname(context), port: peer.address.port });
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
function setClock(clock: OrderedClock, chains: Chains, { seed }: NodeSettings): void {
  const { difficulty, genesisTime } = chains.network;
  const newest = newestTime(chains);
  if (seed === '' && genesisTime > clock.nowMicros()) {
    throw new RangeError('genesisTime must not be later than the clock of the node');
  }
  if (seed !== '') {
    const step = difficulty.blockDelayMicros / BigInt(chainsOf(chains.network).length);
    clock.freeze(step > 0n ? step : 1n, newest);
  } else clock.reach(newest);
}

function peerHostname({ dialect, settings }: NodeContext): string {
  const { peerHostname: given, peerListen, listen } = settings;
  const { host } = dialect.hasPeerPort && peerListen !== 'auto' ? peerListen : listen;
  return given || ownName(host);
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

async function serve(app: FastifyInstance, where: ListenAddress, close: Closer): Promise<Served> {
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
  const byDefault = { host: listen.host, port: listen.port === 0 ? 0 : REAL_PEER_PORT };
  const where = peerListen === 'auto' ? byDefault : peerListen;
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
  if (where === 'off') return undefined;
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
