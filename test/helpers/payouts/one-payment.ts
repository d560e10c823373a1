/** One payment as its payer would follow it, in memory: what the verdicts make of it. */
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import type { Eyes, SendAnswer } from '../../../src/payouts/evidence/eyes.js';
import { type JudgedTransaction, judge, type Verdict } from '../../../src/payouts/evidence/judge.js';
import type { ChainSight } from '../../../src/payouts/evidence/sight.js';
import type { Envelope } from '../processes/commands.js';
import { keyPair } from '../processes/key-pair.js';
import { PAYER, type Paid, payment } from './world.js';

export const DEPTH = 3;
export const DEPTHS = { depth: DEPTH, final: 2 * DEPTH };

export class OnePayment {
  readonly eyes: Eyes;
  readonly chainId: number;
  readonly envelope: Envelope;
  tx: JudgedTransaction;
  /** Of the last look. */
  sight: ChainSight;

  private constructor(
    eyes: Eyes,
    chainId: number,
    envelope: Envelope,
    tx: JudgedTransaction,
    sight: ChainSight,
  ) {
    this.eyes = eyes;
    this.chainId = chainId;
    this.envelope = envelope;
    this.tx = tx;
    this.sight = sight;
  }

  /** Made on top of the head as it is seen now, of its time less half a minute. */
  static async make(eyes: Eyes, paid: Partial<Paid> = {}): Promise<OnePayment> {
    const { chainId = 0, ttlS = 900, amount = '1.5', from = PAYER, to = keyPair(9) } = paid;
    const sight = await eyes.look(chainId, Number.MAX_SAFE_INTEGER);
    if (!sight.head)
      throw new Error(`nothing is seen of chain ${chainId}: ${JSON.stringify(sight.troubles)}`);
    const creationTimeS = paid.creationTimeS ?? sight.head.timeS - 30;
    const envelope = payment({ ...paid, creationTimeS });
    const tx: JudgedTransaction = {
      requestKey: envelope.hash,
      cmd: envelope.cmd,
      line: { from: from.account, to: to.account, amount: parseAmount(amount) as Amount },
      ...{ creationTimeS, ttlS, state: 'sent' },
      birth: { height: sight.head.height, hash: sight.head.hash },
    };
    return new OnePayment(eyes, chainId, envelope, tx, sight);
  }

  /** The same as somebody sees it who knows no more than that it was sent. */
  seenBy(eyes: Eyes): OnePayment {
    const { includedAt: _, ...tx } = this.tx;
    return new OnePayment(eyes, this.chainId, this.envelope, { ...tx, state: 'sent' }, this.sight);
  }

  send(): Promise<readonly SendAnswer[]> {
    return this.eyes.send(this.chainId, this.envelope);
  }

  /** Looks and judges, further down where that is asked for, and takes over what was found. */
  async look(): Promise<Verdict> {
    let from = Math.min(this.tx.birth.height, this.tx.includedAt?.height ?? Number.MAX_SAFE_INTEGER);
    for (let tries = 0; tries < 20; tries++) {
      this.sight = await this.eyes.look(this.chainId, from);
      const verdict = judge(this.tx, this.sight, DEPTHS);
      this.#take(verdict);
      if (verdict.kind !== 'blind') return verdict;
      from = verdict.fromHeight;
    }
    return { kind: 'blind', fromHeight: from };
  }

  /** What it is called alone. */
  async kind(): Promise<string> {
    return (await this.look()).kind;
  }

  #take(verdict: Verdict): void {
    const { includedAt: _, ...tx } = this.tx;
    switch (verdict.kind) {
      case 'included':
      case 'confirmed':
      case 'refused':
        this.tx = { ...tx, state: verdict.kind, includedAt: verdict.place };
        break;
      case 'left':
        this.tx = { ...tx, state: 'sent' };
        break;
    }
  }
}
