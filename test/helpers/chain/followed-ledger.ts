/** A ledger that follows the chains of development nodes, and blocks that are mined there for the pool. */

import { blockHashOf } from '../../../src/core/bytes/block-hash.js';
import { toHex } from '../../../src/core/bytes/bytes.js';
import { SILENT } from '../../../src/core/names/log.js';
import { decodeHeader, powHashOf } from '../../../src/core/work/header.js';
import { revertSettled } from '../../../src/ledger/blocks/settle-passed.js';
import { type Following, startFollowing } from '../../../src/ledger/chains/following.js';
import { undoBlocks } from '../../../src/ledger/chains/orders.js';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { payerReading } from '../../../src/payouts/payer/facts.js';
import { sightOfChains } from '../../../src/upstream/chains-in-sight.js';
import { mineOne } from '../../devnode/helpers.js';
import { recordWord } from '../books/record-solution.js';
import { settleAll } from '../books/settlement.js';
import { until } from '../until.js';

const POOL = 'k:pool';
const INTERVAL_MS = 40;
export const DEPTH = 2;

/** Who finds a block gets all of it. */
export const SOLO: RewardRules = {
  ...REWARD_RULES,
  scheme: 'solo',
  fees: { basisPoints: 0, overrides: new Map() },
  poolAccounts: [POOL],
  chainDepth: DEPTH,
  chainNodes: 1,
};

type Node = { readonly url: string };

export interface FoundBlock {
  readonly header: Uint8Array;
  readonly height: number;
  readonly hash: string;
}

export interface ChainRow {
  readonly id: number;
  readonly height: number | null;
  readonly hash: string | null;
  readonly behind: number;
  readonly trouble: string;
}

export class FollowedLedger implements AsyncDisposable {
  readonly #ledger: Ledger;
  readonly #clients = new Map<string, NodeClient>();
  readonly #following: Following[] = [];
  rules: RewardRules = SOLO;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get pool() {
    return this.#ledger.pool;
  }

  /** As a bridge that starts with these nodes. */
  async follow(...nodes: readonly Node[]): Promise<void> {
    const clients = new Map<string, NodeClient>();
    for (const { url } of nodes) {
      const client = this.#clients.get(url) ?? (await NodeClient.connect({ nodes: new URL(url).origin }));
      this.#clients.set(url, client);
      clients.set(new URL(url).origin, client);
    }
    this.#following.push(
      startFollowing({
        payerReading,
        pool: this.pool,
        see: sightOfChains({ clients: () => clients, count: nodes.length, said: 'auto', timeoutMs: 400 }),
        rules: async () => this.rules,
        log: SILENT,
        intervalMs: INTERVAL_MS,
      }),
    );
  }

  /** As bridges that end. */
  async stop(): Promise<void> {
    await Promise.all(this.#following.splice(0).map((each) => each.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
    this.#clients.clear();
  }

  /** A block of the pool; `finder`: a log names it at once. */
  async find(node: Node, chainId: number, finder?: string): Promise<FoundBlock> {
    // As the coinbase of the pool's blocks names it.
    const miner = { account: this.rules.poolAccounts[0], predicate: 'keys-all', 'public-keys': ['aa'] };
    const header = await mineOne(node, chainId, miner);
    if (finder !== undefined) await this.name(header, finder);
    return { header, height: decodeHeader(header).height, hash: toHex(blockHashOf(header)) };
  }

  /** Its log comes into the books. */
  async name(header: Uint8Array, finder: string): Promise<void> {
    const record = {
      ...{ node: 'http://node', header, powHash: powHashOf(header), blockDifficulty: 4n },
      ...{ account: finder, rig: '', foundAtMs: Number(decodeHeader(header).creationTime / 1000n) },
    };
    await recordWord(this.#ledger, record, 'received', '');
  }

  async chains(): Promise<ChainRow[]> {
    const { rows } = await this.pool.query<ChainRow>(
      `SELECT id, b.height::float8 AS height, b.hash, behind, trouble FROM ${SCHEMA}.chain LEFT JOIN LATERAL (
         SELECT height, hash FROM ${SCHEMA}.chain_block WHERE chain_id = id ORDER BY height DESC LIMIT 1) b ON true ORDER BY id`,
    );
    return rows;
  }

  async chain(id: number): Promise<ChainRow | undefined> {
    return (await this.chains()).find((chain) => chain.id === id);
  }

  /** Until that chain was followed to there. */
  async reaches(id: number, height: number): Promise<void> {
    await until(`chain ${id} reaches height ${height}`, async () => {
      const chain = await this.chain(id);
      return chain?.height != null && chain.height >= height;
    });
  }

  /** Until it says why it stands still. */
  async standsStill(id: number, why: RegExp): Promise<string> {
    return until(`chain ${id} stands still: ${why}`, async () => {
      const { trouble } = (await this.chain(id)) ?? { trouble: '' };
      return why.test(trouble) ? trouble : undefined;
    });
  }

  /** Hash -> state, in the order in which they came into the books. */
  async states(): Promise<Record<string, string>> {
    const { rows } = await this.pool.query<{ hash: string; state: string }>(
      `SELECT encode(hash, 'hex') AS hash, state FROM ${SCHEMA}.block WHERE state IS NOT NULL ORDER BY id`,
    );
    return Object.fromEntries(rows.map(({ hash, state }) => [hash, state]));
  }

  async is(block: FoundBlock, state: string): Promise<void> {
    await until(`block ${block.hash} is ${state}`, async () => (await this.states())[block.hash] === state);
  }

  async idOf({ hash }: FoundBlock): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      `SELECT id::text FROM ${SCHEMA}.block WHERE hash = decode($1, 'hex') AND state IS NOT NULL`,
      [hash],
    );
    return rows[0]?.id ?? '';
  }

  /** A kill of the bridges' connections, whatever they are at. */
  async kill(): Promise<void> {
    await this.pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
  }

  async undo(chainId: number, to: string): Promise<number> {
    const order = { chainId, to, note: 'a test', by: 'the test' };
    return undoBlocks(this.pool, order, [{ revert: revertSettled }], async () => this.rules);
  }

  async settle(): Promise<void> {
    await settleAll(this.pool, this.rules);
  }
}
