/** What a miner looks at: how fast his rigs are, what he is owed, what he was paid, and what he may expect. */
import { MinedCharts } from '../../parts/chart/mined-charts.js';
import { FindAccount } from '../../parts/controls/find-account.js';
import { Waiting } from '../../parts/waiting.js';
import type { AccountDetails } from '../../reading/answers.js';
import type { Route } from '../../route.js';
import { useAsked } from '../../use/reading.js';
import { AccountFigures } from './account-figures.js';
import { AccountRigs } from './account-rigs.js';
import { Payments } from './payments.js';

const EVERY_MS = 5_000;

export function Account({ route }: { route: Route }) {
  const [account = ''] = route.parts;
  return (
    <>
      {account !== '' && <Of account={account} route={route} />}
      <FindAccount />
    </>
  );
}

function Of({ account, route }: { account: string; route: Route }) {
  const path = `/api/v1/accounts/${encodeURIComponent(account)}`;
  const asked = useAsked<AccountDetails>(path, EVERY_MS, (ask, signal) => ask.json(path, signal));
  const { value } = asked;
  return (
    <>
      <p>
        <code>{account}</code>
      </p>
      <Waiting {...asked} />
      {asked.isNothing && <NotInBooks />}
      {value && <AccountFigures details={value} />}
      {value && <MinedCharts route={route} kind="account" names={[account]} />}
      {value && (
        <div class="cards">
          <AccountRigs details={value} />
          <Payments details={value} />
        </div>
      )}
    </>
  );
}

/** Who has just begun to mine is not in the books yet, and who has mistyped never will be. */
function NotInBooks() {
  return (
    <p>
      An account comes into the books with the first accepted share of a rig whose user begins with it. Is it
      written as in the rig, without the rig’s own name behind the dot?
    </p>
  );
}
