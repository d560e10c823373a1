/** Open sessions of a rig. */
import { Card } from '../../parts/card.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Age } from '../../parts/figures/age.js';
import { Rate } from '../../parts/figures/rate.js';
import { SharesBar } from '../../parts/figures/shares-bar.js';
import { MessageOrder } from '../../parts/orders/message-order.js';
import { Field, Order } from '../../parts/orders/order.js';
import type { RigDetail, Session } from '../../reading/answers.js';
import { useSeen } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { ofBridge } from '../../words/bridges.js';
import { count, withUnit } from '../../words/numbers.js';

/** Numbers of sessions begin anew with each start of the bridge. */
const keyOf = ({ bridge, id, openedAt }: Session): string => `${bridge} ${id} ${openedAt}`;
const inHashes = (amount: string | null): string | null => amount && withUnit(Number(amount), '');

const NUMBER: Column<Session> = { title: 'Session', show: ({ id }) => `#${id}` };

const COLUMNS: readonly Column<Session>[] = [
  { title: 'From', show: (session) => <From session={session} /> },
  { title: 'Opened', look: 'number', show: ({ openedAt }) => <Age at={openedAt} /> },
  { title: 'Difficulty', look: 'number', show: ({ difficulty }) => inHashes(difficulty) },
  { title: 'Accepted', look: 'number', show: ({ accepted }) => count(accepted) },
  { title: 'Rejected', look: 'number', show: (session) => <SharesBar {...session} /> },
  { title: '5 min', look: 'number', show: ({ hashRates }) => <Rate rate={hashRates[1]} /> },
];

function From({ session: { peer, port, transport, agent } }: { session: Session }) {
  const by = port === null || port === transport ? transport : `${port}, ${transport}`;
  return (
    <>
      {peer}
      <span class="aside line long">
        {by}
        {agent !== '' && ' · '}
        <bdi>{agent}</bdi>
      </span>
    </>
  );
}

const BRIDGE: Column<Session> = {
  title: 'Bridge',
  show: ({ bridge }) => bridge ?? 'this one',
};

const ORDERS: Column<Session> = {
  ...{ title: 'Orders', head: <span class="unseen">Orders</span>, look: 'row' },
  show: ({ id, bridge, openedAt }) => (
    <span class="choice">
      <Order
        words="Close"
        label={`Close session ${id}${ofBridge(bridge)}`}
        asks="The rig loses its connection. It may come back at once, and goes on with its next job."
        confirm="Close it"
        path={`/api/v1/sessions/${id}/close`}
        body={({ reason }) => ({ openedAt, bridge, reason })}
        said={() => `Session ${id} is closed`}
      >
        <Field name="reason" label="Reason, told to the rig" maxLength={200} isNeeded={false} />
      </Order>
      <MessageOrder
        meant={{ to: 'session', id, openedAt, bridge }}
        words="Message"
        label={`Send session ${id} a message${ofBridge(bridge)}`}
      />
    </span>
  ),
};

export function Sessions({ detail: { rig, sessions } }: { detail: RigDetail }) {
  const { may } = useSession();
  const { summary } = useSeen();
  // Beside the number, where it is in sight however narrow the window is.
  const columns = [
    NUMBER,
    ...(may('operate') ? [ORDERS] : []),
    ...(summary && summary.bridges.length > 1 ? [BRIDGE] : []),
    ...COLUMNS,
  ];
  const isCpu = rig.state === 'online' || rig.state === 'idle';
  return (
    <Card id="sessions" title="Sessions">
      {sessions.length > 0 ? (
        <DataTable label="Table of sessions" columns={columns} rows={sessions} keyOf={keyOf} />
      ) : (
        <p>{isCpu ? 'CPU threads of the bridge need none.' : 'None is open now.'}</p>
      )}
    </Card>
  );
}
