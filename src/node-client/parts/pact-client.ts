/** Commands on one chain: sent, waited for, tried, read (`transfers.md`, 2). Real nodes serve it on their service port. */
import type { z } from 'zod';
import type { CommandResult, LocalResult, SignedCommand } from '../../chain/command-models.js';
import type { Endpoint } from '../../chain/endpoint.js';
import { ENDPOINTS } from '../../chain/endpoints.js';
import { NodeError } from '../../chain/errors.js';
import type { Call, Caller } from '../asking/call.js';
import type { CallPolicy } from '../asking/policy.js';

export interface PollOptions {
  /** Blocks that have to be on top of the one that has it. Default 0. */
  readonly confirmationDepth?: number;
}

export interface LocalOptions {
  /** With its gas and all checks, as in a block. Default false: the code alone, at nobody's cost. */
  readonly preflight?: boolean;
  /** Default true. */
  readonly signatureVerification?: boolean;
  /** As the chain was so many blocks ago. */
  readonly rewindDepth?: number;
}

/** Nodes hold the request for three minutes. */
const LISTEN_TIMEOUT_MS = 200_000;

/** A request that is refused fails as {@link NodeError} `refused`, with the words of the node in `details.text`. */
export class PactClient {
  readonly #caller: Caller;
  readonly #chainId: number;

  constructor(caller: Caller, chainId: number) {
    this.#caller = caller;
    this.#chainId = chainId;
  }

  /**
   * `POST send`: the request keys, in the same order. All commands are taken or none: `details.refusals` of the error names
   * the bad ones. It is never tried again by itself; who sends the same commands again does no harm.
   */
  async send(commands: readonly SignedCommand[], policy?: CallPolicy): Promise<string[]> {
    const call = this.#call(ENDPOINTS.send, { cmds: commands });
    const { requestKeys } = await this.#caller.json(call, policy);
    if (commands.every(({ hash }, i) => requestKeys[i] === hash)) return requestKeys;
    throw this.#caller.formatError(call, 'its request keys are not those of the commands');
  }

  /** `POST poll`: what came of those that are in blocks so deep, by request key. Who is absent may wait, or be unknown. */
  async poll(
    requestKeys: readonly string[],
    { confirmationDepth }: PollOptions = {},
    policy?: CallPolicy,
  ): Promise<ReadonlyMap<string, CommandResult>> {
    const call = this.#call(ENDPOINTS.poll, { requestKeys }, { confirmationDepth });
    const results = Object.entries(await this.#caller.json(call, policy));
    const strange = results.find(([key, { reqKey }]) => key !== reqKey || !requestKeys.includes(key));
    if (strange) throw this.#caller.formatError(call, `${strange[0]} was not asked for`);
    return new Map(results);
  }

  /** `POST listen`: what came of it, as soon as it is in a block; `undefined` where it is in none after three minutes. */
  async listen(requestKey: string, policy: CallPolicy = {}): Promise<CommandResult | undefined> {
    const call = this.#call(ENDPOINTS.listen, { listen: requestKey });
    try {
      return await this.#caller.json(call, { timeoutMs: LISTEN_TIMEOUT_MS, attempts: 1, ...policy });
    } catch (error) {
      if (error instanceof NodeError && error.status === 504) return undefined;
      throw error;
    }
  }

  /** `POST local`: what would come of it; nothing is kept. A command that fails is an answer, too. */
  local(command: SignedCommand, options: LocalOptions = {}, policy?: CallPolicy): Promise<LocalResult> {
    const { preflight, signatureVerification, rewindDepth } = options;
    const query = {
      preflight: preflight?.toString(),
      signatureVerification: signatureVerification?.toString(),
      rewindDepth,
    };
    return this.#caller.json(this.#call(ENDPOINTS.local, command, query), policy);
  }

  /** `POST spv`: a proof of a transaction of this chain, for another one that sees it by now. */
  spv(requestKey: string, targetChainId: number, policy?: CallPolicy): Promise<string> {
    const json = { requestKey, targetChainId: String(targetChainId) };
    return this.#caller.json(this.#call(ENDPOINTS.spv, json), policy);
  }

  #call<M extends z.ZodType>(to: Endpoint<M>, json: unknown, query: Call['query'] = {}): Call<M> {
    return { to, path: { chain: this.#chainId }, json, query };
  }
}
