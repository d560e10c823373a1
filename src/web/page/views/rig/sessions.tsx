/** Open sessions of a rig. */

import { useState } from 'preact/hooks';
import { Card } from '../../parts/card.js';
import { Field, Order } from '../../parts/controls/order.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import type { RigDetail, Session } from '../../reading/answers.js';
import { closeSession } from '../../reading/orders.js';
import { useSession } from '../../use/session.js';
import { ofBridge } from '../../words/bridges.js';
import { count, withUnit } from '../../words/numbers.js';

/** Numbers of sessions begin anew with each start of the bridge. */
const keyOf = ({ bridge, id, openedAt }: Session): string => `${bridge} ${id} ${openedAt}`;
const inHashes = (amount: string | null): string => (amount === null ? '–' : withUnit(Number(amount), ''));

const COLUMNS: readonly Column<Session>[] = [
  {
    title: 'Session',
    show: ({ id, transport, port, chainId }) => (
      <>
        {id}{' '}
        <span class="none">{port === null || port === transport ? transport : `${port}, ${transport}`}</span>
        {chainId !== null && <span class="aside line">chain {chainId}</span>}
      </>
    ),
  },
  {
    title: 'From',
    show: ({ bridge, peer, agent }) => (
      <>
        {peer}
        {ofBridge(bridge)}
        {agent !== '' && <span class="aside line">{agent}</span>}
      </>
    ),
  },
  { title: 'Opened', look: 'number', show: ({ openedAt }) => <Age at={openedAt} /> },
  { title: 'Difficulty', look: 'number', show: ({ difficulty }) => inHashes(difficulty) },
  { title: 'Shares', look: 'number', show: ({ accepted }) => count(accepted) },
  { title: 'Best share', look: 'number', show: ({ bestShare }) => inHashes(bestShare) },
  { title: '5 min', look: 'number', show: ({ hashRates }) => <Rate rate={hashRates[1]} /> },
];

export function Sessions({ detail: { sessions } }: { detail: RigDetail }) {
  const { may } = useSession();
  const [said, setSaid] = useState('');
  return (
    <Card id="sessions" title="Sessions">
      {sessions.length === 0 ? (
        <p>None is open now. The rig stays in the list; it is shown here once it connects again.</p>
      ) : (
        <DataTable label="Table of sessions" columns={COLUMNS} rows={sessions} keyOf={keyOf} />
      )}
      {/* Outside of the orders: that of a session goes with it. */}
      <p role="status">{said}</p>
      {may('operate') &&
        sessions.map((session) => <Close key={keyOf(session)} session={session} closed={setSaid} />)}
    </Card>
  );
}

function Close({ session, closed }: { session: Session; closed: (words: string) => void }) {
  return (
    <Order
      words={`Close session ${session.id}${ofBridge(session.bridge)}`}
      asks="The rig loses its connection. It may come back at once, and goes on with its next job."
      confirm="Close it"
      give={async (ask, given) => {
        closed(`${await closeSession(ask, session, given('reason'))}.`);
        return '';
      }}
    >
      <Field name="reason" label="Reason, told to the rig" maxLength={200} isNeeded={false} />
    </Order>
  );
}
