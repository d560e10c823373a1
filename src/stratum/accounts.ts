/** Logins: `account.rig`, split at the first dot. */

export interface Login {
  readonly account: string;
  /** Empty when the login names none. */
  readonly rig: string;
}

export function parseLogin(login: string): Login {
  const dot = login.indexOf('.');
  return dot === -1
    ? { account: login, rig: '' }
    : { account: login.slice(0, dot), rig: login.slice(dot + 1) };
}
