/** Names that lead to the page of what they name. */
import { hashOf } from '../../route.js';

export function AccountLink({ account }: { account: string }) {
  return <a href={hashOf('account', {}, [account])}>{account}</a>;
}

/** Of a rig, or of its account where it has no name. */
export function LoginLink({ account, rig }: { account: string; rig: string }) {
  return rig === '' ? <AccountLink account={account} /> : <RigLink account={account} rig={rig} />;
}

export function RigLink({ account, rig }: { account: string; rig: string }) {
  return <a href={hashOf('rigs', {}, [account, rig])}>{rig || <span class="none">without a name</span>}</a>;
}
