/** The rules that need no socket: difficulty, graph changes, forgetting, fork choice by weight. */
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../src/chain/dialects.js';
import { SILENT } from '../../src/core/names/log.js';
import { encodeHeader } from '../../src/core/work/header.js';
import { integerOfTarget, targetFromInteger } from '../../src/core/work/target.js';
import { type NodeClock, OrderedClock } from '../../src/devnode/clock.js';
import { coinbaseOf } from '../../src/devnode/coin/coinbase.js';
import { Block, type BlockHash } from '../../src/devnode/consensus/block.js';
import { chainGraph, GRAPH_NAMES } from '../../src/devnode/consensus/chain-graph.js';
import { Chains } from '../../src/devnode/consensus/chains.js';
import { type DifficultyRules, nextEpoch } from '../../src/devnode/consensus/difficulty.js';
import { type Network, networkFrom } from '../../src/devnode/consensus/networks.js';
import { Mining, type NewWork } from '../../src/devnode/mining/mining.js';
import { makePayload } from '../../src/devnode/mining/payload.js';
import { readVectors } from '../helpers/runner/vectors.js';
import { MINER, solve, testNodes } from './helpers.js';

const { newStore, cleanUp } = testNodes();
afterEach(cleanUp);

const START = 1_700_000_000_000_000n;

class SetClock implements NodeClock {
  micros = START;
  nowMicros(): bigint {
    this.micros += 1000n;
    return this.micros;
  }
}

function newChains(network: Network, clock: NodeClock = new SetClock()): Chains {
  return new Chains({ network, store: newStore(), clock: new OrderedClock(clock), log: SILENT });
}

const hashesOf = ({ cut }: Chains): BlockHash[] => [...cut.heads.values()].map(({ hash }) => hash);

function newMining(chains: Chains, clock: NodeClock): Mining {
  return new Mining({
    chains,
    clock,
    random: () => 0,
    log: SILENT,
    transactions: { revisionOf: () => 0, transactionsFor: () => [], refused: () => {} },
    settings: {
      miners: [],
      miningLimit: 1200,
      payloadLifetime: 300_000,
      payloadRefresh: 1,
    },
    dialect: DIALECTS.specification,
  });
}

/** Adds one block on a chain, or says why it cannot be. */
function extend(chains: Chains, chainId: number, account = 'a'): string {
  const head = chains.head(chainId);
  if (head === undefined) return 'no such chain';
  const payload = makePayload({
    parent: Buffer.from(head.hash, 'base64url'),
    height: head.height + 1,
    miner: { account, predicate: 'keys-all', 'public-keys': ['aa'] },
    transactions: [],
    coinbase: coinbaseOf('fixed', { chainId, miner: account, parentTime: 0n }),
  });
  const header = chains.nextHeader(chainId, payload.payloadHash);
  if (header === undefined) return 'blocked';
  const added = chains.add(chains.network.proofOfWork ? solve(header) : header, payload);
  return added.outcome === 'refused' ? added.reason : added.outcome;
}

describe('graphs', () => {
  it.each(GRAPH_NAMES)('%s is undirected and ascending', (name) => {
    const graph = chainGraph(name);
    for (const id of graph.chains) {
      const adjacents = graph.adjacentsOf(id);
      expect([...adjacents]).toEqual([...adjacents].sort((a, b) => a - b));
      for (const other of adjacents) expect(graph.adjacentsOf(other)).toContain(id);
    }
  });

  it.each(GRAPH_NAMES)('%s is the one that real nodes use', { tags: ['vectors'] }, (name) => {
    const known = readVectors<Record<string, Record<string, number[]>>>('graphs')[name] ?? {};
    const graph = chainGraph(name);
    expect(Object.fromEntries(graph.chains.map((id) => [id, graph.adjacentsOf(id)]))).toEqual(known);
  });
});

describe('difficulty', () => {
  const rules: DifficultyRules = {
    blockDelayMicros: 30_000_000n,
    window: 120,
    earlyWindow: 12,
    earlyUntil: 120,
    firstEpochStartsLate: false,
    adjusts: true,
  };
  /** A block whose epoch of this many seconds ends with it. */
  function blockAt(height: number, seconds: number, target: bigint): Block {
    const hash = new Uint8Array(32);
    return Block.fromHeader(
      encodeHeader({
        flags: 0n,
        creationTime: START + BigInt(seconds) * 1_000_000n,
        parent: hash,
        adjacents: [],
        target: targetFromInteger(target),
        payloadHash: hash,
        chainId: 0,
        weight: 0n,
        height,
        versionCode: 5,
        epochStart: START,
        nonce: 0n,
      }),
    );
  }

  it('stays within an epoch, and changes after heights n with (n + 1) mod 120 = 0', () => {
    const inside = blockAt(1198, 1, 1000n);
    expect(nextEpoch(rules, inside, [], 0)).toEqual({ target: inside.target, epochStart: START });
    const last = blockAt(1199, 1, 1000n);
    expect(nextEpoch(rules, last, [], 0).epochStart).toBe(last.creationTime);
  });

  it('is the mean over parent and adjacent parents of target x time / wanted time, each rounded up', () => {
    // Wanted: 120 x 30 s = 3600 s.
    const parent = blockAt(1199, 1800, 1_000_001n);
    const adjacents = [
      blockAt(1199, 3600, 1_000_000n),
      blockAt(1199, 7200, 1_000_000n),
      blockAt(1199, 1, 3600n),
    ];
    const { target } = nextEpoch(rules, parent, adjacents, 0);
    expect(integerOfTarget(target)).toBe((500_001n + 1_000_000n + 2_000_000n + 1n) / 4n);
  });

  it('uses twelve blocks while the parent is at most at 120, and never passes the easiest target', () => {
    const easy = blockAt(11, 1_000_000, (1n << 256n) - 1n);
    expect(integerOfTarget(nextEpoch(rules, easy, [], 0).target)).toBe((1n << 256n) - 1n);
    const hard = blockAt(11, 36, 1000n);
    expect(integerOfTarget(nextEpoch(rules, hard, [], 0).target)).toBe(100n);
    const later = blockAt(131, 36, 1000n);
    expect(nextEpoch(rules, later, [], 0).target).toEqual(later.target);
  });

  it('begins the first epoch of a chain added later with its first own block', () => {
    const first = blockAt(61, 5, 1000n);
    expect(nextEpoch(rules, first, [], 60).epochStart).toBe(first.creationTime);
    expect(nextEpoch(rules, blockAt(1, 5, 1000n), [], 0).epochStart).toBe(START);
  });

  it('never reaches zero', () => {
    expect(integerOfTarget(nextEpoch(rules, blockAt(1199, 0, 1000n), [], 0).target)).toBe(1n);
  });
});

describe('a change of the graph', () => {
  it('stops every chain at the new height until all are there, then the new chains join', () => {
    const graphs = [
      [0, 'petersen'],
      [3, 'twenty'],
    ] as const;
    const chains = newChains(networkFrom('development', { graphs, proofOfWork: false }));
    for (let height = 1; height <= 3; height++) {
      for (let id = 0; id < 10; id++) {
        if (height === 3 && id === 9) continue;
        expect(extend(chains, id)).toBe('joined');
      }
    }
    // Chain 0's neighbours on both graphs have height 3, but chain 9 has not.
    expect(extend(chains, 0)).toBe('blocked');
    expect(chains.cut.heads.size).toBe(10);
    expect(extend(chains, 9)).toBe('joined');
    expect(chains.cut.heads.size).toBe(20);
    expect([...chains.cut.heads.values()].every((head) => head.height === 3)).toBe(true);
    for (let id = 0; id < 20; id++) expect(extend(chains, id)).toBe('joined');
    expect(chains.head(0)?.adjacents.map(({ chainId }) => chainId)).toEqual([5, 10, 15]);
    expect(chains.cut.isBraided()).toBe(true);
  });
});

describe('fork choice', () => {
  const network = networkFrom('development', {
    graph: 'triangle',
    genesisDifficulty: 2,
    blockDelayMs: 0.001,
  });
  /** Copies every block of one node to another, as a peer would bring them. */
  function copyBlocks(from: Chains, to: Chains): Map<number, BlockHash> {
    const all = [0, 1, 2].flatMap((id) => [...from.store.ascending(id, { height: 1 })]);
    for (const block of all.sort((a, b) => a.height - b.height)) {
      const payload = from.store.payload(block.chainId, block.payloadHash);
      if (payload) to.add(block.header, payload);
    }
    return new Map([...from.cut.heads].map(([id, head]) => [id, head.hash]));
  }

  it('prefers weight, reports what joined and left, and puts on top what fits', () => {
    const clock = new SetClock();
    const [ours, theirs] = [newChains(network, clock), newChains(network, clock)];
    extend(ours, 0, 'ours');
    extend(ours, 1, 'ours');
    for (const id of [0, 1, 2, 0]) extend(theirs, id, 'theirs');
    const lost = [...ours.cut.heads.values()].filter((head) => head.height === 1);
    const changes: { joined: number; left: string[] }[] = [];
    const heads = copyBlocks(theirs, ours);
    ours.events.on('cut', ({ joined, left }) =>
      changes.push({ joined: joined.length, left: left.map((b) => b.hash) }),
    );
    expect(ours.offerCut(heads)).toBe(true);
    expect(hashesOf(ours)).toEqual(hashesOf(theirs));
    // The block of chain 2 had joined when it came: it fits both sides.
    expect(changes).toEqual([{ joined: 3, left: expect.arrayContaining(lost.map((b) => b.hash)) }]);
    for (const block of lost) expect(ours.store.block(block.hash)).toBeDefined();
    expect(ours.store.onBranch(0, 1)).toBe(theirs.store.onBranch(0, 1));
    // The lighter cut does not bring it back.
    expect(ours.offerCut(new Map(lost.map((b) => [b.chainId, b.hash])))).toBe(false);
  });

  it('CH1: tells of new work of a chain of which only a neighbour’s head was replaced', () => {
    const clock = new SetClock();
    const [ours, theirs] = [newChains(network, clock), newChains(network, clock)];
    extend(theirs, 0, 'both');
    ours.offerCut(copyBlocks(theirs, ours));
    extend(ours, 1, 'ours');
    for (const id of [1, 2, 1]) extend(theirs, id, 'theirs');
    const heads = copyBlocks(theirs, ours);
    const told: NewWork[] = [];
    newMining(ours, clock).events.on('work', (work) => told.push(work));
    const head = ours.head(0)?.hash;
    expect(ours.offerCut(heads)).toBe(true);
    expect(ours.head(0)?.hash).toBe(head);
    expect(told.map(({ kind, stale }) => [kind, stale.has(0)])).toEqual([['newCut', true]]);
  });

  it('N5: keeps and tells what follows from a block, not what came with it', () => {
    const [ours, theirs] = [newChains(network), newChains(network)];
    extend(theirs, 0);
    const block = theirs.head(0) ?? expect.fail('no block');
    const honest = theirs.store.payload(0, block.payloadHash) ?? expect.fail('no payload');
    const hash = 'A'.repeat(43);
    const forged = { ...honest, coinbase: 'Zm9yZ2Vk', outputsHash: hash, transactionsHash: hash, more: 'x' };
    const told: unknown[] = [];
    ours.events.on('block', (_block, payload) => told.push(payload));
    expect(ours.add(block.header, forged)).toMatchObject({ outcome: 'joined' });
    expect(ours.store.payload(0, block.payloadHash)).toEqual(honest);
    expect(told).toEqual([honest]);
    expect(newChains(network).add(block.header, { ...forged, minerData: 'e30' })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('the payload'),
    });
  });

  it('refuses a cut whose heads are of different branches', () => {
    const clock = new SetClock();
    const [ours, theirs] = [newChains(network, clock), newChains(network, clock)];
    for (const id of [0, 1, 2, 0]) extend(ours, id, 'ours');
    for (const id of [0, 1, 2, 0]) extend(theirs, id, 'theirs');
    const heads = copyBlocks(theirs, ours);
    const mixed = new Map(heads).set(1, ours.head(1)?.hash as BlockHash);
    expect(ours.offerCut(mixed)).toBe(false);
    expect(ours.offerCut(new Map([[0, 'unknown' as BlockHash]]))).toBe(false);
  });
});

describe('a payload of handed out work', () => {
  it('is good until five minutes after it was last handed out', () => {
    const clock = new SetClock();
    const chains = newChains(networkFrom('development', { proofOfWork: false }), clock);
    const mining = newMining(chains, clock);
    const header = (): Uint8Array => {
      const answer = mining.work(MINER, 3);
      if (answer.outcome !== 'work') throw new Error(answer.outcome);
      return answer.bytes.subarray(36);
    };
    const first = header();
    clock.micros += 299_000_000n;
    header();
    clock.micros += 299_000_000n;
    expect(mining.solved(first).outcome).toBe('joined');
    const second = header();
    clock.micros += 331_000_000n;
    expect(mining.solved(second)).toEqual({ outcome: 'noPayload', reason: 'No associated Payload' });
    expect(mining.remembered).toBe(0);
  });
});
