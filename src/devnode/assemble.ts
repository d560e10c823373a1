/** Puts the node's parts together from its settings. */
import { createHash, X509Certificate } from 'node:crypto';
import type { Log } from '../core/log.js';
import { Backups } from './backups.js';
import type { Chains } from './chains.js';
import type { NodeClock } from './clock.js';
import { Faults } from './faults.js';
import { basePath } from './http/app.js';
import { type NodeContext, PORT_RULES } from './http/context.js';
import { cutJson } from './http/cut-routes.js';
import { StreamSet } from './http/streams.js';
import { KnownPeers } from './known-peers.js';
import { Mempool } from './mempool.js';
import { Mining } from './mining.js';
import { type Network, networkFrom } from './networks.js';
import { PeerLinks } from './peers.js';
import type { DevNodeSettings } from './settings.js';

export interface Parts {
  readonly settings: DevNodeSettings;
  readonly chains: Chains;
  readonly clock: NodeClock;
  readonly random: () => number;
  readonly log: Log;
  readonly closing: AbortSignal;
}

/** What the routes of the service port work on. */
export function contextOf(parts: Parts): NodeContext {
  const { settings, chains, clock, random, log, closing } = parts;
  const mempool = new Mempool(chains, poolNonce(settings, random), (chainId) =>
    mining.transactionsArrived(chainId),
  );
  const mining: Mining = miningOf(parts, mempool);
  const streams = { lifetimeMs: settings.updateStreamLifetimeMs };
  const links = linksOf(parts, mempool);
  return {
    settings,
    port: PORT_RULES[settings.profile === 'chainweb' ? 'service' : 'both'],
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
    names: {
      network: chains.network.name,
      versionKey: settings.profile === 'chainweb' ? 'chainwebVersion' : 'ledgerVersion',
    },
    miningStreams: new StreamSet(streams, random),
    blockStreams: new StreamSet(streams, random),
    closing,
  };
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
function poolNonce({ profile }: DevNodeSettings, random: () => number): bigint {
  const nonce = BigInt(Math.floor(random() * Number.MAX_SAFE_INTEGER));
  return profile === 'chainweb' ? BigInt.asIntN(64, (nonce << 11n) + 1n) : nonce;
}

function certificateIdOf({ peerTls }: DevNodeSettings): string | null {
  if (peerTls === undefined) return null;
  return createHash('sha256').update(new X509Certificate(peerTls.certificate).raw).digest('base64url');
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
      blocksAfterRefusal: settings.profile === 'chainweb',
      dropStaleAtLimit: settings.profile !== 'chainweb',
      payloadRefreshMs: settings.payloadRefreshMs,
    },
  });
}

export function networkOf(settings: DevNodeSettings): Network {
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
