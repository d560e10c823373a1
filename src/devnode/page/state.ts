/** The state of the node, read again and again while somebody looks. */
import { useEffect, useState } from 'preact/hooks';
import type { WatchState } from '../http/control/watch-state.js';

const EVERY_MS = 1000;
const LIMIT_MS = 10_000;

export interface Seen {
  readonly state: WatchState | undefined;
  readonly link: 'connecting' | 'live' | 'lost';
}

export function useNode(): Seen {
  const [seen, see] = useState<Seen>({ state: undefined, link: 'connecting' });
  useEffect(() => {
    let isOpen = true;
    let timer = 0;
    const look = async (): Promise<void> => {
      if (!document.hidden) {
        const state = await readState();
        if (!isOpen) return;
        // What was seen last stays while the node is away.
        see((before) => (state ? { state, link: 'live' } : { ...before, link: 'lost' }));
      }
      timer = window.setTimeout(look, EVERY_MS);
    };
    void look();
    return () => {
      isOpen = false;
      clearTimeout(timer);
    };
  }, []);
  return seen;
}

/** `undefined` where the node does not answer. */
async function readState(): Promise<WatchState | undefined> {
  try {
    const answer = await fetch('/state?heights=48', { signal: AbortSignal.timeout(LIMIT_MS) });
    return answer.ok ? ((await answer.json()) as WatchState) : undefined;
  } catch {
    return undefined;
  }
}
