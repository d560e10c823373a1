/**
 * A node's HTTP interface, typed (`node-interface.md`): what mining needs of it.
 *
 * Every method throws {@link NodeError} when the node does not give what it should.
 */
import { writeUintLittleEndian } from '../core/bytes.js';
import { decodeWork, WORK_BYTES, type Work, WorkFormatError } from '../core/work.js';
import { locateNode, type NodeAddress } from './address.js';
import { NodeError } from './errors.js';
import { type HttpAnswer, NodeHttp, type StreamAnswer } from './http.js';

/** Who is paid for blocks: the body of `GET /mining/work`. */
export interface Miner {
  /** Usually `k:` and the public key. */
  readonly account: string;
  readonly predicate: 'keys-all' | 'keys-any' | 'keys-2';
  readonly publicKeys: readonly string[];
}

export interface WorkRequest {
  readonly miner: Miner;
  /** A wish only: the node may hand out work of another chain. */
  readonly chainId?: number | undefined;
  /** A node keeps the request open while it has no work. */
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const SHOWN_BODY = 200;

export class NodeClient {
  readonly address: NodeAddress;
  readonly #http: NodeHttp;

  private constructor(address: NodeAddress, http: NodeHttp) {
    this.address = address;
    this.#http = http;
  }

  /** Finds the node behind what an operator typed: a whole base URL, or scheme, host and port. */
  static async connect(url: string, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<NodeClient> {
    const http = new NodeHttp();
    try {
      return new NodeClient(await locateNode(http, url, timeoutMs), http);
    } catch (error) {
      await http.close();
      throw error;
    }
  }

  /** `GET /health-check`, at the base as specified or at the root as real nodes serve it. */
  async isHealthy(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<boolean> {
    const { baseUrl } = this.address;
    for (const prefix of [baseUrl, new URL(baseUrl).origin]) {
      const { status } = await this.#http.ask({ method: 'GET', url: `${prefix}/health-check`, timeoutMs });
      if (status === 200) return true;
    }
    return false;
  }

  /** The node's clock in milliseconds since the epoch, to the second as it tells it; `undefined` if it does not. */
  async clockMs(timeoutMs = DEFAULT_TIMEOUT_MS): Promise<number | undefined> {
    const url = `${this.address.baseUrl}/info`;
    const { headers } = await this.#http.ask({ method: 'GET', url, timeoutMs });
    const seconds = Number(headers['x-server-timestamp']);
    return Number.isInteger(seconds) && seconds > 0 ? seconds * 1000 : undefined;
  }

  /** `GET /mining/work`: a GET with a JSON body, 322 bytes in return. */
  async work(request: WorkRequest): Promise<Work> {
    const { miner, chainId, timeoutMs } = request;
    const query = chainId === undefined ? '' : `?chain=${chainId}`;
    const answer = await this.#http.ask({
      method: 'GET',
      url: `${this.address.baseUrl}/mining/work${query}`,
      headers: { 'content-type': 'application/json', accept: 'application/octet-stream' },
      body: JSON.stringify({
        account: miner.account,
        predicate: miner.predicate,
        'public-keys': miner.publicKeys,
      }),
      timeoutMs,
      maxBytes: 64 * WORK_BYTES,
    });
    if (answer.status !== 200) throw statusError(`${this.address.baseUrl}/mining/work`, answer);
    return this.#decode(answer);
  }

  /** `POST /mining/solved` with 286 header bytes. Resolves on any 2xx: the specification says 204, real nodes say 200. */
  async solved(header: Uint8Array, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
    const url = `${this.address.baseUrl}/mining/solved`;
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await this.#http.ask({ method: 'POST', url, headers, body: header, timeoutMs });
    if (answer.status < 200 || answer.status > 299) throw statusError(url, answer);
  }

  /** `GET /mining/updates` of one chain: an event stream, still to be made conformant. */
  openUpdates(chainId: number, signal: AbortSignal): Promise<StreamAnswer> {
    return this.#http.open(
      {
        method: 'GET',
        url: `${this.address.baseUrl}/mining/updates`,
        headers: { 'content-type': 'application/octet-stream', accept: 'text/event-stream' },
        body: writeUintLittleEndian(BigInt(chainId), 4),
      },
      signal,
    );
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  #decode(answer: HttpAnswer): Work {
    try {
      return decodeWork(answer.body);
    } catch (error) {
      if (!(error instanceof WorkFormatError)) throw error;
      const url = `${this.address.baseUrl}/mining/work`;
      throw new NodeError('format', `${url} gave no work: ${error.message}`, { url }, error);
    }
  }
}

function statusError(url: string, answer: HttpAnswer): NodeError {
  const text = answer.body.subarray(0, SHOWN_BODY).toString('utf8').trim();
  const said = text === '' ? 'no text' : JSON.stringify(text);
  return new NodeError('status', `${url} answered ${answer.status} with ${said}`, {
    url,
    status: answer.status,
    text,
  });
}
