/** A miner of a few lines and a way to ask a node, over real sockets. */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type Dispatcher, request } from 'undici';
import { viewOf } from '../../src/core/bytes/bytes.js';
import { meetsTarget, targetFromBytes } from '../../src/core/work/target.js';
import { type DevNode, type DevNodeOptions, startDevNode } from '../../src/devnode/dev-node.js';
import { BlockStore } from '../../src/devnode/storage/block-store.js';
import { PATIENCE_MS } from '../helpers/until.js';

export const MINER = { account: 'k:miner', predicate: 'keys-all', 'public-keys': ['aa'] };

/** Blocks that take a few hashes and stay that easy. */
export const EASY = { genesisDifficulty: 4, blockDelay: 0.001 };

export function startEasyNode(options: DevNodeOptions = {}): Promise<DevNode> {
  return startDevNode({ ...EASY, ...options });
}

/** What a test file starts and makes; `cleanUp` belongs into its `afterEach`. */
export function testNodes(): {
  easyNode: (options?: DevNodeOptions) => Promise<DevNode>;
  /** Notes a node that was started otherwise. */
  keep: (...nodes: DevNode[]) => void;
  newFolder: () => string;
  /** Of blocks, in a temporary folder. */
  newStore: () => BlockStore;
  cleanUp: () => Promise<void>;
} {
  const nodes: DevNode[] = [];
  const folders: string[] = [];
  const stores: BlockStore[] = [];
  return {
    async easyNode(options = {}) {
      const node = await startEasyNode(options);
      nodes.push(node);
      return node;
    },
    keep: (...more) => void nodes.push(...more),
    newFolder() {
      const folder = mkdtempSync(join(tmpdir(), 'devnode-'));
      folders.push(folder);
      return folder;
    },
    newStore() {
      const store = new BlockStore();
      stores.push(store);
      return store;
    },
    async cleanUp() {
      await Promise.all([...nodes.splice(0), ...stores.splice(0)].map((each) => each.close()));
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
  json<T = unknown>(): T;
}

export interface Ask {
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Buffer | Uint8Array;
  /** Sent as JSON. */
  json?: unknown;
}

/** The certificates of peer ports are self-signed. */
const ANY_CERTIFICATE = new Agent({ connect: { rejectUnauthorized: false } });

export async function ask(url: string, options: Ask = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, json } = options;
  const body = json === undefined ? options.body : JSON.stringify(json);
  const answer = await request(url, {
    method,
    ...(url.startsWith('https:') ? { dispatcher: ANY_CERTIFICATE } : {}),
    headers: json === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body) }),
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const text = bytes.toString('utf8');
  return { status: answer.statusCode, headers: answer.headers, bytes, text, json: () => JSON.parse(text) };
}

/** Asks for work; `chain` is a hint. */
export function askWork(node: Pick<DevNode, 'url'>, chain?: number, miner: object = MINER): Promise<Answer> {
  const query = chain === undefined ? '' : `?chain=${chain}`;
  return ask(`${node.url}/mining/work${query}`, { json: miner });
}

export function postSolved(node: Pick<DevNode, 'url'>, header: Uint8Array): Promise<Answer> {
  return ask(`${node.url}/mining/solved`, { method: 'POST', body: header });
}

/** A copy of the header with the first nonce from `from` on that meets its target (or misses it, if so wanted). */
export function solve(header: Uint8Array, { misses = false, from = 0n } = {}): Uint8Array {
  const solved = Uint8Array.from(header);
  const target = targetFromBytes(solved.subarray(solved.length - 128, solved.length - 96));
  for (let nonce = from; ; nonce++) {
    viewOf(solved).setBigUint64(solved.length - 8, nonce, true);
    const powHash = Uint8Array.from(hash('blake2s256', solved, 'buffer'));
    if (meetsTarget(powHash, target) !== misses) return solved;
  }
}

/** Mines one block; returns its header as posted. */
export async function mineOne(
  node: Pick<DevNode, 'url'>,
  chain?: number,
  miner?: object,
): Promise<Uint8Array> {
  const work = await askWork(node, chain, miner);
  if (work.status !== 200) throw new Error(`no work: ${work.status} ${work.text}`);
  const solved = solve(work.bytes.subarray(36));
  const answer = await postSolved(node, solved);
  if (answer.status >= 300) throw new Error(`not taken: ${answer.status} ${answer.text}`);
  return solved;
}

export async function mineMany(node: Pick<DevNode, 'url'>, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await mineOne(node);
}

/** Reads a stream in the background. */
export interface OpenStream {
  headers: Record<string, string | string[] | undefined>;
  status: number;
  /** All text so far. */
  text(): string;
  /** Resolves once the text holds what is wanted; rejects after ten seconds. */
  until(wanted: (text: string) => boolean): Promise<string>;
  ended: Promise<void>;
  close(): void;
}

export async function openStream(url: string, body?: Uint8Array): Promise<OpenStream> {
  const abort = new AbortController();
  const answer = await request(url, {
    method: 'GET',
    signal: abort.signal,
    ...(body ? { body: Buffer.from(body) } : {}),
  });
  let text = '';
  let changed = (): void => {};
  const ended = (async () => {
    try {
      for await (const chunk of answer.body) {
        text += (chunk as Buffer).toString('utf8');
        changed();
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
  })();
  return {
    headers: answer.headers,
    status: answer.statusCode,
    text: () => text,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not seen in ${JSON.stringify(text)}`)), PATIENCE_MS);
        changed = () => {
          if (!wanted(text)) return;
          clearTimeout(timer);
          resolve(text);
        };
        changed();
      }),
    ended,
    close: () => abort.abort(),
  };
}

export function chainBytes(chainId: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, chainId, true);
  return bytes;
}
