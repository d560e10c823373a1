/** A rig that mines a little all the time at a real bridge: it goes where it is asked to, comes back when it is cut off, and counts. */
import { setTimeout as pause } from 'node:timers/promises';
import { search, WanderingRig } from './wandering-rig.js';

const EVERY_MS = 100;
const AGAIN_MS = 200;
/** Far beyond the next share at some thousand hashes each: none is found twice, as rigs that submit the same again are banned. */
const FAR = 100_000;

export class SteadyRig implements AsyncDisposable {
  readonly #rig: WanderingRig;
  readonly #ended: Promise<void>;
  #isOver = false;
  #from = 0;
  /** Answered `true`. */
  accepted = 0;
  /** Under way when its connection ended. */
  unanswered = 0;
  /** Connections that were refused. */
  refused = 0;
  /** It was asked to go, and went. */
  moved = 0;
  /** It was cut off. */
  cut = 0;
  /** Why it could not come the last time. */
  kept = '';

  constructor(port: number, login: string, agent?: string) {
    this.#rig = new WanderingRig(port, login, agent);
    this.#ended = this.#run();
  }

  /** What became of it, for a test that waits for it in vain. */
  get story(): string {
    const { accepted, unanswered, refused, moved, cut, kept } = this;
    return `${JSON.stringify({ accepted, unanswered, refused, moved, cut, kept })} ${this.#rig.closed ? 'away' : 'connected'}`;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
    this.#rig.leave();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#rig.come();
      } catch (error) {
        this.kept = String(error);
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') this.refused++;
        await pause(AGAIN_MS);
        continue;
      }
      await this.#mine();
    }
  }

  async #mine(): Promise<void> {
    while (!this.#isOver) {
      if (this.#rig.isAskedToGo) {
        this.moved++;
        this.#rig.leave();
        return;
      }
      if (this.#rig.closed) {
        this.cut++;
        return;
      }
      const job = this.#rig.newest;
      this.#from += FAR;
      const nonce2 = search(job, this.#from);
      // Whose connection ends meanwhile has no answer.
      const answer = await this.#rig.submit(job, nonce2).catch(() => undefined);
      if (answer === true) this.accepted++;
      if (answer === undefined) this.unanswered++;
      await pause(EVERY_MS);
    }
  }
}
