/** Where somebody signs in, and what he may do then. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { TOKEN_ACCESS, type TokenAccess } from '../../../../operations/enums.js';
import { sentence } from '../../reading/ask.js';
import { usePool } from '../../use/pool.js';
import { useSession } from '../../use/session.js';
import { Dialog } from '../dialog.js';

const MAY: Record<TokenAccess, string> = {
  admin: 'May give every order',
  operate: 'May give orders to rigs',
  approve: 'May read, and prepare payouts',
  read: 'May read',
};

/** In the head: who is signed in, or where to. */
export function SignedIn() {
  const { role, signOut } = useSession();
  const [isOpen, setOpen] = useState(false);
  const access = TOKEN_ACCESS.find((each) => each === role);
  const close = (): void => setOpen(false);
  useEffect(close, [access]);
  return (
    <>
      <span class="unseen" role="status">
        {access && `Signed in: ${MAY[access]}`}
      </span>
      {access === undefined ? (
        <button type="button" class="signed-in" onClick={() => setOpen(true)}>
          Sign in
        </button>
      ) : (
        <details class="menu signed-in">
          <summary title={MAY[access]}>{access}</summary>
          <div class="menu-items">
            <p class="note">{MAY[access]}.</p>
            <button type="button" onClick={() => void signOut()}>
              Sign out
            </button>
          </div>
        </details>
      )}
      <Dialog title="Sign in" isOpen={isOpen} close={close}>
        <Form />
      </Dialog>
    </>
  );
}

/** All that there is for who may see nothing. */
export function SignInCard() {
  const { title } = usePool();
  const { fault } = useSession();
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (fault === '') card.current?.querySelector<HTMLElement>('[name=password]')?.focus();
  }, []);
  return (
    <section class="card sign-in" aria-labelledby="sign-in" ref={card}>
      <h2 id="sign-in">
        Sign in to <bdi>{title}</bdi>
      </h2>
      <Form />
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
    <form class="sign-in-form" onSubmit={submit}>
      {/* Password managers keep the token under a name. */}
      <input type="text" name="username" autocomplete="username" value="operator" hidden readOnly />
      <label class="field">
        Token
        <input
          type="password"
          name="password"
          autocomplete="current-password"
          required
          maxLength={4096}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        {isAsking ? 'Asking …' : 'Sign in'}
      </button>
      <p class="problem" role="alert">
        {fault || ofLink}
      </p>
      <details class="note">
        <summary>Where is the token?</summary>
        <p>
          <code>stratum-bridge web</code>, run where the bridge runs, prints a link that signs in. Or take the
          admin token: it is in <code>web-admin-token</code> of the data directory, or in{' '}
          <code>web.tokens</code>.
        </p>
      </details>
    </form>
  );
}
