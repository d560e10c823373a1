/**
 * Links to other nodes. Each tells the other when its cut changes and asks now and then anyway; what is missing is
 * fetched, checked block by block as if it were mined here, and then the fork choice decides.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NodeError } from '../../chain/errors.js';
import type { CutObject } from '../../chain/models.js';
import type { Log } from '../../core/names/log.js';
import type { BlockHash } from '../consensus/block.js';
import type { Chains } from '../consensus/chains.js';
import { hashesOf } from '../consensus/cut.js';
import type { Mempool } from '../mining/mempool.js';
import { addressesOf, addressOf, bareHost, type PeerAddress, parseAddress } from './peer-address.js';
import { type Mark, PeerClient, PeerError } from './peer-client.js';
import { fetchBehind } from './peer-fetch.js';
import { blocksAbove, type Offered, take } from './peer-offer.js';
import { difference, type PeerRules, rulesOf, rulesText } from './peer-rules.js';

interface PeerParts {
  readonly urls: readonly string[];
  readonly pollMs: number;
  readonly chains: Chains;
  readonly mempool: Mempool;
  /** The current cut as peers are told of it. */
  readonly cutJson: () => CutObject;
  readonly log: Log;
  readonly closing: AbortSignal;
  /** Fingerprint of the node's certificate, Base64Url; null without TLS. */
  readonly certificateId: string | null;
}

/** Keys looked up at a time: so many transactions of the greatest length fit into one answer. */
const KEYS_AT_A_TIME = 50;
/** After a failure that will come again, a peer is left alone for two polls, then four and so on. */
const MOST_POLLS_LEFT_OUT = 64;
/** Chains whose pools are asked for with each poll, after all were once: news of transactions may take some polls. */
const POOLS_A_POLL = 4;
/** Of a peer with other settings. */
const DIFFERENT = 409;
/** Polls for which a pool is left alone that could not be taken over. */
const POOL_POLLS_LEFT_OUT = 10;

interface Link {
  readonly url: string;
  readonly address: PeerAddress;
  readonly client: PeerClient;
  connected: boolean;
  /** Work to do: their cut may be news to us, ours to them. */
  pull: boolean;
  push: boolean;
  /** Chains whose pools are due. */
  pools: Set<number>;
  /** Where the next poll goes on with pools. */
  nextPool: number;
  /** Heads that the peer has, or was told to fetch. */
  theirs: ReadonlyMap<number, BlockHash> | undefined;
  busy: boolean;
  /** Per chain the high-water mark of their pool, up to which we have it. */
  readonly marks: Map<number, Mark>;
  /** Of the peer's host; it may call itself otherwise than we do. */
  addresses: ReadonlySet<string>;
  /** Failures in a row that are the peer's doing, and polls to leave out for them. */
  failures: number;
  leftOut: number;
  poolLeftOut: number;
  /** It was said that the peer does not know us. */
  isStranger: boolean;
}

export class PeerLinks {
  readonly #parts: PeerParts;
  readonly #links: Link[];
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #running = new Set<Promise<void>>();
  /** Known once the node listens. */
  #own: PeerAddress = { hostname: '', port: 0 };
  readonly #rules: PeerRules;

  constructor(parts: PeerParts) {
    const { chains, closing, urls, pollMs } = parts;
    this.#parts = parts;
    this.#rules = rulesOf(chains);
    const asked = {
      origin: () => `${this.#own.hostname}:${this.#own.port}`,
      ...{ rules: rulesText(this.#rules), signal: closing },
    };
    this.#links = urls.map((url) => ({
      url,
      address: addressOf(url),
      client: new PeerClient(url, asked),
      connected: true,
      pull: true,
      push: true,
      pools: new Set(chains.cut.chainIds),
      nextPool: 0,
      theirs: undefined,
      busy: false,
      marks: new Map(),
      addresses: new Set([addressOf(url).hostname]),
      failures: 0,
      leftOut: 0,
      poolLeftOut: 0,
      isStranger: false,
    }));
    if (this.#links.length === 0) return;
    chains.events.on('cut', () => this.#each((link) => (link.push = true)));
    const { chainIds } = chains.cut;
    this.#timer = setInterval(() => this.#each((link) => dueAgain(link, chainIds)), pollMs);
  }

  /** Begins, with the address under which peers know this node. */
  start(own: PeerAddress): void {
    this.#own = own;
    this.#each(() => {});
  }

  get addresses(): readonly PeerAddress[] {
    return this.#links.map((link) => link.address);
  }

  /**
   * A peer tells of its cut, and may bring the newest blocks along: what is missing besides is asked for.
   * @param from where its connection comes from: it need not call itself as we do.
   * @returns the address that this node has for it; `undefined` for one that is none of ours.
   */
  wake(origin: PeerAddress, from: string, offered: Offered): PeerAddress | undefined {
    const link = this.#linkOf(origin, from);
    if (!link) return undefined;
    link.theirs = hashesOf(offered.heads);
    if (!take(this.#parts.chains, offered)) link.pull = true;
    this.#run(link);
    return link.address;
  }

  /** In what a node differs that tells its settings so; `undefined` where nothing keeps both from exchanging blocks. */
  difference(rules: string): string | undefined {
    return difference(this.#rules, rules);
  }

  /** Whether a node that calls itself `host:port` is a peer to which the link is cut. */
  isCut(origin: string, from: string): boolean {
    const address = parseAddress(origin);
    return address !== undefined && this.#linkOf(address, from)?.connected === false;
  }

  #linkOf({ hostname, port }: PeerAddress, from: string): Link | undefined {
    const [name, host] = [bareHost(hostname), bareHost(from)];
    const there = this.#links.filter(({ address }) => address.port === port);
    return (
      there.find(({ address }) => address.hostname === name) ??
      there.find(({ addresses }) => addresses.has(host))
    );
  }

  /** Cuts or heals the link to a peer (all links without a url). Returns how many that were. */
  setConnected(connected: boolean, url?: string): number {
    const links = this.#links.filter(({ address }) => url === undefined || isAt(url, address));
    for (const link of links) {
      link.connected = connected;
      link.failures = 0;
      link.leftOut = 0;
      link.pull = true;
      link.push = true;
      this.#run(link);
    }
    return links.length;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#running);
    await Promise.all(this.#links.map(({ client }) => client.close()));
  }

  #each(change: (link: Link) => void): void {
    for (const link of this.#links) {
      change(link);
      this.#run(link);
    }
  }

  /** One exchange at a time with each peer; news that come meanwhile make another one. */
  #run(link: Link): void {
    if (link.busy || link.leftOut > 0 || this.#parts.closing.aborted || this.#own.port === 0) return;
    link.busy = true;
    const exchange = this.#exchange(link)
      .then(
        () => this.#noteSuccess(link),
        (error: unknown) => this.#noteFailure(link, error),
      )
      .finally(() => {
        link.busy = false;
        this.#running.delete(exchange);
      });
    this.#running.add(exchange);
  }

  #noteSuccess(link: Link): void {
    if (link.failures > 1) this.#parts.log.info({ peer: link.url }, 'blocks are exchanged with a peer again');
    link.failures = 0;
  }

  /** Who does not answer is asked at the next poll; who answers wrongly will do so again, and is asked less and less. */
  #noteFailure(link: Link, error: unknown): void {
    if (isTheirs(error)) {
      if (++link.failures === 1 && error instanceof NodeError && error.status === DIFFERENT)
        this.#parts.log.warn({ peer: link.url, reason: error.message }, OTHER_SETTINGS);
      link.leftOut = Math.min(MOST_POLLS_LEFT_OUT, 2 ** link.failures);
    }
    const fields = { peer: link.url, err: error, pollsLeftOut: link.leftOut };
    if (link.failures !== 2 || (error as NodeError).status === DIFFERENT)
      this.#parts.log.debug(fields, 'exchange with a peer failed');
    else
      this.#parts.log.warn(
        { peer: link.url, reason: (error as Error).message, pollsLeftOut: link.leftOut },
        WRONG,
      );
  }

  async #exchange(link: Link): Promise<void> {
    // Blocks that come in one turn are told of at once.
    await nextTurn();
    if (link.addresses.size === 1) link.addresses = await addressesOf(link.address.hostname);
    while (link.connected && (link.push || link.pull) && !this.#parts.closing.aborted) {
      if (link.pull) {
        link.pull = false;
        await this.#pull(link);
      }
      if (link.push) {
        link.push = false;
        await this.#push(link);
      }
    }
  }

  async #push(link: Link): Promise<void> {
    const heads = hashesOf(this.#parts.chains.cut.heads);
    if (isSame(heads, link.theirs)) return;
    const blocks = link.theirs ? blocksAbove(this.#parts.chains, link.theirs) : {};
    const cut = {
      ...this.#parts.cutJson(),
      ...blocks,
      origin: { id: this.#parts.certificateId, address: this.#own },
    };
    try {
      await link.client.putCut(cut);
      link.theirs = heads;
      link.isStranger = false;
    } catch (error) {
      if (!(error instanceof NodeError && error.status === 401)) throw error;
      // It may still be asked for what it has.
      const { hostname, port } = this.#own;
      if (!link.isStranger) this.#parts.log.warn({ peer: link.url, own: `${hostname}:${port}` }, STRANGER);
      link.isStranger = true;
    }
  }

  async #pull(link: Link): Promise<void> {
    const heads = await link.client.cut();
    const goesOn = (): boolean => link.connected && !this.#parts.closing.aborted;
    await fetchBehind({ chains: this.#parts.chains, client: link.client, goesOn }, heads);
    link.theirs = hashesOf(heads);
    if (link.connected) this.#parts.chains.offerCut(link.theirs);
    if (link.poolLeftOut > 0) return;
    try {
      for (const chainId of link.pools) {
        await this.#pullTransactions(link, chainId);
        link.pools.delete(chainId);
      }
    } catch (error) {
      link.poolLeftOut = POOL_POLLS_LEFT_OUT;
      this.#parts.log.debug(
        { peer: link.url, err: error },
        'the transactions of a peer are not taken over yet',
      );
    }
  }

  /** Takes over what came into the peer's pool since we looked last; only then is that looked at. */
  async #pullTransactions(link: Link, chainId: number): Promise<void> {
    const { keys, mark } = await link.client.pending(chainId, link.marks.get(chainId));
    const missing = keys.filter((key) => this.#parts.mempool.lookup(chainId, key) === undefined);
    for (let from = 0; from < missing.length; from += KEYS_AT_A_TIME) {
      const texts = await link.client.transactions(chainId, missing.slice(from, from + KEYS_AT_A_TIME));
      if (!link.connected) return;
      for (const text of texts) {
        const refusal = this.#parts.mempool.insert(chainId, [text]);
        if (refusal?.isFull) throw new PeerError(refusal.reason);
      }
    }
    link.marks.set(chainId, mark);
  }
}

const WRONG =
  'a peer answers what cannot be taken, and is asked less and less: have both nodes the same network, graph and difficulty, and right clocks?';
const OTHER_SETTINGS = 'a peer has other settings, and nothing is exchanged with it';
const STRANGER =
  'a peer does not take cuts from this node, and hears of its blocks only by asking: give it this node as --peers, by the name that --peer-hostname gives this one';

/** Not those of the network between, nor those of a link that is cut or asked too often. */
function isTheirs(error: unknown): error is PeerError | NodeError {
  if (!(error instanceof NodeError)) return error instanceof PeerError;
  return error.status === undefined ? error.code === 'format' : ![429, 503].includes(error.status);
}

/** Whether a URL names that host and port, whatever its path. */
function isAt(url: string, { hostname, port }: PeerAddress): boolean {
  const given = URL.canParse(url) ? addressOf(url) : undefined;
  return given?.hostname === hostname && given.port === port;
}

function isSame(
  heads: ReadonlyMap<number, BlockHash>,
  others: ReadonlyMap<number, BlockHash> | undefined,
): boolean {
  return heads.size === others?.size && [...heads].every(([id, hash]) => others.get(id) === hash);
}

function dueAgain(link: Link, chainIds: readonly number[]): void {
  link.pull = true;
  for (let i = 0; i < POOLS_A_POLL; i++) {
    const chainId = chainIds[link.nextPool++ % chainIds.length];
    if (chainId !== undefined) link.pools.add(chainId);
  }
  if (link.leftOut > 0) link.leftOut--;
  if (link.poolLeftOut > 0) link.poolLeftOut--;
}
