/** Rigs, in words. */
import type { Rig } from '../reading/answers.js';

/** A state of the API; `new` for one that is there, and had no share yet. */
export function rigState({ state, lastShareAt }: Rig): Rig['state'] | 'new' {
  return state === 'online' && lastShareAt === null ? 'new' : state;
}

const STATE_WORDS: Readonly<Record<ReturnType<typeof rigState>, string>> = {
  new: 'It is connected. Its first share is awaited.',
  online: 'It submits or answers.',
  idle: 'It is connected, and silent for longer than is usual for it.',
  offline: 'It is not connected.',
  banned: 'It is not connected, and would not be let in.',
};

/** What the state means, in a sentence. */
export function rigStateWords(rig: Rig): string {
  return STATE_WORDS[rigState(rig)];
}
