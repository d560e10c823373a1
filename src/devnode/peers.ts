/**
 * Links to other nodes. Each tells the other when its cut changes and asks now and then anyway; what is missing is
 * fetched, checked block by block as if it were mined here, and then the fork choice decides.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Log } from '../core/log.js';
import type { Block, BlockHash } from './block.js';
import type { Chains } from './chains.js';
import type { Mempool } from './mempool.js';
import type { Payload } from './payload.js';
import { type Mark, PeerClient, PeerError } from './peer-client.js';

export interface PeerAddress {
  readonly hostname: string;
  readonly port: number;
}

export interface PeerSettings {
  readonly urls: readonly string[];
  readonly pollMs: number;
}

export interface PeerParts {
  readonly chains: Chains;
  readonly mempool: Mempool;
  /** The current cut as peers are told of it. */
  readonly cutJson: () => object;
  readonly log: Log;
  readonly closing: AbortSignal;
  /** Fingerprint of the node's certificate, Base64Url; null without TLS. */
  readonly certificateId: string | null;
}

/** Heights fetched in one round, so that a long gap needs little memory. */
const ROUND_HEIGHTS = 500;
/** A fork of more blocks than this on one chain is not followed. */
const MOST_OF_A_CHAIN = 20_000;
const BLOCKS_A_TURN = 50;

interface Link {
  readonly url: string;
  readonly address: PeerAddress;
  readonly client: PeerClient;
  connected: boolean;
  /** Work to do: their cut may be news to us, ours to them. */
  pull: boolean;
  push: boolean;
  pullPool: boolean;
  busy: boolean;
  /** Per chain the high-water mark of their pool, up to which we have looked. */
  readonly marks: Map<number, Mark>;
}

export class PeerLinks {
  readonly #chains: Chains;
  readonly #mempool: Mempool;
  readonly #cutJson: () => object;
  readonly #log: Log;
  readonly #links: Link[];
  readonly #closing: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  /** The certificates of real nodes' peer ports are self-signed. Whoever answers, each block is checked. */
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false } });
  readonly #running = new Set<Promise<void>>();
  /** Known once the node listens. */
  #own: PeerAddress = { hostname: '', port: 0 };
  readonly #certificateId: string | null;

  constructor(settings: PeerSettings, parts: PeerParts) {
    const { chains, closing } = parts;
    this.#chains = chains;
    this.#mempool = parts.mempool;
    this.#cutJson = parts.cutJson;
    this.#log = parts.log;
    this.#closing = closing;
    this.#certificateId = parts.certificateId;
    const origin = (): string => `${this.#own.hostname}:${this.#own.port}`;
    this.#links = settings.urls.map((url) => ({
      url,
      address: addressOf(url),
      client: new PeerClient(url.replace(/\/$/, ''), this.#agent, origin, closing),
      connected: true,
      pull: true,
      push: true,
      pullPool: true,
      busy: false,
      marks: new Map(),
    }));
    if (this.#links.length === 0) return;
    chains.events.on('cut', () => this.#each((link) => (link.push = true)));
    this.#timer = setInterval(() => this.#each(dueAgain), settings.pollMs);
  }

  /** Begins, with the address under which peers know this node. */
  start(own: PeerAddress): void {
    this.#own = own;
    this.#each(() => {});
  }

  get addresses(): readonly PeerAddress[] {
    return this.#links.map((link) => link.address);
  }

  /** A peer says that it has news; false for an address that is none of ours. */
  wake(hostname: string, port: number): boolean {
    const link = this.#links.find((one) => one.address.hostname === hostname && one.address.port === port);
    if (link) {
      link.pull = true;
      this.#run(link);
    }
    return link !== undefined;
  }

  /** Whether a node that calls itself `host:port` is a peer to which the link is cut. */
  isCut(origin: string): boolean {
    return this.#links.some(
      ({ address, connected }) => !connected && `${address.hostname}:${address.port}` === origin,
    );
  }

  /** Cuts or heals the link to a peer (all links without a url). Returns how many that were. */
  setConnected(connected: boolean, url?: string): number {
    const links = this.#links.filter(({ address }) => url === undefined || isAt(url, address));
    for (const link of links) {
      link.connected = connected;
      link.pull = true;
      link.push = true;
      this.#run(link);
    }
    return links.length;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    await this.#agent.close();
  }

  #each(change: (link: Link) => void): void {
    for (const link of this.#links) {
      change(link);
      this.#run(link);
    }
  }

  /** One exchange at a time with each peer; news that come meanwhile make another one. */
  #run(link: Link): void {
    if (link.busy || this.#closing.aborted || this.#own.port === 0) return;
    link.busy = true;
    const exchange = this.#exchange(link)
      .catch((error: unknown) =>
        this.#log.debug({ peer: link.url, err: error }, 'exchange with a peer failed'),
      )
      .finally(() => {
        link.busy = false;
        this.#running.delete(exchange);
      });
    this.#running.add(exchange);
  }

  async #exchange(link: Link): Promise<void> {
    while (link.connected && (link.push || link.pull) && !this.#closing.aborted) {
      if (link.pull) {
        link.pull = false;
        await this.#pull(link);
      }
      if (link.push) {
        link.push = false;
        await link.client.putCut({
          ...this.#cutJson(),
          origin: { id: this.#certificateId, address: this.#own },
        });
      }
    }
  }

  async #pull(link: Link): Promise<void> {
    const { heads } = await link.client.cut();
    const unknown = [...heads.values()].some(({ hash }) => !this.#chains.block(hash));
    if (unknown) await this.#fetch(link, heads);
    const hashes = [...heads].map(([chainId, { hash }]) => [chainId, hash] as const);
    if (link.connected) this.#chains.offerCut(new Map(hashes));
    if (!link.pullPool) return;
    link.pullPool = false;
    for (const chainId of heads.keys()) await this.#pullTransactions(link, chainId);
  }

  /** Takes over what came into the peer's pool since we looked last. */
  async #pullTransactions(link: Link, chainId: number): Promise<void> {
    const { keys, mark } = await link.client.pending(chainId, link.marks.get(chainId));
    link.marks.set(chainId, mark);
    const missing = keys.filter((key) => this.#mempool.lookup(chainId, key) === undefined);
    if (missing.length === 0 || !link.connected) return;
    const inserted = this.#mempool.insert(chainId, await link.client.transactions(chainId, missing));
    if (inserted.outcome === 'refused')
      throw new PeerError(`transactions of chain ${chainId}: ${inserted.reason}`);
  }

  /** Fetches the blocks behind a cut in rounds of rising height. */
  async #fetch(link: Link, heads: ReadonlyMap<number, { hash: BlockHash; height: number }>): Promise<void> {
    const top = Math.max(...[...heads.values()].map(({ height }) => height));
    let height = this.#chains.cut.leastHeight;
    do {
      height = Math.min(top, height + ROUND_HEIGHTS);
      const missing: Block[] = [];
      for (const [chainId, { hash }] of heads) {
        missing.push(...(await this.#missingOf(link, chainId, hash, height)));
      }
      await this.#take(link, missing);
    } while (height < top);
  }

  /** Unknown ancestors of a peer's head up to a height. */
  async #missingOf(link: Link, chainId: number, head: BlockHash, maxHeight: number): Promise<Block[]> {
    const missing: Block[] = [];
    let cursor: string | null = null;
    do {
      const page = await link.client.ancestors(chainId, head, maxHeight, cursor);
      for (const block of page.blocks) {
        if (this.#chains.block(block.hash)) return missing;
        if (block.chainId !== chainId)
          throw new PeerError(`a header of chain ${block.chainId} in a branch of ${chainId}`);
        missing.push(block);
      }
      if (missing.length > MOST_OF_A_CHAIN)
        throw new PeerError(`a fork of more than ${MOST_OF_A_CHAIN} blocks`);
      cursor = page.next;
    } while (cursor !== null && link.connected);
    return missing;
  }

  /** Adds blocks from the lowest up, with their payloads. */
  async #take(link: Link, blocks: readonly Block[]): Promise<void> {
    const ordered = [...blocks].sort((a, b) => a.height - b.height || a.chainId - b.chainId);
    for (let from = 0; from < ordered.length && link.connected; from += BLOCKS_A_TURN) {
      const some = ordered.slice(from, from + BLOCKS_A_TURN);
      const payloads = await this.#payloadsOf(link, some);
      for (const block of some) {
        const payload = payloads.get(block.payloadHash);
        if (payload === undefined) throw new PeerError(`no payload for block ${block.hash}`);
        const added = this.#chains.add(block.header, payload);
        if (added.outcome === 'refused') throw new PeerError(`block ${block.hash}: ${added.refusal.reason}`);
      }
      await nextTurn();
    }
  }

  async #payloadsOf(link: Link, blocks: readonly Block[]): Promise<Map<string, Payload>> {
    const chainIds = [...new Set(blocks.map((block) => block.chainId))];
    const maps = await Promise.all(
      chainIds.map((chainId) =>
        link.client.payloads(
          chainId,
          blocks.filter((block) => block.chainId === chainId),
        ),
      ),
    );
    return new Map(maps.flatMap((map) => [...map]));
  }
}

function dueAgain(link: Link): void {
  link.pull = true;
  link.pullPool = true;
}

/** Whether a URL names that host and port, whatever its path. */
function isAt(url: string, { hostname, port }: PeerAddress): boolean {
  const given = URL.canParse(url) ? addressOf(url) : undefined;
  return given?.hostname === hostname && given.port === port;
}

function addressOf(url: string): PeerAddress {
  const { hostname, port, protocol } = new URL(url);
  return { hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}
