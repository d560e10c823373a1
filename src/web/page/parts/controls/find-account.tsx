/** Where a miner finds his own account. */
import { hashOf } from '../../route.js';

export function FindAccount() {
  const go = (event: Event & { currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get('account') ?? '').trim();
    if (given !== '') location.hash = hashOf('account', {}, [accountIn(given)]);
  };
  return (
    <search class="card" aria-labelledby="find-account">
      <h2 id="find-account">Find an account</h2>
      <form class="tools" onSubmit={go}>
        <input
          type="search"
          name="account"
          aria-label="Name of an account"
          placeholder="Account, such as k:…"
          autocomplete="off"
          spellcheck={false}
          maxLength={400}
          required
        />
        <button type="submit">Show the account</button>
      </form>
    </search>
  );
}

/** Who types the user name of a rig means its account: it ends at the first dot. */
function accountIn(login: string): string {
  return login.split('.')[0] || login;
}
