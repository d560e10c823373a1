/**
 * Which payment goes out on which chain. Pure: the same input gives the same plan.
 *
 * Who wished for a chain is served first, the oldest first, on that chain or not now. Then the largest goes to the fullest chain.
 * One that is larger than any chain has is split into parts, each at least the minimum, or waits; it is never paid in part.
 */
import { type Amount, amountLiteral } from '../../core/money/amount.js';
import { atOnce } from '../turns.js';

export interface PaymentDue {
  readonly id: string;
  readonly account: string;
  readonly amount: Amount;
  readonly wishedChain?: number | undefined;
  /** Of a part, where it is split: the account's own, or that of all. */
  readonly minimum: Amount;
}

export interface ChainFunds {
  readonly chainId: number;
  /** Without what is under way and its gas, and without the reserve. */
  readonly available: Amount;
}

export interface PlanInput {
  /** The oldest first. */
  readonly payments: readonly PaymentDue[];
  /** Those on which something is paid now. */
  readonly chains: readonly ChainFunds[];
  /** That the gas of one transfer may cost: limit times price. */
  readonly gas: Amount;
  readonly split: boolean;
}

interface PlannedLine {
  readonly id: string;
  readonly account: string;
  readonly chainId: number;
  readonly amount: Amount;
  /** From 1 on, of so many. */
  readonly part: number;
  readonly parts: number;
}

interface WaitingPayment {
  readonly id: string;
  readonly account: string;
  readonly amount: Amount;
  /** A sentence. */
  readonly why: string;
}

export interface Plan {
  /** In the order in which they were planned. */
  readonly lines: readonly PlannedLine[];
  readonly waiting: readonly WaitingPayment[];
}

export function planPayments(input: PlanInput): Plan {
  return atOnce(planSteps(input));
}

/** To place one takes some microseconds. */
const AT_A_TIME = 500;

/** The same, and yields now and then. */
export function* planSteps({ payments, chains, gas, split }: PlanInput): Generator<undefined, Plan> {
  const left = new Funds(chains);
  const lines: PlannedLine[] = [];
  const waiting: WaitingPayment[] = [];
  const wait = ({ id, account, amount }: PaymentDue, why: string): void =>
    void waiting.push({ id, account, amount, why });
  const put = ({ id, account }: PaymentDue, parts: readonly Part[]): void => {
    for (const [i, { chainId, amount }] of parts.entries()) {
      left.take(chainId, amount + gas);
      lines.push({ id, account, chainId, amount, part: i + 1, parts: parts.length });
    }
  };
  for (const [i, payment] of inOrder(payments).entries()) {
    if (i % AT_A_TIME === 0) yield;
    const placed = placesOf(payment, left, gas, split);
    if (typeof placed === 'string') wait(payment, placed);
    else put(payment, placed);
  }
  return { lines, waiting };
}

interface Part {
  readonly chainId: number;
  readonly amount: Amount;
}

/** Wishes in the order in which they came, the others by size. */
function inOrder(payments: readonly PaymentDue[]): PaymentDue[] {
  const wished = payments.filter(({ wishedChain }) => wishedChain !== undefined);
  const others = payments.filter(({ wishedChain }) => wishedChain === undefined);
  // Sorting is stable: of the same size the oldest comes first.
  others.sort((a, b) => (a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : 0));
  return [...wished, ...others];
}

/** Where it goes, or why it waits. */
function placesOf(
  { amount, wishedChain, minimum }: PaymentDue,
  left: Funds,
  gas: Amount,
  split: boolean,
): readonly Part[] | string {
  if (amount <= 0n) return 'nothing is due';
  if (wishedChain !== undefined) {
    const has = left.of(wishedChain);
    if (has === undefined) return `nothing is paid on chain ${wishedChain} now, and it is wished for there`;
    if (has >= amount + gas) return [{ chainId: wishedChain, amount }];
    return `chain ${wishedChain}, where it is wished for, has ${amountLiteral(has)} to spend, and with its gas it takes ${amountLiteral(amount + gas)}`;
  }
  const { fullest } = left;
  if (fullest === undefined) return 'nothing is paid on any chain now';
  if (fullest.amount >= amount + gas) return [{ chainId: fullest.chainId, amount }];
  if (!split)
    return `no chain has ${amountLiteral(amount + gas)} to spend (the most: ${amountLiteral(fullest.amount)} on chain ${fullest.chainId}), and it is not split`;
  return partsOf(amount, left.fullestFirst, gas, minimum > 0n ? minimum : 1n);
}

/** What is left on each chain. Of the same funds the lowest number comes first. */
class Funds {
  readonly #left: Map<number, Amount>;
  /** For as long as nothing is taken: where coins are at an end, thousands ask for it. */
  #sorted: readonly Part[] | undefined;

  constructor(chains: readonly ChainFunds[]) {
    this.#left = new Map(chains.map(({ chainId, available }) => [chainId, available]));
  }

  of(chainId: number): Amount | undefined {
    return this.#left.get(chainId);
  }

  take(chainId: number, amount: Amount): void {
    this.#left.set(chainId, (this.#left.get(chainId) ?? 0n) - amount);
    this.#sorted = undefined;
  }

  get fullestFirst(): readonly Part[] {
    this.#sorted ??= Array.from(this.#left, ([chainId, amount]) => ({ chainId, amount })).sort(byFunds);
    return this.#sorted;
  }

  /** Mostly it has enough, and nobody asks for the others: to sort them for each of 10,000 payments takes a tenth of a second. */
  get fullest(): Part | undefined {
    if (this.#sorted) return this.#sorted[0];
    let fullest: Part | undefined;
    for (const [chainId, amount] of this.#left) {
      const part = { chainId, amount };
      if (fullest === undefined || byFunds(part, fullest) < 0) fullest = part;
    }
    return fullest;
  }
}

function byFunds(a: Part, b: Part): number {
  return a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : a.chainId - b.chainId;
}

/** On as few chains as can be. */
function partsOf(
  amount: Amount,
  chains: readonly Part[],
  gas: Amount,
  minimum: Amount,
): readonly Part[] | string {
  const room = chains
    .map(({ chainId, amount: funds }) => ({ chainId, amount: funds - gas }))
    .filter((chain) => chain.amount >= minimum);
  const parts: Part[] = [];
  let rest = amount;
  for (const chain of room) {
    if (rest === 0n) break;
    const part = chain.amount < rest ? chain.amount : rest;
    parts.push({ chainId: chain.chainId, amount: part });
    rest -= part;
  }
  if (rest > 0n)
    return `all chains together have ${amountLiteral(amount - rest)} to spend in parts of at least ${amountLiteral(minimum)}, and it takes ${amountLiteral(amount)}`;
  if (amount < BigInt(parts.length) * minimum)
    return `it would take ${parts.length} parts, of which one is below the minimum of ${amountLiteral(minimum)}`;
  return levelled(parts, minimum);
}

/** The last part may be small: those before it give it what it lacks, each as much as leaves it the minimum. */
function levelled(parts: readonly Part[], minimum: Amount): readonly Part[] {
  const level = [...parts];
  const last = level.pop();
  if (last === undefined) return parts;
  let lacks = last.amount < minimum ? minimum - last.amount : 0n;
  const grown = { ...last, amount: last.amount + lacks };
  for (let i = level.length - 1; i >= 0 && lacks > 0n; i--) {
    const part = level[i] as Part;
    const spare = part.amount - minimum;
    const given = spare < lacks ? spare : lacks;
    level[i] = { ...part, amount: part.amount - given };
    lacks -= given;
  }
  return [...level, grown];
}
