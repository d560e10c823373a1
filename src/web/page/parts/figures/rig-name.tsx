/** A rig in a table, with what the operator calls it. Where there is no room for a column of accounts, its account stands below it. */
import type { Rig } from '../../reading/answers.js';
import { RigLink } from '../controls/links.js';

export function RigName({ rig: { rig, label, account } }: { rig: Rig }) {
  return (
    <>
      <RigLink account={account} rig={rig} />
      {label !== null && <span class="line">{label}</span>}
      <span class="account-below">{account}</span>
    </>
  );
}
