/** The pool of waiting transactions of one chain (`node-interface.md`, 4.5). Real nodes serve it on their peer port only. */
import type { z } from 'zod';
import type { Endpoint } from '../../chain/endpoint.js';
import { ENDPOINTS } from '../../chain/endpoints.js';
import type { MempoolLookup, Page, PeerInfo, PendingKeys } from '../../chain/models.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';
import { type PeerWindow, peersOf } from './peer-lists.js';

export class MempoolClient {
  readonly #caller: Caller;
  readonly #chainId: number;

  constructor(caller: Caller, chainId: number) {
    this.#caller = caller;
    this.#chainId = chainId;
  }

  /**
   * `POST mempool/getPending`: request keys of what waits; all of it without a mark, or with one of another pool.
   *
   * @param mark the `highwaterMark` of an earlier answer.
   */
  getPending(mark?: PendingKeys['highwaterMark'], policy?: CallPolicy): Promise<PendingKeys> {
    const [nonce, since] = mark ?? [];
    return this.#caller.json({ ...this.#call(ENDPOINTS.pending), query: { nonce, since } }, policy);
  }

  /** `POST mempool/member`: whether each of these transactions waits; as many answers in the same order. */
  member(requestKeys: readonly string[], policy?: CallPolicy): Promise<boolean[]> {
    return this.#each(ENDPOINTS.member, requestKeys, policy);
  }

  /** `POST mempool/lookup`: the text of each that waits; as many answers in the same order. */
  lookup(requestKeys: readonly string[], policy?: CallPolicy): Promise<MempoolLookup[]> {
    return this.#each(ENDPOINTS.lookup, requestKeys, policy);
  }

  /** `PUT mempool/insert`: all of them or none. @param transactions JSON text of each signed transaction. */
  async insert(transactions: readonly string[], policy?: CallPolicy): Promise<void> {
    await this.#caller.answer({ ...this.#call(ENDPOINTS.insert), json: transactions }, policy);
  }

  /** `GET mempool/peer`: nodes that exchange transactions of this chain. */
  peers(window: PeerWindow = {}, policy?: CallPolicy): Promise<Page<PeerInfo>> {
    return peersOf(this.#caller, { ...this.#call(ENDPOINTS.poolPeers), query: { ...window } }, policy);
  }

  /** `PUT mempool/peer`: tells of one more. */
  async addPeer(peer: PeerInfo, policy?: CallPolicy): Promise<void> {
    await this.#caller.answer({ ...this.#call(ENDPOINTS.addPoolPeer), json: peer }, policy);
  }

  async #each<T>(
    to: Endpoint<z.ZodType<T[]>>,
    requestKeys: readonly string[],
    policy: CallPolicy | undefined,
  ): Promise<T[]> {
    const call = { ...this.#call(to), json: requestKeys };
    const found = await this.#caller.json(call, policy);
    if (found.length === requestKeys.length) return found;
    throw this.#caller.formatError(call, `${found.length} answers to ${requestKeys.length} request keys`);
  }

  #call<M extends z.ZodType>(to: Endpoint<M>): Call<M> {
    return { to, path: { chain: this.#chainId } };
  }
}
