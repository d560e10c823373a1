/** What rigs and CPU have in common: one judge, one space of nonces, one count of sessions. */
import { createJudge } from '../../bridge/judge.js';
import type { Clock, Judge } from '../../bridge/ports.js';
import { NonceSpace } from '../../core/nonce.js';
import type { Books } from '../books/books.js';
import type { Chains } from '../chains/chains.js';
import type { Jobs } from '../chains/jobs.js';
import { STEADY_CLOCK } from '../clocks.js';

export interface Mining {
  readonly judge: Judge;
  readonly nonces: NonceSpace;
  readonly clock: Clock;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
}

/** A released nonce1 rests for as long as a job may live: nodes forget a work 330 s after they last handed it out. */
const NONCE1_QUARANTINE_MS = 330_000;

export function miningOf({ book }: Jobs, { shares, clock }: Books, { sender }: Chains): Mining {
  let sessions = 0;
  return {
    judge: createJudge({ book, shares, sendSolution: (each) => sender.send(each), clock }),
    nonces: new NonceSpace(NONCE1_QUARANTINE_MS),
    clock: STEADY_CLOCK,
    nextSessionId: () => ++sessions,
  };
}
