/**
 * A node that takes a solution while its answer is lost, and a bridge that dies between the two: the real bridge, a tap
 * before a real node, the real books. The block is on the chain, and in the books once.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromBase64Url, toHex } from '../../src/core/bytes.js';
import { SILENT } from '../../src/core/log.js';
import { type DevNode, startDevNode } from '../../src/devnode/server.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { listAccounts, listBlocks } from '../../src/ledger/reports.js';
import { verifyBooks } from '../../src/ledger/verify.js';
import { temporaryFolder } from '../helpers/folder.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/postgres.js';
import { type Program, startProgram } from '../helpers/program.js';
import { openTap, type Tap } from '../helpers/tap.js';
import { until } from '../helpers/until.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const CHAIN = 3;
const isSolved = (path: string): boolean => path.endsWith('/mining/solved');

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

describe.concurrent('a solution whose answer is lost', () => {
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
      await until('it is journalled', async () => (await story.journalled()).length === 1);
      bridge.kill('SIGKILL');
      expect(await bridge.ended).toBe('SIGKILL');
      await abandoned;
    }
    expect(await story.journalled()).toEqual(['found']);
    story.tap.heal();
    await using bridge = await story.serve();
    await story.isCredited(bridge, 'perhaps');
  });

  it('the bridge is killed after the solution was journalled, before the node has it', async () => {
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
      await until('it is journalled', async () => (await story.journalled()).length === 1);
      bridge.kill('SIGKILL');
      expect(await bridge.ended).toBe('SIGKILL');
      await abandoned;
    }
    expect(story.node.cut().height).toBe(before);
    expect(await story.journalled()).toEqual(['found']);
    story.tap.heal();
    await using bridge = await story.serve();
    await story.isCredited(bridge, 'received');
  });
});

/** A node without proof of work, so that a test says when a block is made, behind a tap; a ledger and a data directory. */
async function startStory() {
  const folder = await temporaryFolder();
  const node = await startDevNode({ listen: { host: '127.0.0.1', port: 0 }, proofOfWork: false });
  const tap = await openTap(node.address.port);
  const ledger = await openLedger({ connectionString: await createDatabase(postgres), log: SILENT });
  return new Story(folder, node, tap, ledger);
}

class Story {
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>;
  readonly node: DevNode;
  readonly tap: Tap;
  readonly #ledger: Ledger;

  constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>, node: DevNode, tap: Tap, ledger: Ledger) {
    this.#folder = folder;
    this.node = node;
    this.tap = tap;
    this.#ledger = ledger;
  }

  async serve(): Promise<Program> {
    const bridge = startProgram([
      'serve',
      ...['--node', this.tap.url, '--account', ACCOUNT, '--data-dir', this.#folder.path],
      ...['--tcp', 'off', '--ws', 'off', '--web', '127.0.0.1:0', '--cpu', 'on-demand'],
      ...[
        '--database-url',
        this.#ledger.pool.options.connectionString ?? '',
        '--reward-scheme',
        'solo',
        '--fee',
        '0',
      ],
    ]);
    await bridge.ready();
    return bridge;
  }

  posts(): number {
    return this.tap.requests.filter(isSolved).length;
  }

  /** States of the solutions on disk. */
  async journalled(): Promise<string[]> {
    const folder = join(this.#folder.path, 'solutions');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return texts.map((text) => (JSON.parse(text) as { state: string }).state);
  }

  /** The one block is the head of its chain, and its reward is in the books once, as they prove. */
  async isCredited(bridge: Program, solution: string): Promise<void> {
    const { pool } = this.#ledger;
    const onChain = async (): Promise<boolean> => (await listBlocks(pool, 9))[0]?.block?.state === 'onChain';
    await until('it is on the chain', onChain);
    const head = fromBase64Url(this.node.cut().hashes[CHAIN] ?? '') ?? new Uint8Array();
    const [found, ...others] = await listBlocks(pool, 9);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ hash: toHex(head), chainId: CHAIN, solution, block: { depth: 1 } });
    const reward = found?.block?.reward;
    expect(await listAccounts(pool, 9)).toMatchObject([{ account: ACCOUNT, held: reward }]);
    expect((await verifyBooks(pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
    await until('its last word is in the ledger', async () => (await this.journalled()).length === 0);
    await this.stops(bridge);
  }

  async stops(bridge: Program): Promise<void> {
    bridge.kill('SIGTERM');
    expect(await bridge.ended).toBe(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.tap.heal();
    await this.tap[Symbol.asyncDispose]();
    await this.node.close();
    await this.#ledger.close();
    await this.#folder[Symbol.asyncDispose]();
  }
}

async function makeBlock(bridge: Program): Promise<Response> {
  const { web } = await bridge.ready();
  return fetch(`${web}/make-blocks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [CHAIN]: 1 }),
  });
}
