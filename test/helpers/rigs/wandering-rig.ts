/** A rig of bare wires at a real bridge, that comes and goes. */
import { midstateOf } from '../../../src/core/bytes/blake2s.js';
import type { Job } from '../../../src/core/jobs/job.js';
import { type Nonce1, nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { type Header, tailOf } from '../../../src/core/work/header.js';
import { type Difficulty, targetFromHexBigEndian, targetOf } from '../../../src/core/work/target.js';
import { mine } from '../stories/stratum-bridge.js';
import { WireRig } from './wire-rig.js';

/** A job as a rig was given it. */
export interface Given {
  readonly jobId: string;
  readonly header: string;
  readonly target: string;
  readonly nonce1: Nonce1;
}

/** No block: a share alone is looked for. */
const NO_BLOCK = targetOf((1n << 250n) as Difficulty);

export class WanderingRig {
  readonly #port: number;
  readonly #agent: string;
  readonly login: string;
  #token = '';
  #wire: WireRig | undefined;
  #nonce1: Nonce1 | undefined;
  #submits = 0;

  constructor(port: number, login: string, agent = 'wandering/1') {
    this.#agent = agent;
    this.#port = port;
    this.login = login;
  }

  get closed(): boolean {
    return this.#wire?.closed ?? true;
  }

  /** By `client.reconnect`. */
  get isAskedToGo(): boolean {
    return (this.#wire?.notices('client.reconnect').length ?? 0) > 0;
  }

  /** Comes, with the token that it was given last, and is given a job. */
  async come(): Promise<Given> {
    const wire = await WireRig.connect('tcp', this.#port);
    this.#wire = wire;
    try {
      return await this.#begin(wire);
    } catch (error) {
      wire.vanish();
      throw error;
    }
  }

  async #begin(wire: WireRig): Promise<Given> {
    const { result } = await wire.request('s', 'mining.subscribe', [this.#agent, this.#token]);
    const [token, hex] = result as [string, string];
    this.#token = token;
    const { error } = await wire.request('a', 'mining.authorize', [this.login, 'x']);
    if (error) throw new Error(error[1]);
    await wire.until(({ method }) => method === 'mining.notify');
    this.#nonce1 = nonce1FromHex(hex) ?? fail('no nonce1');
    return this.newest;
  }

  /** The job that it was given last. */
  get newest(): Given {
    const wire = this.#wire ?? fail('it has not come');
    const [jobId = '', header = ''] = paramsOf(wire, 'mining.notify');
    const [target = ''] = paramsOf(wire, 'mining.set_target');
    const nonce1 = this.#nonce1 ?? fail('no nonce1');
    return { jobId, header, target, nonce1 };
  }

  /** `true`, or the code of the error. @param nonce2 one that makes a share of that job. */
  async submit({ jobId }: Given, nonce2: string): Promise<unknown> {
    const request = this.#wire?.request(`${++this.#submits}`, 'mining.submit', [this.login, jobId, nonce2]);
    const { result, error } = (await request) ?? {};
    return result === true || error?.[0];
  }

  leave(): void {
    this.#wire?.vanish();
  }
}

/** A nonce2 that makes a share, the first from that number on. */
export function search({ header, target, nonce1 }: Given, from = 0): string {
  const bytes = Uint8Array.from(Buffer.from(header, 'hex')) as Header;
  const job = { header: bytes, midstate: midstateOf(bytes), tail: tailOf(bytes), blockTarget: NO_BLOCK };
  return mine(job as Job, nonce1, targetFromHexBigEndian(target) ?? fail('no target'), true, from);
}

/** Of the last notice of this method. */
function paramsOf(wire: WireRig, method: string): string[] {
  return (wire.notices(method).at(-1)?.params ?? []) as string[];
}

function fail(why: string): never {
  throw new Error(why);
}
