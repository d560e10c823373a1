/** What the books of blocks ask of nodes, answered by their clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainReader, HeaderSink, SeenHeader } from '../bridge/ports.js';
import { Ancestry } from '../chain/ancestry.js';
import { NodeError, rootMessage } from '../chain/errors.js';
import type { HeaderObject } from '../chain/models.js';
import { fromBase64Url, readUintLittleEndian, toBase64Url } from '../core/bytes/bytes.js';
import { faultOf, type Log } from '../core/names/log.js';
import { nodeNameOf } from '../core/names/node-name.js';
import { type Development, isForDevelopment } from '../core/work/development.js';
import { backoffMs } from '../node-client/asking/backoff.js';
import type { NodeClient } from '../node-client/client.js';

/** Headers of one page: to prove each takes a while. */
const BRANCH_PAGE = 64;

/** Node -> its client, in order of preference; only nodes that can be asked now. */
export type Clients = () => ReadonlyMap<string, NodeClient>;

/** @param count nodes there are in all; @param said what the operator says of their network. */
export function createChainReader(clients: Clients, count: number, said: Development = 'auto'): ChainReader {
  const ancestry = new Ancestry();
  const chainOf = (node: string, chainId: number) => {
    const client = clients().get(node);
    if (!client) throw new NodeError('unreachable', `${node} cannot be asked now`, { url: node });
    return client.chain(chainId);
  };
  return {
    count,
    get isForDevelopment() {
      const [client] = clients().values();
      return isForDevelopment(client?.address.network ?? '', said);
    },
    get nodes() {
      return [...clients().keys()];
    },
    async listHeaders(node, chainId, { min, max }, limit) {
      // Without `maxheight`: by the specification one above the newest block is 404.
      const page = await orNothing(chainOf(node, chainId).encodedHeaders({ minHeight: min, limit }));
      const headers = page?.items.filter(({ fields }) => fields.height <= max) ?? [];
      ancestry.add(headers);
      return headers.map(({ hash, fields }) => ({ ...fields, hash }));
    },
    async ancestorsAt(node, chainId, height, upper) {
      const chain = chainOf(node, chainId);
      const found = await ancestry.ancestorAt(height, toBase64Url(upper), async (hash) => {
        const window = { minHeight: height, limit: BRANCH_PAGE };
        const page = await orNothing(chain.encodedHeaderBranch({ upper: [hash] }, window));
        return page?.items ?? [];
      });
      return found === undefined ? [] : [bytesOf(found)];
    },
    async payloadOutputs(node, chainId, height, payloadHash) {
      const payload = await orNothing(
        chainOf(node, chainId).payloadWithOutputs(toBase64Url(payloadHash), height),
      );
      if (!payload) return undefined;
      const transactions = payload.transactions.map(([command, output]) => ({
        command: textOf(command),
        output: textOf(output),
      }));
      return { coinbase: textOf(payload.coinbase), transactions };
    },
  };
}

function textOf(base64Url: string): string {
  return Buffer.from(base64Url, 'base64url').toString('utf8');
}

/** By the specification a node says 404 where it knows nothing. */
async function orNothing<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof NodeError && (error.code === 'not-found' || error.details.status === 404))
      return undefined;
    throw error;
  }
}

function seenHeaderFrom(header: HeaderObject): SeenHeader {
  return {
    chainId: header.chainId,
    height: header.height,
    hash: bytesOf(header.hash),
    parent: bytesOf(header.parent),
    nonce: BigInt(header.nonce),
    creationTime: BigInt(header.creationTime),
    weight: readUintLittleEndian(bytesOf(header.weight)),
  };
}

function bytesOf(hash: string): Uint8Array {
  const bytes = fromBase64Url(hash);
  if (!bytes) throw new NodeError('format', `${hash} is no canonical Base64Url`, { url: '' });
  return bytes;
}

/** After this long a node without a header stream, or away, is tried again. */
const SLOWEST_MS = 60_000;

/** Reads the header streams of all nodes and tells the sink what they announce. */
export class HeaderWatch {
  readonly #closing = new AbortController();
  readonly #reading: Promise<void>[];

  constructor(urls: readonly string[], clients: Clients, sink: HeaderSink, log: Log) {
    this.#reading = urls.map((url) => this.#readFor(nodeNameOf(url), clients, sink, log));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#reading);
  }

  async #readFor(url: string, clients: Clients, sink: HeaderSink, log: Log): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        for await (const { header } of clients().get(url)?.headerUpdates({ signal, maxFailures: 1 }) ?? []) {
          failures = 0;
          sink.sawHeader(url, seenHeaderFrom(header));
        }
      } catch (error) {
        // Listings tell the same, only later.
        if (error instanceof NodeError)
          log.debug({ node: url, error: rootMessage(error) }, 'no header stream');
        else
          log.error(
            { node: url, ...faultOf(error) },
            'an unexpected error in a header stream; it is read again',
          );
      }
      await this.#pause(Math.min(SLOWEST_MS, 10 * backoffMs(failures + 1, 0)));
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    // It rejects with the end alone, which the loop sees.
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}
