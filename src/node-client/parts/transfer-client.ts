/** Coins moved from one account to another, on one chain: built, signed, sent and waited for (`transfers.md`). */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandResult, SignedCommand } from '../../chain/command-models.js';
import { ENDPOINTS } from '../../chain/endpoints.js';
import { NodeError } from '../../chain/errors.js';
import type { HeaderObject } from '../../chain/models.js';
import { requestKeyBytes } from '../../chain/request-key.js';
import { accountOfKey, type Payer, payerOfKey } from '../../chain/transfers/accounts.js';
import { checkSignatures } from '../../chain/transfers/envelope.js';
import { KEY_BYTES, signingKey } from '../../chain/transfers/signing-key.js';
import { type BuiltTransfer, buildTransfer } from '../../chain/transfers/transfer.js';
import { fromHex } from '../../core/bytes/bytes.js';
import { parseAmount } from '../../core/money/amount.js';
import { keyOfAccount } from '../../core/names/payable.js';
import { adviceFor } from '../asking/advice.js';
import type { Call, Caller } from '../asking/call.js';
import { mayPass } from '../asking/failures.js';
import type { CallPolicy } from '../asking/policy.js';
import type { PactClient } from './pact-client.js';

export interface TransferOrder {
  /** `k:` and the key that signs; or an account of another name with the keys and the predicate of its guard. */
  readonly from: string | Payer;
  /** `k:` and a key. */
  readonly to: string;
  /** Coins as decimal digits, 12 of them after the point at most: `1.5`. */
  readonly amount: string;
  /** Default 2,500: what a transfer takes, and some more. */
  readonly gasLimit?: number;
  /** Coins for a unit of gas, as decimal digits. Default `0.00000001`, the least that nodes take. */
  readonly gasPrice?: string;
  /** Seconds in which a block may take it. Default 900. */
  readonly ttlS?: number;
  /** By default a random one: two orders that are alike are two transfers. */
  readonly nonce?: string;
}

export interface UnsignedTransfer extends BuiltTransfer {
  /** Public keys, all of which have to sign. 64 hex digits each. */
  readonly signers: readonly string[];
}

/** What it needs of its chain. */
interface Chain {
  readonly chainId: number;
  readonly pact: PactClient;
  header(hash: string, policy?: CallPolicy): Promise<HeaderObject>;
}

const GAS_LIMIT = 2_500;
const GAS_PRICE = '0.00000001';
const TTL_S = 900;
/** A chain takes a command whose time is up to 95 s after that of its newest block. */
const AHEAD_S = 60;
const MICROS = 1_000_000;
const POLL_MS = 2_000;
const WITHIN_MS = 1_800_000;

export class TransferClient {
  readonly #caller: Caller;
  readonly #chain: Chain;

  constructor(caller: Caller, chain: Chain) {
    this.#caller = caller;
    this.#chain = chain;
  }

  /**
   * The text to be signed. Its time is that of the clock here, and no later than the newest block of the chain lets it be, but where that
   * one stands still: then it would be dead before it is sent.
   * Throws RangeError, with a sentence, for a transfer that cannot be.
   */
  async build(order: TransferOrder, policy?: CallPolicy): Promise<UnsignedTransfer> {
    const { gasLimit = GAS_LIMIT, gasPrice = GAS_PRICE, ttlS = TTL_S, nonce = randomUUID() } = order;
    const from = payerOf(order.from);
    const { chainId } = this.#chain;
    const transfer = { networkId: this.#caller.network, chainId, from, to: order.to, gasLimit, ttlS, nonce };
    const amounts = {
      amount: amountOf(order.amount, 'an amount'),
      gasPrice: amountOf(gasPrice, 'a gas price'),
    };
    // What cannot be is said before the node is asked.
    buildTransfer({ ...transfer, ...amounts, creationTimeS: 0 });
    const nowS = Math.floor(Date.now() / 1000);
    const latestS = (await this.#newestBlockAtS(policy)) + AHEAD_S;
    const standsStill = latestS + ttlS / 2 < nowS;
    const creationTimeS = standsStill ? nowS : Math.min(nowS, latestS);
    return { ...buildTransfer({ ...transfer, ...amounts, creationTimeS }), signers: from.publicKeys };
  }

  /**
   * The command as it is sent. It may be sent again: a chain takes it once.
   *
   * @param secretKeys 64 hex digits each, one for each signer, in any order. Throws RangeError where they are others.
   */
  sign({ cmd, signers }: UnsignedTransfer, ...secretKeys: readonly string[]): SignedCommand {
    const keys = secretKeys.map(keyOf);
    const signed = requestKeyBytes(cmd);
    const given = keys.map(({ publicKey, sign }) => ({ pubKey: publicKey, sig: sign(signed) }));
    const checked = checkSignatures(cmd, signers, given);
    if (checked.is === 'signed') return checked.envelope;
    throw new RangeError(checked.is === 'bad' ? checked.why : `it lacks the key of ${checked.missing[0]}`);
  }

  /** Gives it to the node, and resolves with its request key. A node that refuses it is a {@link NodeError} `refused`, with its words. */
  async send(command: SignedCommand, policy?: CallPolicy): Promise<string> {
    const [requestKey = command.hash] = await this.#chain.pact.send([command], policy);
    return requestKey;
  }

  /**
   * What came of it, by the word of the node, once so many blocks are on top of the one that has it. A transfer that failed is an answer,
   * too: `result.status`. Nodes that cannot be asked are asked again.
   *
   * @param withinMs after which it is a {@link NodeError} `timeout`; half an hour by default. No block takes it after its `ttlS`.
   */
  async waitFor(
    requestKey: string,
    depth = 0,
    { withinMs = WITHIN_MS, ...policy }: CallPolicy & { readonly withinMs?: number } = {},
  ): Promise<CommandResult> {
    const untilMs = performance.now() + withinMs;
    const { signal } = policy;
    for (;;) {
      const found = await this.#poll(requestKey, depth, policy);
      if (found) return found;
      if (performance.now() >= untilMs) throw this.#timeout(requestKey, depth);
      // Who ends it hears of that by the next question.
      await pause(POLL_MS, undefined, signal ? { signal } : {}).catch(() => {});
    }
  }

  async #poll(requestKey: string, depth: number, policy: CallPolicy): Promise<CommandResult | undefined> {
    try {
      const found = await this.#chain.pact.poll([requestKey], { confirmationDepth: depth }, policy);
      return found.get(requestKey);
    } catch (error) {
      if (mayPass(error)) return undefined;
      throw error;
    }
  }

  #timeout(requestKey: string, depth: number): NodeError {
    const call: Call = { to: ENDPOINTS.poll, path: { chain: this.#chain.chainId } };
    const details = { ...this.#caller.where(call), advice: adviceFor('timeout', '') };
    const words = `no block with ${depth} on top has the command ${requestKey} yet`;
    return new NodeError('timeout', words, details);
  }

  async #newestBlockAtS(policy: CallPolicy | undefined): Promise<number> {
    const call = { to: ENDPOINTS.cut };
    const { hashes } = await this.#caller.json(call, policy);
    const { chainId } = this.#chain;
    const head = hashes[chainId];
    if (!head) throw this.#caller.formatError(call, `it has no chain ${chainId}`);
    return Math.floor((await this.#chain.header(head.hash, policy)).creationTime / MICROS);
  }
}

/** What cannot pay is refused as the transfer is built. */
function payerOf(from: string | Payer): Payer {
  if (typeof from !== 'string') return from;
  const key = keyOfAccount(from);
  return key === undefined ? { account: from, publicKeys: [], predicate: 'keys-all' } : payerOfKey(key);
}

function amountOf(text: string, what: string): bigint {
  const amount = parseAmount(text);
  if (amount === undefined)
    throw new RangeError(`${what} is decimal digits, at most 12 of them after the point, and not ${text}`);
  return amount;
}

function keyOf(secretKey: string): ReturnType<typeof signingKey> {
  const seed = fromHex(secretKey);
  if (seed?.length !== KEY_BYTES) throw new RangeError('a secret key has 64 hex digits');
  return signingKey(Buffer.from(seed));
}

/** The account of a secret key of 64 hex digits. Throws RangeError for another text. */
export function accountOfSecretKey(secretKey: string): string {
  return accountOfKey(keyOf(secretKey).publicKey);
}
