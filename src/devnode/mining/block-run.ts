/** What comes out of a block: each transaction on top of the one before it, its coinbase first. Every node finds the same. */

import { type ChainState, Draft, inclusionKey, type Write } from '../coin/accounts.js';
import { BLOCK_GAS_LIMIT, brokenAt, type Place } from '../coin/admission.js';
import { type Coinbase, type CoinbaseRule, coinbaseOf, creditVault } from '../coin/coinbase.js';
import type { Command } from '../coin/command.js';
import type { Commands } from '../coin/commands.js';
import { execute } from '../coin/execute.js';
import type { Included } from '../coin/grants.js';
import { guardOf, isPrincipal, isSameGuard, principalOf } from '../coin/guards.js';
import { outputJson } from '../coin/result.js';
import { type Block, blockHashBytes } from '../consensus/block.js';
import { MAX_TRANSACTIONS, type Miner, makePayload, type Payload, txIdOf } from './payload.js';

interface RunPlace {
  /** Name of the network. */
  readonly network: string;
  readonly coinbase: CoinbaseRule;
  readonly parent: Block;
  /** The chain as it is behind the parent. */
  readonly state: ChainState;
  readonly miner: Miner;
  /** Creation time of the block, or the earliest that it can have. */
  readonly timeMicros: bigint;
  readonly commands: Commands;
}

export class BlockRun {
  readonly #place: RunPlace;
  readonly #at: Place;
  readonly #draft: Draft;
  readonly #coinbase: Coinbase;
  readonly #included = new Map<string, Included>();
  /** For commands to come, of a block that is made here. */
  #gasLeft = BLOCK_GAS_LIMIT;

  private constructor(place: RunPlace, draft: Draft, coinbase: Coinbase) {
    this.#coinbase = coinbase;
    this.#place = place;
    this.#at = placeAt(place);
    this.#draft = draft;
  }

  /** Begins with the coinbase; a sentence where it cannot be paid to this miner. */
  static begin(place: RunPlace): BlockRun | string {
    const draft = new Draft(place.state);
    const { parent, miner } = place;
    const { chainId, creationTime: parentTime } = parent;
    const coinbase = coinbaseOf(place.coinbase, { chainId, miner: miner.account, parentTime });
    const reason = creditMiner(draft, miner, coinbase.reward);
    creditVault(draft, coinbase);
    return reason ?? new BlockRun(place, draft, coinbase);
  }

  /** Whether there is room for the transaction: others may have used up the gas of the block. */
  fits(text: string): boolean {
    const transaction = this.#place.commands.read(text);
    const gas = transaction?.kind === 'command' ? transaction.command.meta.gasLimit : 0;
    return this.#included.size < MAX_TRANSACTIONS && gas <= this.#gasLeft;
  }

  /** Puts a transaction behind the others. Returns why it cannot be in this block, and nothing changed then. */
  take(text: string): string | undefined {
    if (this.#included.size >= MAX_TRANSACTIONS)
      return `a block has at most ${MAX_TRANSACTIONS} transactions`;
    const transaction = this.#place.commands.read(text);
    if (transaction === undefined) return 'this is no transaction';
    const { key } = transaction;
    if (this.#included.has(key) || this.#place.state.isIncluded(key))
      return 'Transaction already exists on chain';
    const txId = txIdOf(this.#place.parent.height + 1, this.#included.size + 1);
    if (transaction.kind === 'command') return this.#execute(transaction.command, text, txId);
    this.#included.set(key, { text, output: inertOutput(key, txId) });
    return undefined;
  }

  #execute(command: Command, text: string, txId: number): string | undefined {
    if (command.text !== text) return 'the transaction is not written as transactions are in blocks';
    const broken = brokenAt(command, this.#at, this.#place.state);
    if (broken !== undefined) return broken;
    const { miner } = this.#place;
    const payee = {
      account: miner.account,
      credit: (draft: Draft, units: bigint) => creditMiner(draft, miner, units),
    };
    const done = execute(command, this.#draft, payee, txId);
    if (typeof done === 'string') return `Attempt to buy gas failed with: ${done}`;
    this.#draft.take(done.draft);
    this.#gasLeft -= done.outcome.gas;
    this.#included.set(command.hash, { text, output: outputJson(done.outcome) });
    return undefined;
  }

  payload(): Payload {
    const { parent, miner } = this.#place;
    return makePayload({
      parent: blockHashBytes(parent.hash),
      height: parent.height + 1,
      miner,
      transactions: [...this.#included.values()],
      coinbase: this.#coinbase,
    });
  }

  /** What the block changes. */
  writes(): Write[] {
    const keys = [...this.#included.keys()].map((key, i) => ({ key: inclusionKey(key), value: String(i) }));
    return [...this.#draft.writes(), ...keys];
  }
}

/** Where the commands of a block stand. */
export function placeAt({
  network,
  parent,
  timeMicros,
  commands,
}: Omit<RunPlace, 'state' | 'miner' | 'coinbase'>): Place {
  return {
    network,
    chainId: parent.chainId,
    parentTime: secondsOf(parent.creationTime),
    time: secondsOf(timeMicros),
    commands,
  };
}

export function secondsOf(micros: bigint): number {
  return Number(micros) / 1e6;
}

function inertOutput(requestKey: string, txId: number): string {
  const result = { data: 'Transaction included' };
  return outputJson({ requestKey, gas: 0, result, events: [], txId, hasLogs: false });
}

/** Pays a miner. A miner's name need not be one that an account may have otherwise: the interface takes any. */
function creditMiner(draft: Draft, miner: Miner, units: bigint): string | undefined {
  const guard = guardOf(miner.predicate, miner['public-keys']);
  const { account: name } = miner;
  const known = draft.account(name);
  if (known && !isSameGuard(known.guard, guard))
    return `the account ${name} has another guard than this miner`;
  if (!known && isPrincipal(name) && principalOf(guard) !== name)
    return `the name ${name} is not that of the miner's keys, which is ${principalOf(guard)}`;
  draft.set(name, { balance: (known?.balance ?? 0n) + units, guard });
  return undefined;
}
