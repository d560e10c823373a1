/** The processes of the benchmark of following: a node of a public network with chains of any length, and a bridge that follows them. */
import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import pg from 'pg';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { networkFrom } from '../../src/devnode/consensus/networks.js';
import { startDevNode } from '../../src/devnode/dev-node.js';
import { BLOCKS_FOLDER } from '../../src/devnode/storage/backups.js';
import { BlockStore } from '../../src/devnode/storage/block-store.js';
import { startFollowing } from '../../src/ledger/chains/following.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { NodeClient } from '../../src/node-client/client.js';
import { payerReading } from '../../src/payouts/payer/facts.js';
import { sightOfChains } from '../../src/upstream/chains-in-sight.js';
import { fillChains } from '../devnode/long-chain.js';
import type { Calls } from './peer.js';
import { threadClock } from './processors.js';
import { startBench } from './stratum/stratum-server.js';

export const CHAINS = 20;
const BLOCK_MS = 30_000;
const log: Log = {
  ...SILENT,
  warn: (fields, words) => process.stderr.write(`${words}: ${JSON.stringify(fields)}\n`),
};

export interface ChainsOptions {
  readonly dataDir: string;
  /** Of each chain. */
  readonly height: number;
}

/** Its head is of now; any hash is proof of work enough. */
export async function chainsNode({ dataDir, height }: ChainsOptions): Promise<Calls> {
  const genesisTime = new Date(Date.now() - (height + 1) * BLOCK_MS);
  const settings = { graph: 'twenty', genesisDifficulty: 1, proofOfWork: false, genesisTime } as const;
  const store = new BlockStore(join(dataDir, BLOCKS_FOLDER));
  fillChains(store, networkFrom('testnet06', { ...settings }), height);
  await store.close();
  const listen = { host: '127.0.0.1', port: 0 };
  const node = await startDevNode({ listen, network: 'testnet06', dataDir, ...settings });
  let next = 0;
  const mineNext = async (): Promise<void> => {
    await node.orders.mine({ chains: [next++ % CHAINS], withNeighbours: true });
  };
  return {
    url: () => node.url,
    /** From now on blocks come as they should. */
    goOn: () => void setInterval(mineNext, BLOCK_MS / CHAINS),
  };
}

export interface FollowingOptions {
  readonly databaseUrl: string;
  readonly nodeUrl: string;
  /** Rigs are served by the same process. */
  readonly withRigs: boolean;
}

/** Of the process, since it was asked last. */
export interface Usage {
  readonly seconds: number;
  readonly questions: number;
  readonly statements: number;
  readonly processorMs: number;
  /** The latest that a timer was. */
  readonly delayMs: number;
  /** The longest time of the processor that the loop took for one turn; 0 where that is not watched, which itself takes some, and off Linux. */
  readonly heldMs: number;
  /** The most that it ever had. */
  readonly megabytes: number;
}

export async function followingBridge(options: FollowingOptions): Promise<Calls> {
  const { databaseUrl, nodeUrl, withRigs } = options;
  const { calls } = withRigs ? await startBench({}) : { calls: {} };
  const { pool } = await openLedger({ connectionString: databaseUrl, log: SILENT });
  const client = await NodeClient.connect({ nodes: nodeUrl });
  const usage = watchUsage();
  return {
    ...calls,
    follow: () =>
      void startFollowing({
        payerReading,
        ...{ pool, rules: async () => REWARD_RULES, log },
        see: sightOfChains({ clients: () => new Map([[nodeUrl, client]]), count: 1, said: 'auto' }),
      }),
    ...usage,
  };
}

function watchUsage() {
  let [questions, statements, heldMs] = [0, 0, 0];
  subscribe('undici:request:create', () => void questions++);
  const { query } = pg.Client.prototype;
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...given: unknown[]): unknown {
      statements++;
      return Reflect.apply(query, this, given);
    },
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let [from, processor] = [performance.now(), process.cpuUsage()];
  return {
    watchTurns: () => {
      delay.enable();
      const threadMs = threadClock();
      let last = threadMs();
      setInterval(() => {
        const now = threadMs();
        heldMs = Math.max(heldMs, now - last);
        last = now;
      }, 1);
    },
    usage: (): Usage => {
      const used = {
        ...{ questions, statements, heldMs },
        seconds: (performance.now() - from) / 1000,
        processorMs: processorMs(processor),
        delayMs: delay.max / 1e6,
        megabytes: process.resourceUsage().maxRSS / 1024,
      };
      [from, processor, questions, statements, heldMs] = [performance.now(), process.cpuUsage(), 0, 0, 0];
      delay.reset();
      return used;
    },
  };
}

function processorMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}
