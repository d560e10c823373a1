/** What one that mines here holds towards the bridge: a session, and a nonce1 where it searches a part of its own. */
import type { SessionInfo } from '../bridge/events.js';
import { verdictOn } from '../bridge/judge.js';
import type { Job } from '../core/jobs/job.js';
import type { Nonce1, Nonce2 } from '../core/jobs/nonce.js';
import { spentOn, type Verdict } from '../core/shares/share.js';
import type { Target } from '../core/work/target.js';
import type { CpuOptions } from './options.js';

export class CpuSession {
  readonly #options: CpuOptions;
  readonly #rig: string;
  readonly #peer: string;
  readonly #agent: string;
  #info: SessionInfo;
  #nonce1: Nonce1 | undefined;

  /** @param peer the thread's name, or what else stands for an address. @param agent what hashes. */
  constructor(options: CpuOptions, rig: string, peer: string, agent: string) {
    this.#options = options;
    this.#rig = rig;
    this.#peer = peer;
    this.#agent = agent;
    this.#info = this.#open();
  }

  /** Leased when it is first asked for; `undefined` while none is free. */
  get nonce1(): Nonce1 | undefined {
    const { nonces, clock, log } = this.#options;
    this.#nonce1 ??= nonces.lease(clock.nowMs());
    if (this.#nonce1 === undefined)
      log.warn({ peer: this.#peer }, 'no nonce1 is free: the thread waits for the next job');
    return this.#nonce1;
  }

  /** Has a nonce judged, as that of any rig. */
  async submit(job: Job, shareTarget: Target, nonce1: Nonce1, nonce2: Nonce2): Promise<Verdict> {
    const { account, judge, events } = this.#options;
    const rig = this.#rig;
    const shareTargetOf = (): Target => shareTarget;
    const verdict = await verdictOn(judge, { jobId: job.id, nonce1, nonce2, account, rig, shareTargetOf });
    const common = { session: this.#info, account, rig, jobId: job.id, spent: spentOn(verdict) };
    if (verdict.accepted) {
      const { share, reached } = verdict;
      const { difficulty } = share;
      events.emit('submit', { ...common, outcome: 'accepted', detail: '', difficulty, reached });
    } else {
      const { reason: outcome, detail, claimed } = verdict;
      events.emit('submit', { ...common, outcome, detail, claimed });
    }
    return verdict;
  }

  /** Gives everything up and starts anew: nothing of the range may be searched by another. */
  renew(reason: string): void {
    this.close(reason);
    this.#info = this.#open();
  }

  close(reason: string): void {
    const { nonces, clock, events } = this.#options;
    if (this.#nonce1 !== undefined) nonces.release(this.#nonce1, clock.nowMs());
    this.#nonce1 = undefined;
    events.emit('sessionClosed', this.#info, reason);
  }

  #open(): SessionInfo {
    const { events, account, nextSessionId } = this.#options;
    const session: SessionInfo = { id: nextSessionId(), transport: 'cpu', peer: this.#peer };
    events.emit('sessionOpened', session);
    events.emit('sessionAuthorized', session, account, this.#rig, this.#agent);
    return session;
  }
}
