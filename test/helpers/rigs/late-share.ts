/** A rig with a share in its hand, to be submitted after the bridge has gone and come again. */

import { midstateOf } from '../../../src/core/bytes/blake2s.js';
import { fromHex } from '../../../src/core/bytes/bytes.js';
import type { Job } from '../../../src/core/jobs/job.js';
import { nonce1FromHex } from '../../../src/core/jobs/nonce.js';
import { headerFromBytes, tailOf } from '../../../src/core/work/header.js';
import { targetFromHexBigEndian } from '../../../src/core/work/target.js';
import { mine } from '../stories/stratum-bridge.js';
import { until } from '../until.js';
import { WireRig } from './wire-rig.js';

export interface LateShare {
  readonly token: string;
  readonly nonce1: string;
  readonly jobId: string;
  readonly nonce2: string;
}

/** Found for its newest job. The rig stays connected. */
export async function findShare(port: number, login: string): Promise<LateShare> {
  const rig = await WireRig.connect('tcp', port);
  const { result } = await rig.request('s', 'mining.subscribe', ['late/1', '']);
  const [token = '', nonce1 = ''] = result as string[];
  await rig.request('a', 'mining.authorize', [login, 'x']);
  await until('it has a job', () => rig.notices('mining.notify').length > 0);
  const [[target], [jobId, header]] = ['mining.set_target', 'mining.notify'].map(
    (method) => rig.notices(method).at(-1)?.params ?? [],
  ) as [string[], string[]];
  const bytes = headerFromBytes(fromHex(header ?? '') ?? new Uint8Array());
  const job = {
    ...{ header: bytes, midstate: midstateOf(bytes), tail: tailOf(bytes) },
    blockTarget: bytes,
  } as unknown as Job;
  const nonce2 = mine(
    job,
    nonce1FromHex(nonce1) ?? fail(nonce1),
    targetFromHexBigEndian(target ?? '') ?? fail(target),
  );
  return { token, nonce1, jobId: jobId ?? '', nonce2 };
}

/** Comes back with its token; what the bridge says to the share. */
export async function submitLate(
  port: number,
  login: string,
  { token, jobId, nonce2 }: LateShare,
): Promise<{ readonly nonce1: unknown; readonly answers: readonly unknown[] }> {
  const rig = await WireRig.connect('tcp', port);
  const { result } = await rig.request('s', 'mining.subscribe', ['late/1', token]);
  await rig.request('a', 'mining.authorize', [login, 'x']);
  const answers: unknown[] = [];
  for (const id of [1, 2]) {
    const answer = await rig.request(id, 'mining.submit', [login, jobId, nonce2]);
    answers.push(answer.error?.[0] ?? answer.result);
  }
  rig.vanish();
  return { nonce1: (result as unknown[])[1], answers };
}

function fail(what: unknown): never {
  throw new Error(`nothing of a bridge: ${what}`);
}
