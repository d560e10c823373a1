/**
 * A ledger on a real PostgreSQL that follows a chain of real nodes, step by step at random: forks of any depth, a node that hangs, hides, lags,
 * forges and loses payloads, one that is cut off, nodes that begin anew; bridges that stop and are killed at any moment, dumps that are restored,
 * logs that come late. At the end of each history the books are what the chain says, to the last unit.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { toHex } from '../../../src/core/bytes/bytes.js';
import { type DevNode, startDevNode } from '../../../src/devnode/dev-node.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../../src/ledger/copies/restore.js';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { ask, EASY, mineMany } from '../../devnode/helpers.js';
import type { Books } from '../books/books.js';
import { expectProved, moneyIn } from '../books/money.js';
import { Random } from '../fuzz/random.js';
import { freePorts } from '../processes/ports.js';
import { until } from '../until.js';
import { FollowedLedger, type FoundBlock, SOLO } from './followed-ledger.js';
import { type Liar, type Lies, openLiar } from './liar.js';

export const DEPTH = 3;
const MINUTE_MS = 60_000;

interface Ours extends FoundBlock {
  readonly finder: string;
  isNamed: boolean;
  /** It was found on nodes that have begun anew since. */
  isGone: boolean;
}

const LIES: readonly Partial<Lies>[] = [
  { isSilent: true },
  { isStalled: true },
  { isFrozen: true },
  { hidesPayloads: true },
  { garbles: (path, answer) => (path.includes('header') ? answer.replaceAll('A', 'B') : answer) },
];

/** Nodes that one history leaves to the next. */
export class LedgerWorld implements AsyncDisposable {
  readonly #books: Books;
  readonly #ledger: FollowedLedger;
  readonly #ports: readonly number[];
  #nodes: DevNode[] = [];
  #liar: Liar | undefined;
  #random = new Random(0);
  #histories = 0;
  #ours: Ours[] = [];
  #dumps: string[][] = [];
  readonly counts = { confirmed: 0, orphaned: 0, undone: 0, kills: 0, restored: 0, anew: 0 };

  constructor(books: Books, ports: readonly number[]) {
    this.#books = books;
    this.#ports = ports;
    this.#ledger = new FollowedLedger(books.ledger);
  }

  static async open(books: Books): Promise<LedgerWorld> {
    const world = new LedgerWorld(books, await freePorts(2));
    await world.#start();
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ledger[Symbol.asyncDispose]();
    await this.#end();
  }

  /** Two nodes that tell each other of blocks, and one in front of the first that lies on command. */
  async #start(): Promise<void> {
    const [first = 0, second = 0] = this.#ports;
    const url = (port: number) => `http://127.0.0.1:${port}`;
    for (const [port, peer] of [
      [first, second],
      [second, first],
    ] as const) {
      const node = await startDevNode({
        ...{ ...EASY, graph: 'singleton', control: { host: '127.0.0.1', port: 0 } },
        ...{ listen: { host: '127.0.0.1', port }, peers: [url(peer)], peerPollMs: 20 },
      });
      // Slots of blocks are over.
      node.orders.skew(-MINUTE_MS);
      this.#nodes.push(node);
    }
    this.#liar = await openLiar(this.#node);
    await mineMany(this.#node, 2 * DEPTH);
  }

  async #end(): Promise<void> {
    await this.#liar?.[Symbol.asyncDispose]();
    await Promise.all(this.#nodes.splice(0).map((node) => node.close()));
  }

  get #node(): DevNode {
    return this.#nodes[0] ?? expect.fail('no node');
  }

  async run(seed: number, steps: number): Promise<void> {
    this.#random = new Random(seed);
    this.#ours = [];
    this.#dumps = [];
    await this.#books.empty();
    const nodes = 1 + this.#random.below(2);
    // Blocks of another history pay others.
    this.#ledger.rules = {
      ...SOLO,
      chainDepth: DEPTH,
      chainNodes: nodes,
      poolAccounts: [`k:pool${++this.#histories}`],
    };
    await this.#follow();
    for (let i = 0; i < steps; i++) await this.#step();
    await this.#settle();
  }

  async #follow(): Promise<void> {
    const liar = this.#liar ?? expect.fail('no liar');
    await this.#ledger.follow(...this.#nodes, { url: liar.url });
  }

  async #step(): Promise<void> {
    const random = (below: number) => this.#random.below(below);
    const step = random(100);
    if (step < 22) await mineMany(this.#node, 1 + random(3));
    else if (step < 40) await this.#find(random(3) > 0);
    else if (step < 50) await this.#fork(random(2) === 0 ? 2 * DEPTH : 1 + random(DEPTH));
    else if (step < 58) await this.#name(this.#ours.find(({ isNamed }) => !isNamed));
    else if (step < 66) this.#liar?.lie(LIES[random(LIES.length)] ?? {});
    else if (step < 69) this.#liar?.beHonest();
    else if (step < 72) this.#nodes[1]?.setPeerConnected(random(2) === 0);
    else if (step < 76) await this.#again();
    else if (step < 80) await this.#kill();
    else if (step < 82) await this.#follow();
    else if (step < 87) await this.#undo();
    else if (step < 91) await this.#dump();
    else if (step < 94) await this.#restore();
    else if (step < 95) await this.#beginAnew();
    else await pause(random(120));
  }

  async #find(isNamed: boolean): Promise<void> {
    const finder = `k:finder${this.#ours.length}`;
    const block = await this.#ledger.find(this.#node, 0);
    const ours = { ...block, finder, isNamed: false, isGone: false };
    this.#ours.push(ours);
    if (isNamed) await this.#name(ours);
  }

  async #name(ours: Ours | undefined): Promise<void> {
    if (!ours) return;
    await this.#ledger.name(ours.header, ours.finder);
    ours.isNamed = true;
  }

  async #fork(blocks: number): Promise<void> {
    // Below the depth it is one only for who has come so far.
    if (blocks > DEPTH) await pause(200);
    const height = Math.max(0, (this.#node.cut().heights[0] ?? 0) - blocks);
    const { status } = await ask(`${this.#node.controlUrl}/rewind`, { method: 'POST', json: { height } });
    expect(status).toBe(200);
    for (let i = 0; i <= blocks; i++)
      if (this.#random.below(4) === 0) await this.#find(true);
      else await mineMany(this.#node, 1);
  }

  async #again(): Promise<void> {
    await this.#ledger.stop();
    await this.#follow();
  }

  async #kill(): Promise<void> {
    await this.#ledger.kill();
    this.counts.kills++;
  }

  /** As a person does who is told of it. */
  async #undo(): Promise<void> {
    await pause(120);
    const trouble = (await this.#ledger.chain(0))?.trouble ?? '';
    const to = /undo 0 --to ([\w-]{43}|beginning)/.exec(trouble)?.[1];
    if (to === undefined) return;
    this.counts.undone += await this.#ledger.undo(0, to).catch((error: Error) => {
      // A look that began before the last order told of what that had mended.
      if (error.message.endsWith('there is nothing to undo')) return 0;
      throw error;
    });
  }

  async #dump(): Promise<void> {
    const lines: string[] = [];
    for await (const line of dumpBooks(this.#books.pool)) lines.push(line);
    this.#dumps.push(lines);
  }

  /** Logs that know what they shipped bring again what the books lack. */
  async #restore(): Promise<void> {
    const dump = this.#dumps[this.#random.below(Math.max(1, this.#dumps.length))];
    if (!dump) return;
    await this.#ledger.stop();
    await this.#books.empty();
    await restoreBooks(
      this.#books.pool,
      (async function* () {
        yield* dump;
      })(),
      'none',
    );
    for (const ours of this.#ours.filter(({ isNamed }) => isNamed)) await this.#name(ours);
    await this.#follow();
    this.counts.restored++;
  }

  async #beginAnew(): Promise<void> {
    await this.#ledger.stop();
    await this.#end();
    await this.#start();
    for (const ours of this.#ours) ours.isGone = true;
    await this.#follow();
    this.counts.anew++;
  }

  /** All is well again, all logs have come, and the chain goes on. */
  async #settle(): Promise<void> {
    this.#liar?.beHonest();
    this.#nodes[1]?.setPeerConnected(true);
    for (const ours of this.#ours.filter(({ isNamed }) => !isNamed)) await this.#name(ours);
    await mineMany(this.#node, 2 * DEPTH + 1);
    await this.#again();
    await until('the cursor is where it has to be', () => this.#isSettled()).catch(async (error: Error) => {
      const chain = JSON.stringify(await this.#ledger.chain(0));
      throw new Error(`${error.message}; ${chain}, head ${this.#node.cut().heights[0]}`, { cause: error });
    });
    await this.#ledger.stop();
    await this.#ledger.settle();
    await this.#compare();
  }

  async #isSettled(): Promise<boolean> {
    await this.#undo();
    const chain = await this.#ledger.chain(0);
    const head = this.#node.cut().heights[0] ?? 0;
    const isThere = chain?.height === head - DEPTH && chain.trouble === '' && chain.behind === 0;
    const states = await this.#ledger.states();
    // What is named late of a chain that is no more waits for its height.
    const isWaited = ({ hash, height, isGone }: Ours): boolean =>
      states[hash] === 'pending' && !(isGone && height > head - DEPTH);
    return isThere && !this.#ours.some(isWaited);
  }

  async #compare(): Promise<void> {
    const { pool } = this.#books;
    const chain = await this.#hashesOfNode();
    const states = await this.#ledger.states();
    const balances = await moneyIn(pool, 'due');
    const { rows } = await pool.query<{ hash: string; pays: string }>(
      `SELECT encode(hash, 'hex') AS hash, (reward + fees) * 1e12 AS pays FROM ${SCHEMA}.block WHERE state = 'confirmed'`,
    );
    const pays = new Map(rows.map((row) => [row.hash, BigInt(Math.round(Number(row.pays)))]));
    for (const { hash, height, finder, isGone } of this.#ours) {
      const state = states[hash];
      const isOn = chain.get(height) === hash;
      if (isGone) expect(['confirmed', 'orphaned', 'pending'], hash).toContain(state);
      else expect([hash, height, state]).toEqual([hash, height, isOn ? 'confirmed' : 'orphaned']);
      expect([finder, balances[finder] ?? 0n]).toEqual([finder, state === 'confirmed' ? pays.get(hash) : 0n]);
      this.counts[state === 'confirmed' ? 'confirmed' : 'orphaned']++;
    }
    const kept = await pool.query<{ height: number; hash: string }>(
      `SELECT height::float8 AS height, encode(decode(translate(hash, '-_', '+/') || '=', 'base64'), 'hex') AS hash FROM ${SCHEMA}.chain_block ORDER BY height`,
    );
    for (const [i, { height, hash }] of kept.rows.entries()) {
      expect(height).toBe((kept.rows[0]?.height ?? 0) + i);
      expect(hash).toBe(chain.get(height));
    }
    await expectProved(pool);
  }

  async #hashesOfNode(): Promise<Map<number, string>> {
    const url = `${this.#node.url}/chain/0/header/branch?limit=360`;
    const hashes = new Map<number, string>();
    for (let upper = this.#node.cut().hashes[0]; upper !== undefined; ) {
      const { items } = (
        await ask(url, { method: 'POST', json: { lower: [], upper: [upper] }, headers: { accept: OBJECTS } })
      ).json<{ items: { hash: string; height: number; parent: string }[] }>();
      for (const { hash, height } of items) hashes.set(height, toHex(Buffer.from(hash, 'base64url')));
      const last = items.at(-1);
      upper = last && last.height > 0 ? last.parent : undefined;
    }
    return hashes;
  }
}

const OBJECTS = 'application/json;blockheader-encoding=object';
