/** A miner's page: what he is owed, what he was paid, what he earns a day, and whether each of his rigs mines. */
import { MiningCharts } from '../../parts/chart/mining-charts.js';
import { CopyButton } from '../../parts/controls/copy.js';
import { Waiting } from '../../parts/waiting.js';
import { Who } from '../../parts/who.js';
import type { AccountDetails } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAnswer, useSeen } from '../../use/reading.js';
import { AccountActions } from './account-actions.js';
import { AccountFigures } from './account-figures.js';
import { AccountRigs } from './account-rigs.js';
import { AuditCard } from './audit-card.js';
import { Earned } from './earned.js';
import { Payments } from './payments.js';
import { Preferences } from './preferences.js';

export function Account({ route }: { route: Route }) {
  const { isAnonymous } = useSeen();
  const [account = ''] = route.parts;
  const asked = useAnswer<AccountDetails>(`/api/v1/accounts/${encodeURIComponent(account)}`);
  const { value } = asked;
  return (
    <>
      <div class="account-head">
        <Who account={account} isHere hasCopy />
        {value?.payout.isOnHold && <span class="chip is-warning">Payments on hold</span>}
        {!isAnonymous && <AccountActions account={account} isOnHold={value?.payout.isOnHold} />}
        <p class="note">
          Bookmark this page to find your account again.
          <CopyButton text={location.href} what="the link" />
        </p>
      </div>
      {asked.isNothing ? <NotInBooks account={account} /> : <Waiting {...asked} />}
      {value && (
        <>
          <AccountFigures details={value} />
          <div class="cards">
            <Earned account={account} />
            <AccountRigs details={value} />
          </div>
          <MiningCharts route={route} kind="account" name={account} />
          <Payments details={value} />
          <div class="cards">
            <Preferences details={value} />
            {account.startsWith('k:') && <AuditCard account={account} />}
          </div>
        </>
      )}
    </>
  );
}

/** Who has just begun to mine is not in the books yet, and who has mistyped never will be. */
function NotInBooks({ account }: { account: string }) {
  return (
    <div class="card">
      <p class="long">
        No shares of <bdi>{account}</bdi> yet.
      </p>
      <p class="note">
        The first accepted share opens an account. The name is what stands before the dot in the user of a
        rig: check that both are written alike.
      </p>
    </div>
  );
}
