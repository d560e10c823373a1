/** Rigs of an account, as the books know them. */
import { Age } from '../../parts/age.js';
import { RigLink } from '../../parts/links.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { AccountDetails } from '../../reading/answers.js';
import { hashOf } from '../../route.js';
import { useSeen } from '../../use/reading.js';
import { count } from '../../words/numbers.js';

export function AccountRigs({ details: { account, rigs, rigCount } }: { details: AccountDetails }) {
  const { isStranger } = useSeen();
  return (
    <section class="card" aria-labelledby="account-rigs">
      <h2 id="account-rigs">Rigs</h2>
      {rigs.length === 0 && <p>No rig of it had a share booked yet.</p>}
      {rigs.length > 0 && (
        <Scrolls label="Table of its rigs" className="tall">
          <table>
            <thead>
              <tr>
                <th scope="col">Rig</th>
                <th scope="col" class="number">
                  Last share
                </th>
              </tr>
            </thead>
            <tbody>
              {rigs.map(({ rig, lastShareAt }) => (
                <tr key={rig}>
                  <th scope="row" class="name">
                    <Name account={account} rig={rig} isLink={!isStranger} />
                  </th>
                  <td class="number">{lastShareAt === null ? 'long ago' : <Age at={lastShareAt} />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolls>
      )}
      {rigCount > rigs.length && (
        <p class="note">
          The {count(rigs.length)} with the latest shares, of {count(rigCount)}.
        </p>
      )}
      {!isStranger && (
        <p class="note">
          <a href={hashOf('rigs', { account })}>Those that are connected, with their states</a>
        </p>
      )}
    </section>
  );
}

/** The page of a rig is for operators. */
function Name({ account, rig, isLink }: { account: string; rig: string; isLink: boolean }) {
  if (isLink) return <RigLink account={account} rig={rig} />;
  return rig === '' ? <span class="none">without a name</span> : <span>{rig}</span>;
}
