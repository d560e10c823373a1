/** A rig in a table. Where there is no room for a column of accounts, its account stands below it. */
import type { Rig } from '../reading/answers.js';
import { RigLink } from './links.js';

export function RigName({ rig: { rig, account } }: { rig: Rig }) {
  return (
    <>
      <RigLink account={account} rig={rig} />
      <span class="account-below">{account}</span>
    </>
  );
}
