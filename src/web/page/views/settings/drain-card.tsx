/** How far a drain is, and the orders that begin and cancel one. */
import { Card } from '../../parts/card.js';
import { Until } from '../../parts/figures/age.js';
import { Field, Order } from '../../parts/orders/order.js';
import type { Drain } from '../../reading/answers.js';
import { useAnswer } from '../../use/reading.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';

const PATH = '/api/v1/drain';
const EVERY_MS = 3_000;

export function DrainCard() {
  const { may } = useSession();
  const asked = useAnswer<Drain>(PATH, EVERY_MS);
  const { value } = asked;
  return (
    <Card
      id="drain"
      title="Drain"
      asked={asked}
      actions={may('operate') && value && (value.state === 'off' ? <Start /> : <Cancel />)}
    >
      {value && <Progress drain={value} />}
    </Card>
  );
}

function Start() {
  return (
    <Order<Drain>
      words="Drain"
      label="Drain the bridge"
      look="danger"
      asks="Nobody is let in any more, and rigs are asked to reconnect elsewhere, one after another in this time."
      confirm="Drain"
      path={PATH}
      body={({ over, stop }) => ({ over, stop: stop !== undefined })}
      said={({ left }) => `The drain has begun; ${counted(left, 'session')} left`}
    >
      <Field name="over" label="In how much time" placeholder="10m" maxLength={20} isNeeded={false} />
      <label>
        <input type="checkbox" name="stop" /> Stop the bridge at the end
      </label>
    </Order>
  );
}

function Cancel() {
  return (
    <Order
      words="Cancel the drain"
      look="primary"
      asks="Rigs are let in again at once."
      confirm="Let rigs in"
      method="DELETE"
      path={PATH}
      said={() => 'Rigs are let in again'}
    />
  );
}

const STATES: Readonly<Record<Exclude<Drain['state'], 'off'>, string>> = {
  draining: 'Rigs are asked to go.',
  drained: 'All rigs have gone.',
  timeUp: 'The time is over.',
};

function Progress({ drain }: { drain: Drain }) {
  const { state, left, sessions, asked, unsupported, endsAt, stops, by } = drain;
  if (state === 'off') return <p>Off: rigs are let in. Open: {counted(left, 'session')}.</p>;
  return (
    <>
      <p>
        {STATES[state]} {counted(left, 'session')} of {sessions} left, {asked} asked, {unsupported} that
        cannot be asked.
      </p>
      <p class="note">
        By <bdi>{by}</bdi>
        {state === 'draining' && endsAt !== null && (
          <>
            , ends <Until at={endsAt} />
          </>
        )}
        . {stops ? 'Then the bridge stops.' : 'Nobody is let in until it is cancelled.'}
      </p>
    </>
  );
}
