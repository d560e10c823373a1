/** The pool of waiting transactions of one chain (`node-interface.md`, 4.5). Real nodes serve it on their peer port only. */
import type { z } from 'zod';
import { checkHashes, checkMempoolList } from './bounds.js';
import type { Call, Caller, CallPolicy } from './call.js';
import { lookupModel, type MempoolLookup, memberModel, type PendingKeys, pendingModel } from './models.js';

/** From where on transactions are wanted: the high-water mark of an earlier answer. Signed 64-bit integers. */
export interface HighwaterMark {
  readonly nonce: bigint;
  readonly since: bigint;
}

export class MempoolClient {
  readonly #caller: Caller;
  readonly #chainId: number;

  constructor(caller: Caller, chainId: number) {
    this.#caller = caller;
    this.#chainId = chainId;
  }

  /** `POST mempool/getPending`: request keys of what waits; all of it without a mark, or with one of another pool. */
  getPending(mark?: HighwaterMark, policy?: CallPolicy): Promise<PendingKeys> {
    const call = this.#call('POST', 'getPending', undefined);
    return this.#caller.json(
      { ...call, query: { nonce: mark?.nonce, since: mark?.since } },
      pendingModel,
      policy,
    );
  }

  /** `POST mempool/member`: whether each of these transactions waits; as many answers in the same order. */
  member(requestKeys: readonly string[], policy?: CallPolicy): Promise<boolean[]> {
    return this.#each('member', requestKeys, memberModel, policy);
  }

  /** `POST mempool/lookup`: the text of each that waits; as many answers in the same order. */
  lookup(requestKeys: readonly string[], policy?: CallPolicy): Promise<MempoolLookup[]> {
    return this.#each('lookup', requestKeys, lookupModel, policy);
  }

  /** `PUT mempool/insert`: all of them or none. @param transactions JSON text of each signed transaction. */
  async insert(transactions: readonly string[], policy?: CallPolicy): Promise<void> {
    const body = checkMempoolList(transactions, 'transactions');
    await this.#caller.answer(this.#call('PUT', 'insert', body), policy);
  }

  async #each<T extends z.ZodType<unknown[]>>(
    what: string,
    requestKeys: readonly string[],
    model: T,
    policy: CallPolicy | undefined,
  ): Promise<z.output<T>> {
    const keys = checkHashes(checkMempoolList(requestKeys, 'request keys'), 'request keys');
    const call = this.#call('POST', what, keys);
    const found = await this.#caller.json(call, model, policy);
    if (found.length === keys.length) return found;
    throw this.#caller.formatError(call, `${found.length} answers to ${keys.length} request keys`);
  }

  /** All but insert only read. */
  #call(method: 'POST' | 'PUT', what: string, json: unknown): Call {
    return {
      method,
      endpoint: `/chain/{chain}/mempool/${what}`,
      path: `/chain/${this.#chainId}/mempool/${what}`,
      accept: 'application/json',
      repeatable: what !== 'insert',
      ...(json === undefined ? {} : { json }),
    };
  }
}
