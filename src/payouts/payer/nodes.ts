/** What nodes are asked and told by the payer. Nothing of it is evidence: what became of a command is read from blocks that were taken over. */
import { setMaxListeners } from 'node:events';
import { type CommandResult, decimalIn, type SignedCommand } from '../../chain/command-models.js';
import { requestKeyOf } from '../../chain/request-key.js';
import { fieldsOf } from '../../core/bytes/outputs.js';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { storable } from '../../core/names/names.js';
import { type CallPolicy, type NodeClient, NodeError } from '../../node-client/client.js';
import { eachOf } from '../turns.js';

interface PayerNodesOptions {
  /** Node -> its client; those that can be asked now, in order of preference. */
  readonly clients: () => ReadonlyMap<string, NodeClient>;
  readonly account: string;
  readonly networkId: string;
  readonly signal: AbortSignal;
}

/** When nodes are believed. */
export interface Belief {
  /** Blocks that one must have on top before what they say of coins counts. */
  readonly depth: number;
  /** By the word of so many. */
  readonly needed: number;
}

export interface Head {
  readonly height: number;
  readonly timeMicros: bigint;
}

export interface Guard {
  readonly pred: string;
  readonly keys: readonly string[];
}

/** `guard`: `undefined` where the account is not there yet; `other`: it is no keyset. */
export interface Funds {
  readonly balance: Amount;
  readonly guard: Guard | 'other' | undefined;
}

type DryRun =
  | { readonly is: 'fine' }
  | { readonly is: 'failed'; readonly why: string }
  /** Nodes do not agree, or do not answer. */
  | { readonly is: 'unknown'; readonly why: string };

interface SendAnswer {
  readonly node: string;
  readonly isTaken: boolean;
  readonly words: string;
  /** It said something at all. */
  readonly isAnswer: boolean;
}

/** Of each question. One that hangs is not asked again in the same turn. */
const TIMEOUT_MS = 3_000;
const SHOWN = 300;
const LONGEST_WORD = 200;
/** What nodes say of an account that is not there. */
const MISSING = 'No value found';

export class PayerNodes {
  readonly #options: PayerNodesOptions;
  /** Nodes that did not answer in this turn. */
  readonly #silent = new Set<string>();
  #belief: Belief = { depth: Number.POSITIVE_INFINITY, needed: Number.POSITIVE_INFINITY };

  constructor(options: PayerNodesOptions) {
    this.#options = options;
    // Every question listens to it, and Node.js takes more than ten at a time for a leak.
    setMaxListeners(0, options.signal);
  }

  /** Silent ones are asked anew. */
  beginTurn(belief: Belief): void {
    this.#belief = belief;
    this.#silent.clear();
  }

  /** Of each chain the head that as many nodes as are needed have come to. */
  async heads(): Promise<Map<number, Head>> {
    const told = await this.#ask(async (client, policy) => {
      const { hashes } = await client.maintenance.cut(undefined, policy);
      const heads = new Map<number, Head>();
      await eachOf(Object.entries(hashes), async ([id, { hash }]) => {
        const { fields } = await client.chain(Number(id)).encodedHeader(hash, 'bytes', policy);
        heads.set(Number(id), { height: fields.height, timeMicros: fields.creationTime });
      });
      return heads;
    });
    const { needed } = this.#belief;
    const ids = new Set(told.flatMap(({ value }) => [...value.keys()]));
    return new Map(
      [...ids].flatMap((id): [number, Head][] => {
        const heads = told.flatMap(({ value }) => value.get(id) ?? []);
        const head = heads.toSorted((a, b) => Number(b.timeMicros - a.timeMicros))[needed - 1];
        return head ? [[id, head]] : [];
      }),
    );
  }

  /** At the depth. A sentence where not as many nodes as are needed say so, or they differ about who may move them. */
  async funds(chainId: number, { height }: Head): Promise<Funds | string> {
    const { account } = this.#options;
    const { depth, needed } = this.#belief;
    const code = `(coin.details ${JSON.stringify(account)})`;
    const faults: string[] = [];
    const told = await this.#ask(async (client, policy) => {
      const options = { signatureVerification: false, rewindDepth: Math.min(depth, height) };
      return fundsIn(
        (await client.chain(chainId).pact.local(this.#question(chainId, code), options, policy)).result,
      );
    }, faults);
    if (told.length < needed)
      return `${needed} nodes must tell of the paying account on chain ${chainId}: ${faults.join('; ') || `${told.length} can be asked`}`;
    const [first] = told;
    const differs = told.find(
      ({ value }) => JSON.stringify(value.guard) !== JSON.stringify(first?.value.guard),
    );
    if (differs)
      return `nodes ${first?.node} and ${differs.node} differ about the guard of the paying account on chain ${chainId}`;
    const [least = 0n] = told.map(({ value }) => value.balance).sort((a, b) => (a < b ? -1 : 1));
    return { balance: least, guard: first?.value.guard };
  }

  /** Before anybody has signed. It fails only where no node says otherwise. */
  async dryRun(chainId: number, cmd: string, signers: number): Promise<DryRun> {
    const envelope = { cmd, hash: requestKeyOf(cmd), sigs: Array(signers).fill({ sig: '' }) };
    const faults: string[] = [];
    const told = await this.#ask(async (client, policy) => {
      const options = { preflight: true, signatureVerification: false };
      try {
        const { result } = await client.chain(chainId).pact.local(envelope, options, policy);
        return result.status === 'success' ? '' : (result.error.message ?? 'the contract gave no reason');
      } catch (error) {
        // So answer the checks before the contract is run.
        if (error instanceof NodeError && error.details.status === 400)
          return error.details.text ?? error.message;
        throw error;
      }
    }, faults);
    const good = told.find(({ value }) => value === '');
    const bad = told.find(({ value }) => value !== '');
    if (good && bad)
      return {
        is: 'unknown',
        why: `${good.node} takes it, and ${bad.node} says: ${storable(bad.value, SHOWN)}`,
      };
    if (good) return { is: 'fine' };
    if (bad) return { is: 'failed', why: storable(bad.value, SHOWN) };
    return { is: 'unknown', why: `no node tries it: ${faults.join('; ') || 'none can be asked'}` };
  }

  /** To every node, alone: one bad command would refuse its neighbours. */
  async send(chainId: number, envelope: SignedCommand): Promise<SendAnswer[]> {
    const clients = this.#clients();
    const policy = this.#policy();
    return Promise.all(
      clients.map(async ([node, client]): Promise<SendAnswer> => {
        try {
          await client.chain(chainId).pact.send([envelope], policy);
          return { node, isTaken: true, words: '', isAnswer: true };
        } catch (error) {
          const { isAnswer, words } = this.#saidBy(node, error);
          return { node, isTaken: false, words, isAnswer };
        }
      }),
    );
  }

  #policy(): CallPolicy {
    return { timeoutMs: TIMEOUT_MS, attempts: 1, signal: this.#options.signal };
  }

  #clients(): [string, NodeClient][] {
    return [...this.#options.clients()].filter(([node]) => !this.#silent.has(node));
  }

  async #ask<T>(
    question: (client: NodeClient, policy: CallPolicy) => Promise<T>,
    faults: string[] = [],
  ): Promise<{ readonly node: string; readonly value: T }[]> {
    const policy = this.#policy();
    const answers = await Promise.all(
      this.#clients().map(async ([node, client]) => {
        try {
          return { node, value: await question(client, policy) };
        } catch (error) {
          faults.push(
            `${node}: ${error instanceof RangeError ? error.message : this.#saidBy(node, error).words}`,
          );
          return undefined;
        }
      }),
    );
    return answers.filter((answer) => answer !== undefined);
  }

  /** That it was ended is thrown on, and what nobody expects. */
  #saidBy(node: string, error: unknown): Pick<SendAnswer, 'words' | 'isAnswer'> {
    if (!(error instanceof NodeError) || error.code === 'aborted') throw error;
    if (error.code === 'timeout' || error.code === 'unreachable') this.#silent.add(node);
    const { status, text = '' } = error.details;
    const isAnswer = status !== undefined;
    return { isAnswer, words: storable(isAnswer ? `${status}: ${text}` : error.message, SHOWN) };
  }

  /** Signed by nobody, paid by nobody. */
  #question(chainId: number, code: string): SignedCommand {
    const cmd = JSON.stringify({
      networkId: this.#options.networkId,
      payload: { exec: { code, data: {} } },
      signers: [],
      meta: {
        ...{ chainId: String(chainId), sender: '', gasLimit: 10_000, gasPrice: 1e-8 },
        ...{ ttl: 900, creationTime: 0 },
      },
      nonce: 'read',
    });
    return { cmd, hash: requestKeyOf(cmd), sigs: [] };
  }
}

function fundsIn(result: CommandResult['result']): Funds {
  if (result.status === 'failure' && result.error.message?.includes(MISSING))
    return { balance: 0n, guard: undefined };
  const details = result.status === 'success' ? fieldsOf(result.data) : undefined;
  const text = decimalIn(details?.['balance']);
  const balance = text === undefined ? undefined : parseAmount(text);
  const guard = fieldsOf(details?.['guard']);
  if (balance === undefined || !guard)
    throw new RangeError(`it says ${JSON.stringify(result).slice(0, SHOWN)}`);
  const { pred, keys } = guard;
  const isKeyset = isWord(pred) && Array.isArray(keys) && keys.every(isWord);
  return { balance, guard: isKeyset ? { pred, keys: (keys as string[]).toSorted() } : 'other' };
}

/** As keys and predicates are. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && storable(value, LONGEST_WORD) === value;
}
