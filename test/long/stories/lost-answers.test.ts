/**
 * A node that takes a solution while its answer is lost, and a bridge that dies between the two, or before the books have it:
 * the real bridge, a tap before a real node, the real books. The block is confirmed, and in the books and the timeline once.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromBase64Url, toHex } from '../../../src/core/bytes/bytes.js';
import { SILENT } from '../../../src/core/names/log.js';
import { type DevNode, startDevNode } from '../../../src/devnode/dev-node.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { readRecords } from '../../../src/queue/log/records.js';
import { keyOf, readWord } from '../../../src/queue/log/solutions.js';
import { blocksIn, listIn } from '../../helpers/books/lists.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { type Gate, openGate } from '../../helpers/processes/gate.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { openTap, type Tap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';
import { ADMIN, bearer, READ_TOKEN } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const CHAIN = 3;
const ANY = { host: '127.0.0.1', port: 0 };
const isSolved = (path: string): boolean => path.endsWith('/mining/solved');

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

// One after the other: five bridges at once on a busy machine do not stop in the time that a bridge has for it.
describe('a solution whose answer is lost', () => {
  it('the first answer is lost, and the node has forgotten the work by the next post', async () => {
    await using story = await startStory();
    await using bridge = await story.serve();
    let lost = 0;
    story.tap.set({
      onAnswer: (text, path) => (isSolved(path) && lost++ === 0 ? undefined : text),
    });
    expect((await makeBlock(bridge)).status).toBe(200);
    await story.isCredited(bridge, 'perhaps');
    expect(story.posts()).toBeGreaterThanOrEqual(2);
  });

  it('every answer is lost until the bridge is stopped: the next one finds the block', async () => {
    await using story = await startStory();
    {
      await using bridge = await story.serve();
      story.tap.set({ onAnswer: (text, path) => (isSolved(path) ? undefined : text) });
      const abandoned = makeBlock(bridge).catch(() => undefined);
      await until('it is posted again and again', () => story.posts() > 2);
      await story.stops(bridge);
      await abandoned;
    }
    story.tap.heal();
    await using bridge = await story.serve();
    await story.isCredited(bridge, 'lost');
  });

  it('the bridge is killed after the node took the solution, before it has the answer', async () => {
    await using story = await startStory();
    const before = story.node.cut().height;
    {
      await using bridge = await story.serve();
      story.tap.set({ onAnswer: (text, path) => (isSolved(path) ? '' : text) });
      const abandoned = makeBlock(bridge).catch(() => undefined);
      await until('the node has the block', () => story.node.cut().height > before);
      await until('it is in the log', async () => (await story.logged()).length === 1);
      // So the next run finds one of the two lines told.
      await until('its find is told', async () => (await story.told()).length === 1);
      bridge.kill('SIGKILL');
      expect(await bridge.ended).toBe('SIGKILL');
      await abandoned;
    }
    expect(await story.logged()).toEqual(['found']);
    story.tap.heal();
    await using bridge = await story.serve();
    await story.isCredited(bridge, 'perhaps');
  });

  it('the bridge is killed after it had the answer, before the books have it', async () => {
    await using story = await startStory();
    {
      await using bridge = await story.serve();
      await story.gate.shut();
      const abandoned = makeBlock(bridge).catch(() => undefined);
      await until('its last word is in the log', async () => (await story.logged())[0] === 'received');
      bridge.kill('SIGKILL');
      expect(await bridge.ended).toBe('SIGKILL');
      await abandoned;
    }
    expect([await story.told(), await blocksIn(story.pool, 9)]).toEqual([[], []]);
    await story.gate.open();
    await using bridge = await story.serve();
    await story.isCredited(bridge, 'received');
  });

  it('the bridge is killed after the solution was in the log, before the node has it', async () => {
    await using story = await startStory();
    const before = story.node.cut().height;
    {
      await using bridge = await story.serve();
      let swallows = false;
      const swallow = (text: string): string => {
        swallows ||= /^POST \S+\/mining\/solved /m.test(text);
        return swallows ? '' : text;
      };
      story.tap.set({ onRequest: swallow });
      const abandoned = makeBlock(bridge).catch(() => undefined);
      await until('it is in the log', async () => (await story.logged()).length === 1);
      bridge.kill('SIGKILL');
      expect(await bridge.ended).toBe('SIGKILL');
      await abandoned;
    }
    expect(story.node.cut().height).toBe(before);
    expect(await story.logged()).toEqual(['found']);
    story.tap.heal();
    await using bridge = await story.serve();
    await story.isCredited(bridge, 'received');
  });
});

/** A node without proof of work, so that a test says when a block is made, behind a tap; a ledger and a data directory. */
async function startStory() {
  const folder = await temporaryFolder();
  const node = await startDevNode({ control: ANY, proofOfWork: false });
  const tap = await openTap(node.address.port);
  const ledger = await openLedger({ connectionString: await createDatabase(postgres), log: SILENT });
  const gate = await openGate(Number(new URL(postgres.connectionString).port));
  return new Story(folder, node, tap, ledger, gate);
}

class Story {
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly node: DevNode;
  readonly tap: Tap;
  readonly #ledger: Ledger;
  /** Between the bridge and the ledger. */
  readonly gate: Gate;

  constructor(
    folder: Awaited<ReturnType<typeof temporaryFolder>>,
    node: DevNode,
    tap: Tap,
    ledger: Ledger,
    gate: Gate,
  ) {
    this.#folder = folder;
    this.node = node;
    this.tap = tap;
    this.#ledger = ledger;
    this.gate = gate;
  }

  /** Not by the gate. */
  get pool(): Ledger['pool'] {
    return this.#ledger.pool;
  }

  async serve(): Promise<Program> {
    const database = new URL(this.pool.options.connectionString ?? '');
    database.port = String(this.gate.port);
    const admin = {
      STRATUM_BRIDGE_WEB_TOKENS: JSON.stringify({ ...READ_TOKEN, ann: { access: 'admin', secret: ADMIN } }),
    };
    const bridge = startProgram(
      [
        'serve',
        ...['--node-urls', this.tap.url, '--miner-account', ACCOUNT, '--data-dir', this.#folder.path],
        ...[
          '--stratum-tcp',
          'off',
          '--stratum-ws',
          'off',
          '--web-listen',
          '127.0.0.1:0',
          '--cpu-mode',
          'on-demand',
        ],
        ...['--ledger-database-url', database.toString(), '--rewards-scheme', 'solo', '--rewards-fee', '0'],
      ],
      admin,
    );
    await bridge.ready();
    return bridge;
  }

  posts(): number {
    return this.tap.requests.filter(isSolved).length;
  }

  /** Lines of the timeline about the one block and its solution, in their order. */
  async told(): Promise<string[]> {
    const { rows } = await this.pool.query<{ kind: string }>(
      "SELECT kind FROM event WHERE kind IN ('blockFound', 'blockAccepted', 'blockRejected') ORDER BY id",
    );
    return rows.map(({ kind }) => kind);
  }

  /** What the log on disk says last of each solution. */
  async logged(): Promise<string[]> {
    const folder = join(this.#folder.path, '0', 'shares');
    const last = new Map<string, string>();
    for (const name of await readdir(folder))
      readRecords(await readFile(join(folder, name)), {
        solution: (text) => {
          const word = readWord(text);
          if (word) last.set(keyOf(word.solution), word.state);
        },
      });
    return [...last.values()];
  }

  /** The one block is the head of its chain; confirmed with six on top, its reward is in the books once, as they prove. */
  async isCredited(bridge: Program, solution: string): Promise<void> {
    const { pool } = this;
    // The one may be in the books before the other.
    const isTold = async (): Promise<boolean> => {
      const [first] = await blocksIn(pool, 9);
      return first?.state === 'pending' && first.solution === solution;
    };
    await until(`it is in the books, and its solution ${solution}`, isTold);
    const head = fromBase64Url(this.node.cut().hashes[CHAIN] ?? '') ?? new Uint8Array();
    const [found, ...others] = await blocksIn(pool, 9);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ hash: toHex(head), chainId: CHAIN, solution, reward: null });
    await this.#mine(6);
    const { reward } = await until('it is confirmed', async () => {
      const [block] = await blocksIn(pool, 9);
      return block?.state === 'confirmed' && block;
    });
    expect(Number(reward)).toBeGreaterThan(0);
    // It is weighed when the slot that it was found in is over.
    await expect
      .poll(() => listIn(pool, 'accounts'), { timeout: 60_000 })
      .toMatchObject([{ account: ACCOUNT, due: reward, expected: '0.000000000000' }]);
    expect(await blocksIn(pool, 9)).toMatchObject([{ hash: toHex(head), rewardSource: 'coinbase' }]);
    expect((await verifyBooks(pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
    const answer = solution === 'lost' ? 'blockRejected' : 'blockAccepted';
    await until('what became of it is told', async () => (await this.told()).includes(answer));
    await this.stops(bridge);
    // Nor is anything told twice until the end.
    expect(await this.told()).toEqual(['blockFound', answer]);
  }

  /** Blocks on the chain, of nobody. */
  async #mine(count: number): Promise<void> {
    const body = JSON.stringify({ chains: [CHAIN], count, withNeighbours: true });
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${this.node.controlUrl}/mine`, { method: 'POST', headers, body });
    expect(status).toBe(200);
  }

  async stops(bridge: Program): Promise<void> {
    bridge.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.tap.heal();
    await this.tap[Symbol.asyncDispose]();
    await this.node.close();
    await this.gate.shut();
    await this.#ledger.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

async function makeBlock(bridge: Program): Promise<Response> {
  const { web } = await bridge.ready();
  return fetch(`${web}/make-blocks`, {
    method: 'POST',
    headers: { ...bearer(ADMIN), 'content-type': 'application/json' },
    body: JSON.stringify({ [CHAIN]: 1 }),
  });
}
