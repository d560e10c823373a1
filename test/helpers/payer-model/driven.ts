/**
 * The payer of the model, done by the ledger itself on a real PostgreSQL: blocks are applied by what follows chains, and the payer's steps are those
 * of whoever holds its role. Chains, nodes and signers stay simulated. What people do where a block was passed without its payload is done as the
 * sentences of the program tell them.
 */
import type pg from 'pg';
import {
  type OpenTransaction,
  type PayerRole,
  RoleLostError,
} from '../../../src/bridge/payouts/payer-books.js';
import { resumePayments } from '../../../src/ledger/payer/orders.js';
import { payerBooks } from '../../../src/ledger/payer/role.js';
import { START_MS } from '../books-model/world.js';
import { CHAINS, Chain, type ChainId, type Command, failed, type Takes, VALIDITY } from './chains.js';
import {
  BY,
  COIN,
  DrivenBooks,
  GAS,
  LEAST,
  type LeftOut,
  microsOf,
  NAMES,
  nameOf,
  PAYER,
  timeOf,
  UNIT_MICROS,
} from './driven-books.js';
import { setClock } from './kept-books.js';
import type { Payer, Shown } from './model.js';
import { Wrong } from './rules.js';

/** Longer than a holder of the role may be silent. */
const SILENCE_MS = 31_000;
/** Of {@link Driven.finish}. */
const MOST_ROUNDS = 80;

interface Machine {
  readonly place: string;
  isUp: boolean;
  role: PayerRole | undefined;
  hasSnapshot: boolean;
  lag: number;
}

interface Around {
  readonly pool: pg.Pool;
  readonly setTime: (nowMs: number) => Promise<void>;
}

type Steps = { [K in Exclude<keyof Payer, 'shown'>]: (...given: Parameters<Payer[K]>) => Promise<void> };

export class Driven implements Steps {
  readonly #pool: pg.Pool;
  readonly #setTime: Around['setTime'];
  readonly #sent = new Map<string, Command>();
  readonly #chains: Record<ChainId, Chain>;
  readonly #incomes: { account: number; amount: number }[] = [];
  readonly #machines: readonly Machine[];
  readonly #books: DrivenBooks;
  #numbers = 0;
  #nowMs = START_MS;
  #clockError = 0;
  #rolesLost = 0;

  private constructor({ pool, setTime }: Around, out: readonly LeftOut[]) {
    this.#pool = pool;
    this.#setTime = setTime;
    const chain = (id: ChainId): Chain => new Chain(id, this.#sent, () => ++this.#numbers);
    this.#chains = { 0: chain(0), 1: chain(1) };
    this.#machines = [0, 1].map((id) => ({
      ...{ place: `machine ${id}`, isUp: true, role: undefined, hasSnapshot: false, lag: 0 },
    }));
    this.#books = new DrivenBooks({
      ...{ pool, chains: this.#chains, sent: this.#sent, out, tick: () => this.#tick() },
      isHeld: () => this.#machines.some(({ role }) => role !== undefined),
    });
  }

  /** Once in books whose time is steered: what each history begins with. */
  static async prepare(around: Around): Promise<void> {
    await new Driven(around, []).#books.prepare();
  }

  /** @param out rules that do not hold. */
  static async begin(around: Around, out: readonly LeftOut[] = []): Promise<Driven> {
    const driven = new Driven(around, out);
    await driven.#books.begin();
    await driven.#setTime(driven.#nowMs);
    await driven.sync();
    return driven;
  }

  /** What happened, so often. */
  get counts(): Readonly<Record<string, number>> {
    return { rolesLost: this.#rolesLost, ...this.#books.counts };
  }

  async shown(): Promise<Shown> {
    return this.#books.shown();
  }

  // What happens to accounts and chains.

  async income(account: number, amount: number): Promise<void> {
    this.#incomes.push({ account, amount });
  }

  async learn(): Promise<void> {
    const income = this.#incomes[this.#books.incomes];
    if (income) await this.#books.learn(income);
  }

  async mine(
    chain: ChainId,
    seconds: number,
    takes: Takes,
    succeeded = true,
    isBlind = false,
  ): Promise<void> {
    this.#chains[chain].mine(seconds, takes, succeeded, isBlind);
    this.#payNobodyTwice();
  }

  async reorganise(chain: ChainId, depth: number, seconds: number, takes: Takes): Promise<void> {
    if (depth > this.#chains[chain].head.height - 2) return;
    this.#chains[chain].reorganise(depth, seconds, takes);
    this.#payNobodyTwice();
  }

  async pass(blocks: number, seconds: number, takes: Takes): Promise<void> {
    for (let i = 0; i < blocks; i++)
      for (const chain of CHAINS) {
        await this.mine(chain, seconds, i === 0 ? takes : 'nothing');
        await this.follow(chain);
      }
  }

  async follow(chain: ChainId): Promise<void> {
    await this.#books.follow(chain);
  }

  async undo(chain: ChainId): Promise<void> {
    await this.#books.undo(chain);
  }

  async skip(chain: ChainId): Promise<void> {
    await this.#books.skip(chain);
  }

  // The payer.

  async #tick(): Promise<void> {
    this.#nowMs += SILENCE_MS;
    await this.#setTime(this.#nowMs);
  }

  /** One that runs is heard of. */
  async take(index: number): Promise<void> {
    const machine = this.#machineAt(index);
    if (!machine.isUp) return;
    await this.#tick();
    for (const one of this.#machines) await this.#by(one, async (role) => void (await role.state()));
    if (machine.role) return;
    const clock = Math.max(...CHAINS.map((id) => this.#chains[id].head.time)) + this.#clockError;
    await setClock(this.#pool, microsOf(clock));
    const seen = CHAINS.map((id) => this.#chains[id].blocks.at(-1 - machine.lag)?.time ?? 0);
    machine.role = await payerBooks(this.#pool).take({
      ...{ place: machine.place, account: PAYER, validityMicros: BigInt(VALIDITY) * UNIT_MICROS },
      ...{ seenMicros: microsOf(Math.max(...seen)), isNewLedger: false, warning: '' },
    });
  }

  /** Where it holds the role, or believes so. */
  async #by(machine: Machine, act: (role: PayerRole) => Promise<void>): Promise<boolean> {
    const { role, isUp } = machine;
    if (!role || !isUp) return false;
    try {
      await act(role);
      return true;
    } catch (error) {
      if (!(error instanceof RoleLostError)) throw error;
      machine.role = undefined;
      this.#rolesLost++;
      return false;
    }
  }

  /** By who pays; and as it was planned before by somebody who did, where nobody does. */
  async plan(account: number, chain: ChainId): Promise<void> {
    const holder = this.#machines.find(({ role, isUp }) => role && isUp);
    const isPlanned =
      holder &&
      (await this.#by(holder, async (role) => {
        const due = (await role.due(LEAST)).find((one) => one.account === nameOf(account));
        if (!due) return;
        const line = { accountId: due.id, account: due.account, chainId: chain, amount: due.due };
        await role.plan({
          minimum: LEAST,
          lines: [line],
          approvals: 0,
          approvalWhy: '',
          waitingWhy: '',
        });
      }));
    if (!isPlanned) await this.#books.planBefore(account, chain);
  }

  async build(index: number): Promise<void> {
    const machine = this.#machineAt(index);
    if (!machine.role) return;
    await this.#books.look();
    await this.#by(machine, async (role) => {
      const { isReady, pauses, lines, chains } = await role.state();
      const some = lines.filter(({ chainId }) => chains.includes(chainId));
      if (!isReady || pauses.length > 0 || some.length === 0) return;
      await role.build(
        some.map(({ id: lineId, attempt, chainId }) => {
          const requestKey = `key ${++this.#numbers}`;
          const until = this.#chains[chainId as ChainId].head.time + VALIDITY;
          const untilMicros = microsOf(until);
          return { lineId, attempt, requestKey, cmd: requestKey, untilMicros, gas: GAS };
        }),
      );
    });
  }

  async sign(index: number, dies = false): Promise<void> {
    await this.#by(this.#machineAt(index), async (role) => {
      const some = await openOf(role, ({ isSigned }) => !isSigned);
      if (some.length === 0 || !(await role.asking(some.map(({ id }) => id)))) return;
      if (dies) return this.crash(index);
      await role.keepSignatures(
        some.map(({ id }) => ({ id, signatures: [{ pubKey: 'a', sig: 'b' }], isSigned: true })),
      );
    });
  }

  async send(index: number): Promise<void> {
    await this.#by(this.#machineAt(index), async (role) => {
      const some = await openOf(role, ({ isSigned, isSent }) => isSigned && !isSent);
      if (some.length === 0 || !(await role.sending(some.map(({ id }) => id)))) return;
      for (const { requestKey: key, lineId: line, attempt, account, amount, chainId, untilMicros } of some)
        this.#sent.set(key, {
          ...{ key, line, attempt, account: NAMES.indexOf(account), amount: Number(amount / COIN) },
          ...{ chain: chainId as ChainId, until: timeOf(untilMicros) },
        });
    });
  }

  async pay(index: number, chain: ChainId): Promise<void> {
    for (const account of NAMES.keys()) await this.plan(account, chain);
    await this.build(index);
    await this.sign(index);
    await this.send(index);
  }

  // Faults and people.

  async crash(index: number): Promise<void> {
    const machine = this.#machineAt(index);
    machine.isUp = false;
    machine.role = undefined;
  }

  async start(index: number): Promise<void> {
    this.#machineAt(index).isUp = true;
  }

  async sync(): Promise<void> {
    await this.#books.keep('standby');
  }

  async promote(): Promise<void> {
    await this.#books.put('standby');
  }

  async dump(): Promise<void> {
    await this.#books.keep('dump');
  }

  async restore(): Promise<void> {
    if (!this.#books.hasCopy('dump')) return;
    for (const index of this.#machines.keys()) await this.crash(index);
    await this.#books.put('dump');
  }

  async snapshot(index: number): Promise<void> {
    this.#machineAt(index).hasSnapshot = true;
  }

  /** The signer's log with it, of which the ledger knows nothing. */
  async goBack(index: number): Promise<void> {
    if (this.#machineAt(index).hasSnapshot) await this.crash(index);
  }

  async lag(index: number, blocks: number): Promise<void> {
    this.#machineAt(index).lag = blocks;
  }

  async clock(error: number): Promise<void> {
    this.#clockError = -error;
  }

  async resume(): Promise<void> {
    await this.#books.refuseFalsePause();
    await resumePayments(this.#pool, BY);
  }

  async finish(): Promise<void> {
    this.#clockError = 0;
    for (const machine of this.#machines) machine.lag = 0;
    await this.resume();
    await this.crash(1);
    await this.start(0);
    for (let round = 0; round < MOST_ROUNDS && !(await this.#isOver()); round++) {
      await this.take(0);
      while (this.#books.incomes < this.#incomes.length) await this.learn();
      for (const chain of CHAINS) {
        await this.follow(chain);
        await this.skip(chain);
        if (!(await this.#books.undo(chain)))
          throw new Wrong('books differ', `chain ${chain} cannot be undone`);
      }
      await this.pay(0, 0);
      for (const chain of CHAINS) await this.mine(chain, 1, 'all');
      await this.resume();
    }
    await this.#expectPaid();
  }

  async #isOver(): Promise<boolean> {
    return this.#books.incomes === this.#incomes.length && this.#books.isOver();
  }

  async #expectPaid(): Promise<void> {
    const { balances } = await this.shown();
    for (const account of NAMES.keys()) {
      const owed = this.#owedTo(account);
      const paid = this.#paidTo(account, (chain) => this.#books.cursor(chain).height);
      const words = `account ${account} earned ${owed}, was paid ${paid}, and has ${balances[account]}`;
      if (paid !== owed) throw new Wrong('not paid', words);
      if (balances[account] !== 0) throw new Wrong('books differ', words);
    }
  }

  #payNobodyTwice(): void {
    for (const account of NAMES.keys()) {
      const [owed, paid] = [this.#owedTo(account), this.#paidTo(account, () => Infinity)];
      if (paid > owed)
        throw new Wrong('paid twice', `account ${account} earned ${owed} and was paid ${paid}`);
    }
  }

  #owedTo(account: number): number {
    return sumOf(this.#incomes.filter((one) => one.account === account));
  }

  #paidTo(account: number, upTo: (chain: ChainId) => number): number {
    const keys = CHAINS.flatMap((chain) => this.#chains[chain].paid(upTo(chain)));
    return sumOf(keys.flatMap((key) => this.#sent.get(key) ?? []).filter((one) => one.account === account));
  }

  #machineAt(index: number): Machine {
    return this.#machines[index] ?? failed(`no machine ${index}`);
  }
}

/** Nothing of what is paused is looked at. */
async function openOf(
  role: PayerRole,
  isMeant: (one: OpenTransaction) => boolean,
): Promise<readonly OpenTransaction[]> {
  const { open, pauses } = await role.state();
  return pauses.length > 0 ? [] : open.filter(isMeant);
}

const sumOf = (some: readonly { readonly amount: number }[]): number =>
  some.reduce((sum, { amount }) => sum + amount, 0);
