/** Where a token is typed, and what it is for. */
import { useState } from 'preact/hooks';
import { sentence } from '../../reading/ask.js';
import type { Role } from '../../reading/token.js';
import { useToken } from '../../use/token.js';

const MAY: Record<Exclude<Role, 'none'>, string> = {
  admin: 'Signed in: this page may give orders.',
  approve: 'Signed in to read, and to prepare, approve and pause payouts.',
  read: 'Signed in to read: orders take the admin token.',
};

/** @param isOpen the bridge has asked for a token. */
export function SignIn({ isOpen = false }: { isOpen?: boolean }) {
  const { role, clear } = useToken();
  return (
    <section class={`sign-in ${isOpen ? 'card' : ''}`} aria-label="Token">
      <p role="status">{role !== 'none' && MAY[role]}</p>
      {role === 'none' ? (
        <details open={isOpen}>
          <summary>Sign in with a token</summary>
          <Form />
        </details>
      ) : (
        <button type="button" onClick={clear}>
          Sign out
        </button>
      )}
    </section>
  );
}

function Form() {
  const { set } = useToken();
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const send = async (): Promise<void> => {
    setIsAsking(true);
    setFault('');
    await set(typed).catch((error: unknown) => setFault(sentence(error)));
    setIsAsking(false);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isAsking) void send();
  };
  return (
    <form class="tools" onSubmit={submit}>
      <input
        type="password"
        aria-label="Token"
        placeholder="Token"
        autocomplete="off"
        required
        maxLength={4096}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit">{isAsking ? 'Asking …' : 'Sign in'}</button>
      <p class="problem" role="alert">
        {fault}
      </p>
      <p class="note">
        The admin token gives orders. It is in the file <code>web-admin-token</code> of the bridge’s data
        directory, unless <code>web.tokens.admin</code> sets another; <code>web.tokens.read</code> only reads.
        This page keeps a token in its memory alone, and forgets it with a reload.
      </p>
    </form>
  );
}
