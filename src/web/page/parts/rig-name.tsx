/** A rig in a table. Where there is no room for a column of accounts, its account stands below it. */
import type { Rig } from '../reading/answers.js';

export function RigName({ rig: { rig, account } }: { rig: Rig }) {
  return (
    <>
      {rig || <span class="none">without a name</span>}
      <span class="account-below">{account}</span>
    </>
  );
}
