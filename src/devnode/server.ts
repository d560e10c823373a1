/** The development node: a real node of the multi-chain ledger on one machine. */
import type { AddressInfo } from 'node:net';
import { type Log, SILENT } from '../core/log.js';
import { Chains } from './chains.js';
import { type NodeClock, systemClock } from './clock.js';
import { basePath, createApp } from './http/app.js';
import type { NodeContext } from './http/context.js';
import { StreamSet } from './http/streams.js';
import { MemoryStore } from './memory-store.js';
import { Mining, type TransactionSource } from './mining.js';
import { type Network, networkFrom } from './networks.js';
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
  /** The cut as it is now. */
  cut(): CutSummary;
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

/** Starts a node; it serves when the promise resolves. Rejects with a RangeError for a bad setting. */
export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const { clock = systemClock(), random = Math.random, log = SILENT, ...given } = options;
  const settings = settingsFrom(given);
  const network = networkOf(settings);
  const chains = new Chains({ network, store: new MemoryStore(), clock, log });
  const closing = new AbortController();
  const streams = { lifetimeMs: settings.updateStreamLifetimeMs, limit: settings.updateStreamLimit };
  const context: NodeContext = {
    settings,
    chains,
    mining: miningOf(settings, { chains, clock, random, log }),
    clock,
    log,
    names: { network: network.name, versionKey: 'ledgerVersion' },
    miningStreams: new StreamSet(streams, random),
    blockStreams: new StreamSet(streams, random),
    closing: closing.signal,
  };
  const app = createApp(context);
  await app.listen(settings.listen);
  const address = app.server.address() as AddressInfo;
  const rootUrl = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  return {
    url: rootUrl + basePath(context),
    rootUrl,
    address,
    cut: () => summaryOf(chains),
    async close() {
      closing.abort();
      context.miningStreams.endAll();
      context.blockStreams.endAll();
      await app.close();
      await chains.store.close();
    },
  };
}

function networkOf(settings: DevNodeSettings): Network {
  const { graph, blockDelayMs, difficultyWindow, genesisDifficulty } = settings;
  return networkFrom({
    name: settings.network,
    proofOfWork: settings.proofOfWork,
    ...(graph === 'network' ? {} : { graph }),
    ...(blockDelayMs === undefined ? {} : { blockDelayMs }),
    ...(difficultyWindow === undefined ? {} : { difficultyWindow }),
    ...(genesisDifficulty === undefined ? {} : { genesisDifficulty }),
  });
}

function miningOf(
  settings: DevNodeSettings,
  parts: { chains: Chains; clock: NodeClock; random: () => number; log: Log },
): Mining {
  const none: TransactionSource = { revisionOf: () => 0, transactionsFor: () => [] };
  return new Mining({
    ...parts,
    transactions: none,
    settings: {
      miners: settings.miners,
      payloadLimit: settings.miningLimit,
      payloadLifetimeMs: settings.payloadLifetimeMs,
      dropStaleAtLimit: true,
    },
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
