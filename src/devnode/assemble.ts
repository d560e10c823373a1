/** Puts the node's parts together from its settings. */
import { createHash, X509Certificate } from 'node:crypto';
import { DIALECTS, type Dialect } from '../chain/dialects.js';
import type { Log } from '../core/names/log.js';
import type { After, NodeClock, OrderedClock } from './clock.js';
import type { FundedAccount } from './coin/funded-accounts.js';
import type { Chains } from './consensus/chains.js';
import { type Network, networkFrom } from './consensus/networks.js';
import { basePath } from './http/app.js';
import { BlockNews } from './http/block-news.js';
import type { NodeContext } from './http/context.js';
import { Listeners } from './http/listeners.js';
import { cutJson } from './http/routes/cut-routes.js';
import { StreamSet } from './http/streams.js';
import { Mempool } from './mining/mempool.js';
import { Mining } from './mining/mining.js';
import type { Miner } from './mining/payload.js';
import { mineEvery, mineOnTransaction, ON_TRANSACTION } from './orders/automatic.js';
import { BlockMaker } from './orders/block-maker.js';
import { Faults } from './orders/faults.js';
import { Orders } from './orders/orders.js';
import { Snapshots } from './orders/snapshots.js';
import { KnownPeers } from './peers/known-peers.js';
import { PeerLinks } from './peers/peers.js';
import type { DevNodeSettings } from './settings.js';
import { Backups } from './storage/backups.js';

interface Parts {
  readonly settings: DevNodeSettings;
  readonly chains: Chains;
  readonly clock: NodeClock;
  readonly after: After;
  /** Uniform in [0, 1), for a purpose each. */
  readonly randomFor: (purpose: string) => () => number;
  readonly log: Log;
  readonly closing: AbortSignal;
}

/** What the routes of the service port work on. */
export function contextOf(parts: Parts): NodeContext {
  const { settings, chains, clock, randomFor, log, closing } = parts;
  const dialect = DIALECTS[settings.profile];
  const names = { network: chains.network.name, versionKey: dialect.versionKey };
  const mempool = new Mempool({
    chains,
    clock,
    nonce: poolNonce(dialect, randomFor('mempool')),
    onInsert: (chainId) => mining.transactionsArrived(chainId),
  });
  const mining: Mining = miningOf(parts, mempool);
  const streams = { lifetimeMs: settings.updateStreamLifetimeMs };
  const links = linksOf(parts, mempool);
  return {
    settings,
    dialect,
    port: dialect.hasPeerPort ? 'service' : 'both',
    chains,
    mining,
    mempool,
    peers: links,
    knownPeers: new KnownPeers(links.addresses),
    backups:
      settings.backupDir === undefined ? undefined : new Backups(settings.backupDir, chains, clock, log),
    faults: new Faults(closing),
    clock,
    log,
    names,
    miningStreams: new StreamSet(streams, randomFor('streams')),
    blockStreams: new StreamSet(streams, randomFor('streams')),
    listeners: new Listeners(chains, parts.after),
    blockNews: new BlockNews(names, dialect.blockEvent),
    closing,
  };
}

/** What may be ordered of the node, and its mining without orders; `stopped` resolves once that has ended. */
export function startLife(
  { settings, chains, mining, mempool, log, closing }: NodeContext,
  clock: OrderedClock,
  random: () => number,
  first: FundedAccount | undefined,
): { readonly orders: Orders; readonly stopped: Promise<unknown> } {
  const maker = new BlockMaker({ chains, mining, miner: ownMiner(settings, first), random, closing });
  const orders = new Orders(chains, clock, maker, new Snapshots(chains, mempool, clock));
  const { mineEveryMs, mineOnTransaction: rule } = settings;
  const parts = { maker, mining, log, closing };
  const stopped = Promise.all([
    ...(mineEveryMs === undefined ? [] : [mineEvery(mineEveryMs, parts)]),
    ...(rule === false ? [] : [mineOnTransaction(rule === true ? ON_TRANSACTION : rule, parts)]),
    // Its last order has been given up, or is at its end.
    new Promise((resolve) => closing.addEventListener('abort', resolve, { once: true })).then(() =>
      maker.idle(),
    ),
  ]);
  return { orders, stopped };
}

/** Of a key that nobody has: its coins are spent by nobody. */
const NO_KEY = '0'.repeat(64);

function ownMiner({ miners }: DevNodeSettings, first: FundedAccount | undefined): Miner {
  const key = first?.publicKey ?? NO_KEY;
  return miners[0] ?? { account: `k:${key}`, predicate: 'keys-all', 'public-keys': [key] };
}

function linksOf({ settings, chains, log, closing }: Parts, mempool: Mempool): PeerLinks {
  const urls = settings.peers.map((url) => baseAddress(url, settings));
  return new PeerLinks(
    { urls, pollMs: settings.peerPollMs },
    {
      chains,
      mempool,
      cutJson: () => cutJson(chains, chains.cut),
      log,
      closing,
      certificateId: certificateIdOf(settings),
    },
  );
}

/** From 0 on as specified; on real nodes any 64-bit integer, which a double need not hold. */
function poolNonce({ signedPoolNonces }: Dialect, random: () => number): bigint {
  const nonce = BigInt(Math.floor(random() * Number.MAX_SAFE_INTEGER));
  return signedPoolNonces ? BigInt.asIntN(64, (nonce << 11n) + 1n) : nonce;
}

function certificateIdOf({ peerTls }: DevNodeSettings): string | null {
  if (peerTls === undefined) return null;
  return createHash('sha256').update(new X509Certificate(peerTls.certificate).raw).digest('base64url');
}

/** A peer's base address where only scheme, host and port are given. */
function baseAddress(url: string, settings: DevNodeSettings): string {
  return new URL(url).pathname === '/' ? new URL(basePath({ settings }), url).href : url;
}

function miningOf({ settings, chains, clock, randomFor, log }: Parts, transactions: Mempool): Mining {
  return new Mining({
    chains,
    clock,
    random: randomFor('works'),
    log,
    transactions,
    settings: {
      miners: settings.miners,
      payloadLimit: settings.miningLimit,
      payloadLifetimeMs: settings.payloadLifetimeMs,
      blocksAfterRefusal: !DIALECTS[settings.profile].judgesBeforeAnswer,
      dropStaleAtLimit: DIALECTS[settings.profile].dropsStaleWork,
      payloadRefreshMs: settings.payloadRefreshMs,
    },
  });
}

/** By default `development` has ten chains, and not as many as its name stands for. */
export function networkOf(settings: DevNodeSettings): Network {
  const { network, graphs } = settings;
  const { graph = network === 'development' && !graphs ? 'petersen' : 'network' } = settings;
  return networkFrom(network, { ...settings, graph: graph === 'network' ? undefined : graph });
}
