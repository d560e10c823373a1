/** Who looks, as far as the bridge knows: by the link or token that he signed in with. */
import { useEffect, useState } from 'preact/hooks';
import { type Access, may } from '../../../operations/enums.js';
import { useReading } from './reading.js';

interface SignedIn {
  readonly role: Access;
  /** Whether whoever looks may do what takes this. */
  may(wanted: Access): boolean;
  /** Of the link that led here. */
  readonly fault: string;
  /** Rejects with {@link AskError} when the token is none of this bridge, or nobody answers. */
  signIn(token: string): Promise<void>;
  signOut(): Promise<void>;
}

export function useSession(): SignedIn {
  const { ask, holder } = useReading();
  const [{ role, fault }, setHeld] = useState({ role: holder.role, fault: holder.fault });
  useEffect(() => {
    const show = (): void => setHeld({ role: holder.role, fault: holder.fault });
    show();
    return holder.subscribe(show);
  }, [holder]);
  return {
    role,
    may: (wanted) => may(role, wanted),
    fault,
    signIn: async (typed) => {
      holder.hold(await ask.signIn({ token: typed.trim() }));
    },
    signOut: async () => {
      await ask.signOut();
      holder.hold('anonymous');
    },
  };
}
