/** Puts the node's parts together from its settings. */
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { DIALECTS, type Dialect } from '../chain/dialects.js';
import type { Log } from '../core/names/log.js';
import { type CertificatePair, makeSelfSigned } from '../tls/self-signed.js';
import type { After, NodeClock, OrderedClock } from './clock.js';
import { balancesOf, type FundedAccount } from './coin/funded-accounts.js';
import type { Chains } from './consensus/chains.js';
import { jsonIn } from './consensus/network-definition.js';
import { type Network, networkFrom } from './consensus/networks.js';
import { basePath } from './http/app.js';
import { blockNews } from './http/block-news.js';
import type { NodeContext } from './http/context.js';
import { Listeners } from './http/listeners.js';
import { cutJson } from './http/routes/cut-routes.js';
import { StreamSet } from './http/streams.js';
import { Mempool } from './mining/mempool.js';
import { Mining } from './mining/mining.js';
import { minerOf } from './mining/payload.js';
import { mineEvery, mineOnTransaction, ON_TRANSACTION } from './orders/automatic.js';
import { BlockMaker } from './orders/block-maker.js';
import { Faults } from './orders/faults.js';
import { Orders } from './orders/orders.js';
import { Snapshots } from './orders/snapshots.js';
import { KnownPeers } from './peers/known-peers.js';
import { PeerLinks } from './peers/peers.js';
import type { NodeSettings } from './settings.js';
import { Backups } from './storage/backups.js';

interface Parts {
  readonly settings: NodeSettings;
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
  const { chains, clock, randomFor, log, closing } = parts;
  const dialect = DIALECTS[parts.settings.profile];
  const settings = { ...parts.settings, ...ofDialect(parts.settings, dialect) };
  const names = { network: chains.network.name, versionKey: dialect.versionKey };
  const faults = new Faults(closing);
  const mempool = new Mempool({
    chains,
    clock,
    nonce: poolNonce(dialect, randomFor('mempool')),
    onInsert: (chainId) => mining.transactionsArrived(chainId),
    faults,
  });
  const mining: Mining = new Mining({
    ...{ chains, clock, random: randomFor('works'), log, transactions: mempool, settings, dialect },
  });
  const newStreams = (): StreamSet => new StreamSet(settings.streamLifetime, randomFor('streams'));
  const certificate = dialect.hasPeerPort ? newCertificate(settings) : undefined;
  const links = linksOf(parts, mempool, certificate);
  return {
    settings,
    dialect,
    port: dialect.hasPeerPort ? 'service' : 'both',
    chains,
    mining,
    mempool,
    peers: links,
    knownPeers: new KnownPeers(links.addresses),
    certificate,
    backups: settings.backupDir === '' ? undefined : new Backups(settings.backupDir, chains, clock, log),
    faults,
    clock,
    log,
    names,
    miningStreams: newStreams(),
    blockStreams: newStreams(),
    listeners: new Listeners(chains, parts.after),
    blockNews: blockNews(names, dialect.blockEvent),
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
  const key = settings.miners[0] ?? first?.publicKey ?? NO_KEY;
  const maker = new BlockMaker({ chains, mining, miner: minerOf(key), random, closing });
  const orders = new Orders(chains, clock, maker, new Snapshots(chains, mempool, clock));
  const { mineEvery: periodMs, mineOnTransaction: rule } = settings;
  const parts = { maker, mining, log, closing };
  const stopped = Promise.all([
    ...(periodMs === 0 ? [] : [mineEvery(periodMs, parts)]),
    ...(rule === false ? [] : [mineOnTransaction(rule === true ? ON_TRANSACTION : rule, parts)]),
    // Its last order has been given up, or is at its end.
    new Promise((resolve) => closing.addEventListener('abort', resolve, { once: true })).then(() =>
      maker.idle(),
    ),
  ]);
  return { orders, stopped };
}

const PEER_POLL_MS = 1000;

/** Of a key that nobody has: its coins are spent by nobody. */
const NO_KEY = '0'.repeat(64);

function linksOf(
  { settings, chains, log, closing }: Parts,
  mempool: Mempool,
  certificate: CertificatePair | undefined,
): PeerLinks {
  // A peer's base address where only scheme, host and port are given.
  const urls = settings.peers.map((url) =>
    new URL(url).pathname === '/' ? new URL(basePath({ chains }), url).href : url,
  );
  return new PeerLinks({
    urls,
    pollMs: settings.peerPollMs ?? PEER_POLL_MS,
    chains,
    mempool,
    cutJson: () => cutJson(chains, chains.cut),
    log,
    closing,
    certificateId: certificate ? fingerprintOf(certificate) : null,
  });
}

/** From 0 on as specified; on real nodes any 64-bit integer, which a double need not hold. */
function poolNonce({ signedPoolNonces }: Dialect, random: () => number): bigint {
  const nonce = BigInt(Math.floor(random() * Number.MAX_SAFE_INTEGER));
  return signedPoolNonces ? BigInt.asIntN(64, (nonce << 11n) + 1n) : nonce;
}

/** For the peer port; nobody keeps it, so that each start makes another. */
function newCertificate({ listen }: NodeSettings): CertificatePair {
  const hosts = [...new Set([listen.host, 'localhost', '127.0.0.1'])];
  return makeSelfSigned({ hosts, nowMs: Date.now(), days: CERTIFICATE_DAYS, serial: randomBytes(16) });
}

const CERTIFICATE_DAYS = 365;

function fingerprintOf({ certificate }: CertificatePair): string {
  return createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url');
}

/** Settings that follow from the profile where they are not given. */
function ofDialect({ headerStream, payloadRefresh }: NodeSettings, dialect: Dialect) {
  return {
    headerStream: headerStream === 'auto' ? dialect.headerStream : headerStream,
    payloadRefresh: payloadRefresh || dialect.payloadRefreshMs,
  };
}

/** By default `development` has ten chains, and not as many as its name stands for. */
export function networkOf(settings: NodeSettings, accounts: readonly FundedAccount[]): Network {
  const { network, graph, graphs, genesisTime, forkEpoch, initialBalances = [] } = settings;
  const byDefault = network === 'development' && !graphs ? 'petersen' : undefined;
  const files = [network, graph].filter(isFile);
  try {
    return networkFrom(orInFile(network), {
      ...settings,
      graph: graph === 'network' ? undefined : graph === 'auto' ? byDefault : orInFile(graph),
      blockDelayMs: settings.blockDelay || undefined,
      genesisDifficulty: settings.genesisDifficulty || undefined,
      genesisTime: genesisTime === 'network' ? undefined : genesisTime,
      forkEpoch: forkEpoch === 'network' ? undefined : forkEpoch,
      initialBalances: [...initialBalances, ...balancesOf(accounts)],
    });
  } catch (cause) {
    if (!(cause instanceof RangeError) || files.length === 0) throw cause;
    throw new RangeError(`${files.join(' or ')}: ${cause.message}`, { cause });
  }
}

/** Names have no dot and no slash. */
function isFile(given: unknown): given is string {
  return typeof given === 'string' && /[./\\]/.test(given);
}

/** What is no network and no graph is refused where the network is made. */
function orInFile<T>(given: string | T): T {
  return (isFile(given) ? jsonIn(given) : given) as T;
}
