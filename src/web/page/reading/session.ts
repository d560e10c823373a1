/** Whom the bridge takes whoever looks for: by the session that its cookie says, which no script reads. */

import { type Access, may } from '../../../operations/enums.js';

export interface RoleHolder {
  readonly role: Access;
  /** Why the link that led here has signed nobody in, as a sentence; empty otherwise. */
  readonly fault: string;
  /** @returns what ends it. */
  subscribe(changed: () => void): () => void;
  hold(role: Access, fault?: string): void;
}

export function createRoleHolder(): RoleHolder {
  let role: Access = 'anonymous';
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
      fault = may(role, 'read') ? '' : nextFault;
      for (const changed of listeners) changed();
    },
  };
}
