/** Which rigs a simulated week has: by their numbers, all kinds with all transports. */
import type { Random } from '../fuzz/random.js';
import { RETURNS, type RigPlan } from './rigs.js';

const RIGS_OF_ACCOUNT = 20;
const LIARS_OF = 50;
/** Hashes a second from the slowest to the fastest rig. */
const SLOWEST = 0.05;
const FASTEST = 5;

export function planOf(number: number, secondsPerShare: number, random: Random): RigPlan {
  const account = `k:${Math.floor(number / RIGS_OF_ACCOUNT)
    .toString(16)
    .padStart(64, '0')}`;
  const rig = `rig${number}`;
  const hashesPerSecond = (SLOWEST * (FASTEST / SLOWEST) ** random.fraction() * 900) / secondsPerShare;
  const fixed = Math.max(4, Math.round(hashesPerSecond * secondsPerShare * 2));
  const kind = number % 8;
  return {
    account,
    rig,
    login: kind === 5 ? `${account}.${rig}+${fixed}` : `${account}.${rig}`,
    password: kind === 6 ? `fd=${fixed}` : 'x',
    suggests: kind === 7 ? fixed : undefined,
    transport: number % 20 === 19 ? 'tls' : number % 5 === 4 ? 'ws' : 'tcp',
    address: `127.1.${number >> 8}.${number & 255}`,
    returns: RETURNS[Math.floor(number / 8) % RETURNS.length] ?? 'nothing',
    isLiar: number % LIARS_OF === LIARS_OF - 1,
    hashesPerSecond,
  };
}
