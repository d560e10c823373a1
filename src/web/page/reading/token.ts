/** The token that somebody signed in with. It is kept in memory alone: a reload forgets it. */

export type Role = 'admin' | 'approve' | 'read' | 'none';

export interface Held {
  /** Empty while there is none. */
  readonly token: string;
  /** What the bridge lets it do. */
  readonly role: Role;
}

export interface TokenHolder {
  readonly held: Held;
  /** @returns what ends it. */
  subscribe(changed: () => void): () => void;
  hold(held: Held): void;
  drop(): void;
}

const NONE: Held = { token: '', role: 'none' };

export function createTokenHolder(): TokenHolder {
  let held = NONE;
  const listeners = new Set<() => void>();
  const hold = (next: Held): void => {
    if (next.token === held.token && next.role === held.role) return;
    held = next;
    for (const changed of listeners) changed();
  };
  return {
    get held() {
      return held;
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    hold,
    drop: () => hold(NONE),
  };
}
