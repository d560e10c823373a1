/** A rig that mines beside whatever else happens, and is to notice nothing of it. */
import { type Nonce1, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { targetOf } from '../../../src/core/work/target.js';
import type { WireOptions, WireRig, WireTransport } from '../rigs/wire-rig.js';
import { mine, type TestBridge } from '../stories/stratum-bridge.js';
import { until } from '../until.js';

const SHARE_TARGET = targetOf(4n);
/** A long run keeps few, and a short one forgets some too. */
const KEPT_LINES = 20;

export class GoodRig {
  accepted = 0;
  readonly #bridge: TestBridge;
  readonly #wire: WireRig;
  readonly #login: string;
  readonly #nonce1: Nonce1;
  #requests = 10;
  #tried = 0;

  private constructor(bridge: TestBridge, wire: WireRig, login: string, nonce1: Nonce1) {
    this.#bridge = bridge;
    this.#wire = wire;
    this.#login = login;
    this.#nonce1 = nonce1;
  }

  static async connect(
    bridge: TestBridge,
    transport: WireTransport,
    login: string,
    options: WireOptions,
  ): Promise<GoodRig> {
    const wire = await bridge.connect(transport, options);
    const { result } = await wire.request(1, 'mining.subscribe', ['good/1', null]);
    await wire.request(2, 'mining.authorize', [login, 'x']);
    const nonce1 = nonce1FromHex(String((result as unknown[])[1]));
    if (nonce1 === undefined) throw new Error('a good rig has no nonce1');
    return new GoodRig(bridge, wire, login, nonce1);
  }

  get closed(): boolean {
    return this.#wire.closed;
  }

  /** Finds a share of the newest job that it was sent. Rejects when the bridge does not take it. */
  async mineOne(): Promise<void> {
    const job = await until(`a live job for ${this.#login}`, () => this.#liveJob() ?? this.#wire.closed);
    if (job === true) throw new Error(`a good rig lost its session: ${this.#bridge.closings.slice(-3)}`);
    const nonce2 = mine(job, this.#nonce1, SHARE_TARGET, true, this.#tried);
    this.#tried = Number.parseInt(nonce2, 16) + 1;
    const { result, error } = await this.#wire.request(++this.#requests, 'mining.submit', [
      this.#login,
      job.id,
      nonce2,
    ]);
    if (result !== true) throw new Error(`a good share was refused: ${JSON.stringify(error)}`);
    this.accepted++;
    this.#wire.keepLast(KEPT_LINES);
  }

  leave(): void {
    this.#wire.close();
  }

  #liveJob() {
    const id = this.#wire.notices('mining.notify').at(-1)?.params?.[0];
    const found = this.#bridge.book.find(String(id));
    return found.state === 'live' ? found.job : undefined;
  }
}
