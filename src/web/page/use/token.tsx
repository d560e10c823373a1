/** Who looks, as far as the bridge knows: by the token that he signed in with. */
import { useEffect, useState } from 'preact/hooks';
import { AskError } from '../reading/ask.js';
import type { Role } from '../reading/token.js';
import { useReading } from './reading.js';

export interface Token {
  /** `admin` may give orders. On the bridge's own machine also `none` reads. */
  readonly role: Role;
  /** Rejects with {@link AskError} when it is none of this bridge, or nobody answers. */
  set(token: string): Promise<void>;
  clear(): void;
}

/** What a header can hold, and so a token. */
const CAN_BE_SENT = /^[\x21-\x7e]{1,4096}$/;

export function useToken(): Token {
  const { ask, token: holder } = useReading();
  const [role, setRole] = useState(holder.held.role);
  useEffect(() => {
    const show = (): void => setRole(holder.held.role);
    show();
    return holder.subscribe(show);
  }, [holder]);
  const set = async (typed: string): Promise<void> => {
    const token = typed.trim();
    if (!CAN_BE_SENT.test(token))
      throw new AskError('a token has no blanks, and letters of ASCII alone', false);
    holder.hold({ token, role: await ask.roleOf(token) });
  };
  return { role, set, clear: () => holder.drop() };
}
