/** Where somebody signs in, and what he may do then. */
import { useState } from 'preact/hooks';
import { TOKEN_ACCESS, type TokenAccess } from '../../../../operations/enums.js';
import { sentence } from '../../reading/ask.js';
import { useSession } from '../../use/session.js';

const MAY: Record<TokenAccess, string> = {
  admin: 'Signed in: this page may give orders.',
  operate: 'Signed in: this page may give orders to rigs.',
  approve: 'Signed in to read, and to prepare payouts.',
  read: 'Signed in to read: orders take another token, or a link.',
};

/** @param isOpen the bridge has asked for a token. */
export function SignIn({ isOpen = false }: { isOpen?: boolean }) {
  const { role, signOut } = useSession();
  const access = TOKEN_ACCESS.find((each) => each === role);
  return (
    <section class={`sign-in ${isOpen ? 'card' : ''}`} aria-label="Sign in">
      <p role="status">{access && MAY[access]}</p>
      {access === undefined ? (
        <details open={isOpen}>
          <summary>Sign in with a token</summary>
          <Form />
        </details>
      ) : (
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      )}
    </section>
  );
}

function Form() {
  const { fault: ofLink, signIn } = useSession();
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const send = async (): Promise<void> => {
    setIsAsking(true);
    setFault('');
    await signIn(typed).catch((error: unknown) => setFault(sentence(error)));
    setIsAsking(false);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isAsking) void send();
  };
  return (
    <form class="tools" onSubmit={submit}>
      {/* Password managers keep the token under a name. */}
      <input type="text" name="username" autocomplete="username" value="operator" hidden readOnly />
      <input
        type="password"
        name="password"
        aria-label="Token"
        placeholder="Token"
        autocomplete="current-password"
        required
        maxLength={4096}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit">{isAsking ? 'Asking …' : 'Sign in'}</button>
      <p class="problem" role="alert">
        {fault || ofLink}
      </p>
      <p class="note">
        <code>stratum-bridge web</code>, run where the bridge runs, prints a link. Or take the admin token: it
        is in <code>web-admin-token</code> of the data directory, or in <code>web.tokens</code>.
      </p>
    </form>
  );
}
