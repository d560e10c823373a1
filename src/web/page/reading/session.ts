/** Whom the bridge takes whoever looks for: by the session that its cookie says, which no script reads. */

export type Role = 'admin' | 'approve' | 'read' | 'none';

export interface RoleHolder {
  readonly role: Role;
  /** Why the link that led here has signed nobody in, as a sentence; empty otherwise. */
  readonly fault: string;
  /** @returns what ends it. */
  subscribe(changed: () => void): () => void;
  hold(role: Role, fault?: string): void;
}

export function createRoleHolder(): RoleHolder {
  let role: Role = 'none';
  let fault = '';
  const listeners = new Set<() => void>();
  return {
    get role() {
      return role;
    },
    get fault() {
      return fault;
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    hold: (nextRole, nextFault = fault) => {
      if (nextRole === role && nextFault === fault) return;
      role = nextRole;
      fault = role === 'none' ? nextFault : '';
      for (const changed of listeners) changed();
    },
  };
}
