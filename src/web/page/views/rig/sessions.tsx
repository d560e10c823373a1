/** Open sessions of a rig. */
import { Age } from '../../parts/age.js';
import { Field, Order } from '../../parts/order.js';
import { Rate } from '../../parts/rate.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { RigDetail, Session } from '../../reading/answers.js';
import { closeSession } from '../../reading/orders.js';
import { useToken } from '../../use/token.js';
import { withUnit } from '../../words/numbers.js';

export function Sessions({ detail: { sessions } }: { detail: RigDetail }) {
  const { role } = useToken();
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      {sessions.length === 0 ? (
        <p>None is open now. The rig stays in the list; it is shown here once it connects again.</p>
      ) : (
        <Scrolls label="Table of sessions">
          <table>
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col">From</th>
                <th scope="col" class="number">
                  Opened
                </th>
                <th scope="col" class="number">
                  Difficulty
                </th>
                <th scope="col" class="number">
                  5 min
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((session) => (
                <Row key={`${session.id} ${session.openedAt}`} session={session} />
              ))}
            </tbody>
          </table>
        </Scrolls>
      )}
      {role === 'admin' && sessions.map((session) => <Close key={session.openedAt} session={session} />)}
    </section>
  );
}

function Row({ session }: { session: Session }) {
  const { id, transport, peer, agent, openedAt, chainId, difficulty, hashRates } = session;
  return (
    <tr>
      <th scope="row">
        {id} <span class="none">{transport}</span>
        {chainId !== null && <span class="aside line">chain {chainId}</span>}
      </th>
      <td>
        {peer}
        {agent !== '' && <span class="aside line">{agent}</span>}
      </td>
      <td class="number">
        <Age at={openedAt} />
      </td>
      <td class="number">{difficulty === null ? '–' : withUnit(Number(difficulty), '')}</td>
      <td class="number">
        <Rate rate={hashRates[1]} />
      </td>
    </tr>
  );
}

function Close({ session }: { session: Session }) {
  return (
    <Order
      words={`Close session ${session.id}`}
      asks="The rig loses its connection. It may come back at once, and goes on with its next job."
      confirm="Close it"
      give={(ask, given) => closeSession(ask, session, given('reason'))}
    >
      <Field name="reason" label="Reason, told to the rig" maxLength={200} isNeeded={false} />
    </Order>
  );
}
