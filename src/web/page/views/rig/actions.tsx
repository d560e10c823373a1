/** Orders to a rig. */
import { Card } from '../../parts/card.js';
import { Field, Order } from '../../parts/controls/order.js';
import type { Rig } from '../../reading/answers.js';
import { banRig, clearDifficulty, holdDifficulty, labelRig, sendMessage } from '../../reading/orders.js';
import { useSession } from '../../use/session.js';

export function RigActions({ rig }: { rig: Rig }) {
  const { may } = useSession();
  return (
    <Card id="actions" title="Orders">
      {may('operate') ? (
        <Orders rig={rig} />
      ) : (
        <p>
          To close a session, to ban the rig, to hold it at a difficulty, to label it or to send it a message,
          sign in at the foot of this page with a token that gives orders.
        </p>
      )}
    </Card>
  );
}

function Orders({ rig }: { rig: Rig }) {
  return (
    <div class="orders">
      <Order
        words="Send a message"
        asks="Rigs that take messages show it; the others never hear of it."
        confirm="Send it"
        give={(ask, given) => sendMessage(ask, rig, given('text'))}
      >
        <Field name="text" label="Message, one line" maxLength={500} />
      </Order>
      <Order
        words="Label it"
        asks="What you call it, beside its login. Whoever may see the rig sees it. Left empty, it has none."
        confirm="Save"
        give={(ask, given) => labelRig(ask, rig, given('label'))}
      >
        <Field name="label" label="What you call it" maxLength={64} isNeeded={false} />
      </Order>
      <Order
        words="Hold at a difficulty"
        asks="All sessions of the rig work at this share difficulty from their next job on, whatever the settings say and the rig asks for."
        confirm="Set"
        give={(ask, given) => holdDifficulty(ask, rig, given('difficulty'))}
      >
        <Field name="difficulty" label="Expected hashes of a share" placeholder="4T" maxLength={40} />
      </Order>
      {rig.orderedDifficulty !== null && (
        <Order
          words="Clear the difficulty"
          asks="The rig follows the settings again, from its next job on."
          confirm="Clear it"
          give={(ask) => clearDifficulty(ask, rig)}
        />
      )}
      <Order
        words="Ban the rig"
        asks="Its sessions are closed, and it is not let in again under this name, wherever it comes from. Without a time that holds until somebody takes it back."
        confirm="Ban it"
        give={(ask, given) => banRig(ask, rig, given('reason'), given('for'))}
      >
        <Field name="reason" label="Reason, told to the rig" maxLength={200} />
        <Field
          name="for"
          label="How long it holds, empty for no end"
          placeholder="1d"
          maxLength={20}
          isNeeded={false}
        />
      </Order>
    </div>
  );
}
