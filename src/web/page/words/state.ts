/** How all is, in two or three words. */
import type { Seen } from '../reading/feed.js';
import { counted } from './numbers.js';
import type { Trouble } from './troubles.js';

interface StateWords {
  /** `quiet`: nothing is known. */
  readonly look: 'good' | 'warning' | 'fault' | 'quiet';
  readonly words: string;
}

/** @param rigs that mine; `undefined` while that is not known. */
export function stateOf({ link }: Seen, troubles: readonly Trouble[], rigs: number | undefined): StateWords {
  if (link.state === 'connecting') return { look: 'quiet', words: 'Connecting' };
  if (link.state === 'paused') return { look: 'quiet', words: 'Paused' };
  if (link.state === 'lost')
    return link.isForTokens ? { look: 'quiet', words: 'Signed out' } : { look: 'fault', words: 'Offline' };
  const faults = troubles.filter(({ kind }) => kind === 'fault').length;
  if (faults > 0) return { look: 'fault', words: counted(troubles.length, 'trouble') };
  if (rigs === undefined) return { look: 'quiet', words: 'Connected' };
  const doing = rigs === 0 ? 'No rig mines' : `Mining · ${counted(rigs, 'rig')}`;
  if (troubles.length > 0)
    return { look: 'warning', words: `${doing} · ${counted(troubles.length, 'warning')}` };
  return { look: rigs === 0 ? 'quiet' : 'good', words: doing };
}
