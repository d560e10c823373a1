/** Bans that are in force. */
import type { Ban } from '../reading/answers.js';
import { useAnswer } from './reading.js';

/** As many as the API gives at a time. */
const MOST = 1_000;

/** `undefined` until they are known. */
export function useBans(isMeant: (ban: Ban) => boolean): readonly Ban[] | undefined {
  return useAnswer<{ bans: readonly Ban[] }>(`/api/v1/bans?limit=${MOST}`).value?.bans.filter(isMeant);
}
