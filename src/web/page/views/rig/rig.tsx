/** One rig: how it mines, what it is told, what happened to it, and orders to it. */
import { useCallback } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { MiningCharts } from '../../parts/chart/mining-charts.js';
import { Waiting } from '../../parts/waiting.js';
import { Who } from '../../parts/who.js';
import type { History, RigDetail } from '../../reading/answers.js';
import { hashOf, type Route } from '../../route.js';
import { useAnswer } from '../../use/reading.js';
import { loginText, shownName } from '../../words/names.js';
import { presence } from './presence.js';
import { RigBans } from './rig-bans.js';
import { RigEvents } from './rig-events.js';
import { RigFigures } from './rig-figures.js';
import { RigHead } from './rig-head.js';
import { Sessions } from './sessions.js';

const EVERY_MS = 2_000;

export function Rig({ route }: { route: Route }) {
  const [account = '', rig = ''] = route.parts;
  const path = `/api/v1/rigs/${[account, ...(rig === '' ? [] : [rig])].map(encodeURIComponent).join('/')}`;
  const asked = useAnswer<RigDetail>(path, EVERY_MS);
  const { value } = asked;
  const login = loginText(account, rig);
  const since = value?.rig.connectedSince;
  const ribbonOf = useCallback((rates: History) => presence(rates, since), [since]);
  return (
    <>
      {asked.isNothing ? <NoSuchRig account={account} rig={rig} /> : <Waiting {...asked} />}
      {value && <RigHead detail={value} login={login} />}
      {value && <RigBans rig={value.rig} login={login} />}
      {value && <RigFigures rig={value.rig} login={login} />}
      <MiningCharts route={route} kind="rig" name={login} ribbonOf={ribbonOf} />
      {value && <Sessions detail={value} />}
      {value && <RigEvents login={login} name={rig || account} />}
    </>
  );
}

/** It may have been here once: the books may know of it. */
function NoSuchRig({ account, rig }: { account: string; rig: string }) {
  return (
    <Card id="no-rig" title="Not here">
      <p>
        <Who account={account} /> has no rig{' '}
        {rig === '' ? 'without a name' : <bdi class="long">{shownName(rig)}</bdi>}: it is not connected, and
        had no share accepted since the bridge started.
      </p>
      <p class="note">
        <a href={hashOf('rigs', { account })}>Its other rigs</a>
      </p>
    </Card>
  );
}
