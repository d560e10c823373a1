/** What rigs and CPU have in common: one judge, one space of nonces, one count of sessions. */
import { createJudge } from '../../bridge/judge.js';
import type { Clock, Judge, ShareLog } from '../../bridge/ports.js';
import type { SolutionSender } from '../../bridge/solution-sender.js';
import { NonceSpace } from '../../core/jobs/nonce.js';
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

/** What shares and solutions are handed to. */
interface Takers {
  readonly shares: ShareLog;
  /** That shares and solutions are written down with. */
  readonly clock: Clock;
  readonly sender: Pick<SolutionSender, 'send'>;
}

export function miningOf({ book }: Pick<Jobs, 'book'>, { shares, clock, sender }: Takers): Mining {
  let sessions = 0;
  return {
    judge: createJudge({ book, shares, sendSolution: (each) => sender.send(each), clock }),
    nonces: new NonceSpace(NONCE1_QUARANTINE_MS),
    clock: STEADY_CLOCK,
    nextSessionId: () => ++sessions,
  };
}
