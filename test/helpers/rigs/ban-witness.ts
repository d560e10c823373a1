/** Told of bans as they come and go. */
import type { BanWitness } from '../../../src/stratum/admission/bans.js';

/** @param told gets a word for each. */
export function banWitness(told: string[] = []): BanWitness {
  let ids = 0;
  return {
    newId: () => String(++ids),
    banned: ({ id }) => void told.push(`banned ${id}`),
    unbanned: ({ id }, by) => void told.push(`unbanned ${id}${by === undefined ? '' : ` by ${by}`}`),
  };
}
