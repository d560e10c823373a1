/**
 * Why nothing is paid twice: the whole rule of design.md 7, with two chains, two accounts, and a payer on each of two machines of which one pays.
 * What is a rule stands in {@link RULES}, and can be taken out. Not in it: what a signer refuses, limits, two live
 * copies of one ledger; and two attempts of one line that a reorganisation of what was believed both includes, which nobody can prevent.
 */
import { Books, type Ledger, type Signer, STRANGER, sumOf } from './books.js';
import { CHAINS, Chain, type ChainId, type Command, failed, type Takes, VALIDITY } from './chains.js';
import { type Rule, Wrong } from './rules.js';

interface Machine {
  isUp: boolean;
  /** That it last wrote; `undefined`: it does not hold the role. */
  token: string | undefined;
  signer: Signer;
  snapshot: Signer | undefined;
  /** Its node is so many blocks behind. */
  lag: number;
}

const ACCOUNTS = [0, 1];

/** What can be compared with another payer. */
export interface Shown {
  readonly balances: readonly number[];
  readonly transactions: readonly (Pick<Command, 'account' | 'amount' | 'chain' | 'until'> & {
    readonly state: string;
    readonly isSigned: boolean;
    readonly isSent: boolean;
  })[];
}

export class Payer {
  readonly #sent = new Map<string, Command>();
  readonly #chains: Record<ChainId, Chain>;
  readonly #incomes: { account: number; amount: number }[] = [];
  readonly #machines: readonly Machine[];
  readonly #books: Books;
  #standby: Ledger;
  #dump: Ledger | undefined;
  #clockError = 0;
  #numbers = 0;

  /** @param out rules that do not hold. */
  constructor(out: readonly Rule[] = []) {
    const chain = (id: ChainId): Chain => new Chain(id, this.#sent, () => ++this.#numbers);
    this.#chains = { 0: chain(0), 1: chain(1) };
    this.#machines = [0, 1].map((id) => ({
      ...{ isUp: true, token: undefined, snapshot: undefined, lag: 0 },
      signer: { id, signatures: 0 },
    }));
    this.#books = new Books({
      ...{ chains: this.#chains, sent: this.#sent, out },
      nextNumber: () => ++this.#numbers,
      isHeld: () => this.#machines.some((machine) => this.#isHolder(machine)),
    });
    this.#standby = structuredClone(this.#books.ledger);
  }

  // What happens to accounts and chains.

  income(account: number, amount: number): void {
    this.#incomes.push({ account, amount });
  }

  /** The ledger hears of an income. */
  learn(): void {
    const income = this.#incomes[this.#books.ledger.incomes];
    if (!income) return;
    this.#books.ledger.incomes++;
    this.#books.move(income.account, income.amount);
  }

  mine(chain: ChainId, seconds: number, takes: Takes, succeeded = true, isBlind = false): void {
    this.#chains[chain].mine(seconds, takes, succeeded, isBlind);
    this.#payNobodyTwice();
  }

  reorganise(chain: ChainId, depth: number, seconds: number, takes: Takes): void {
    if (depth > this.#chains[chain].head.height - 2) return;
    this.#chains[chain].reorganise(depth, seconds, takes);
    this.#payNobodyTwice();
  }

  /** Blocks on both chains, which the ledger follows. */
  pass(blocks: number, seconds: number, takes: Takes): void {
    for (let i = 0; i < blocks; i++)
      for (const chain of CHAINS) {
        this.mine(chain, seconds, i === 0 ? takes : 'nothing');
        this.#books.follow(chain);
      }
  }

  follow(chain: ChainId): void {
    this.#books.follow(chain);
  }

  undo(chain: ChainId): void {
    this.#books.undo(chain);
  }

  skip(chain: ChainId): void {
    this.#books.skip(chain);
  }

  // The payer.

  take(index: number): void {
    const machine = this.#machineAt(index);
    const other = this.#machineAt(1 - index);
    if (!machine.isUp || this.#isHolder(machine) || this.#isHolder(other)) return;
    const { role } = this.#books.ledger;
    const isKnown =
      role.signer.id === machine.signer.id && role.signer.signatures === machine.signer.signatures;
    machine.token = this.#write();
    role.signer = structuredClone(machine.signer);
    role.stranger = undefined;
    role.isReady = isKnown && role.isReady && !this.#books.holds('alwaysWaits');
    if (!role.isReady) role.wait = this.#timeOfTaking(machine) + VALIDITY;
  }

  #timeOfTaking({ lag }: Machine): number {
    const clock = Math.max(...CHAINS.map((id) => this.#chains[id].head.time)) + this.#clockError;
    const seen = CHAINS.map((id) => this.#chains[id].blocks.at(-1 - lag)?.time ?? 0);
    return this.#books.holds('takesLater') ? Math.max(clock, ...seen) : clock;
  }

  #isHolder({ isUp, token }: Machine): boolean {
    return (
      isUp &&
      token !== undefined &&
      (token === this.#books.ledger.role.token || !this.#books.holds('comparesToken'))
    );
  }

  /** A commit of the holder. */
  #commit(machine: Machine): boolean {
    const { role } = this.#books.ledger;
    if (!this.#isHolder(machine)) return false;
    if (role.stranger !== undefined) {
      this.#books.ledger.paused = STRANGER;
      return false;
    }
    machine.token = this.#write();
    return true;
  }

  #write(): string {
    const token = `token ${++this.#numbers}`;
    this.#books.ledger.role.token = token;
    return token;
  }

  plan(account: number, chain: ChainId): void {
    const amount = (this.#books.ledger.balances[account] ?? 0) - this.#books.claimsOf(account);
    if (amount > 0)
      this.#books.ledger.lines[`line ${++this.#numbers}`] = { account, amount, chain, isOpen: true };
  }

  build(index: number): void {
    const machine = this.#machineAt(index);
    const { ledger } = this.#books;
    for (const [name, line] of Object.entries(ledger.lines)) {
      const { account, amount, chain } = line;
      if (!line.isOpen || this.#books.liveOf(name) || !this.#isHolder(machine) || !this.#mayBuildOn(chain))
        continue;
      if (this.#books.holds('covers') && (ledger.balances[account] ?? 0) < this.#books.claimsOf(account)) {
        // Withdrawn, and planned anew.
        line.isOpen = false;
        continue;
      }
      if (!this.#commit(machine)) continue;
      const until = this.#chains[chain].head.time + VALIDITY;
      const key = `key ${++this.#numbers}`;
      const command = { key, line: name, account, amount, chain, until };
      ledger.transactions[key] = this.#books.transactionOf(command, false);
    }
  }

  #mayBuildOn(chain: ChainId): boolean {
    if (this.#books.ledger.paused !== undefined || !this.#books.isWaitOver(chain)) return false;
    return !this.#books.holds('standsStill') || this.#books.isOnCourse(chain);
  }

  /** @param dies right after the signer has signed. */
  sign(index: number, dies = false): void {
    const machine = this.#machineAt(index);
    for (const transaction of this.#books.open().filter(({ isSigned }) => !isSigned)) {
      if (this.#books.ledger.paused !== undefined || !this.#commit(machine)) return;
      machine.signer.signatures++;
      if (dies) {
        this.crash(index);
        return;
      }
      transaction.isSigned = true;
      this.#books.ledger.role.signer = structuredClone(machine.signer);
    }
  }

  send(index: number): void {
    const machine = this.#machineAt(index);
    for (const transaction of this.#books.open().filter(({ isSigned, isSent }) => isSigned && !isSent)) {
      if (this.#books.ledger.paused !== undefined || !this.#commit(machine)) return;
      transaction.isSent = true;
      const { key, line, account, amount, chain, until } = transaction;
      this.#sent.set(key, { key, line, account, amount, chain, until });
    }
  }

  pay(index: number, chain: ChainId): void {
    for (const account of ACCOUNTS) this.plan(account, chain);
    this.build(index);
    this.sign(index);
    this.send(index);
  }

  // Faults and people.

  crash(index: number): void {
    const machine = this.#machineAt(index);
    machine.isUp = false;
    machine.token = undefined;
  }

  start(index: number): void {
    this.#machineAt(index).isUp = true;
  }

  /** The standby has heard of all up to now. */
  sync(): void {
    this.#standby = structuredClone(this.#books.ledger);
  }

  promote(): void {
    this.#books.ledger = structuredClone(this.#standby);
  }

  dump(): void {
    this.#dump = structuredClone(this.#books.ledger);
  }

  restore(): void {
    if (!this.#dump) return;
    for (const index of this.#machines.keys()) this.crash(index);
    this.#books.ledger = structuredClone(this.#dump);
  }

  snapshot(index: number): void {
    const machine = this.#machineAt(index);
    machine.snapshot = structuredClone(machine.signer);
  }

  /** The whole machine goes back. */
  goBack(index: number): void {
    const machine = this.#machineAt(index);
    if (!machine.snapshot) return;
    this.crash(index);
    machine.signer = structuredClone(machine.snapshot);
  }

  lag(index: number, blocks: number): void {
    this.#machineAt(index).lag = blocks;
  }

  /** Of the ledger's clock, which may be slow. */
  clock(error: number): void {
    this.#clockError = -error;
  }

  resume(): void {
    this.#books.ledger.paused = undefined;
  }

  /** All is well from now on: each account gets what it earned, once. */
  finish(): void {
    this.#clockError = 0;
    for (const machine of this.#machines) machine.lag = 0;
    this.#refuseFalsePause();
    this.resume();
    this.crash(1);
    this.start(0);
    for (let round = 0; round < 60; round++) {
      this.take(0);
      while (this.#books.ledger.incomes < this.#incomes.length) this.learn();
      for (const chain of CHAINS) {
        this.#books.follow(chain);
        this.#books.skip(chain);
        if (!this.#books.undo(chain)) throw new Wrong('books differ', `chain ${chain} cannot be undone`);
      }
      this.pay(0, 0);
      for (const chain of CHAINS) this.mine(chain, 1, 'all');
      this.#refuseFalsePause();
      this.resume();
    }
    for (const account of ACCOUNTS) this.#expectPaid(account);
  }

  shown(): Shown {
    const { balances, transactions } = this.#books.ledger;
    return {
      balances: [...balances],
      transactions: Object.values(transactions).map(
        ({ account, amount, chain, until, state, isSigned, isSent }) => {
          return { account, amount, chain, until, state, isSigned, isSent };
        },
      ),
    };
  }

  /** Each machine here is of this pool. */
  #refuseFalsePause(): void {
    if (this.#books.ledger.paused === STRANGER)
      throw new Wrong('paused for nothing', 'nobody else has the key');
  }

  #expectPaid(account: number): void {
    const owed = this.#owedTo(account);
    const paid = this.#paidTo(account, (chain) => this.#books.ledger.cursors[chain]?.height ?? 0);
    const balance = this.#books.ledger.balances[account];
    const words = `account ${account} earned ${owed}, was paid ${paid}, and has ${balance}`;
    if (paid !== owed) throw new Wrong('not paid', words);
    if (balance !== 0) throw new Wrong('books differ', words);
  }

  #payNobodyTwice(): void {
    for (const account of ACCOUNTS) {
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
