/** Which rig it is, and whether it is there. */
import { CopyButton } from '../../parts/controls/copy.js';
import { Age, Uptime } from '../../parts/figures/age.js';
import { BanOrder } from '../../parts/orders/bans.js';
import { Menu } from '../../parts/orders/menu.js';
import { MessageOrder } from '../../parts/orders/message-order.js';
import { Field, Order } from '../../parts/orders/order.js';
import { State } from '../../parts/state.js';
import { Identicon, Who } from '../../parts/who.js';
import type { Rig, RigDetail } from '../../reading/answers.js';
import { useSession } from '../../use/session.js';
import { counted } from '../../words/numbers.js';
import { rigState, rigStateWords } from '../../words/rigs.js';

export function RigHead({ detail, login }: { detail: RigDetail; login: string }) {
  const { rig } = detail;
  const { may } = useSession();
  const mayOrder = may('operate');
  return (
    <section class="card rig-head" aria-label="The rig">
      <Identicon name={login} />
      <div>
        <div class="rig-title">
          <span title={rigStateWords(rig)}>
            <State of={rigState(rig)} />
          </span>
          {rig.label === null ? <span class="none">no label</span> : <b class="long">{rig.label}</b>}
          {mayOrder && <Label rig={rig} />}
        </div>
        <p class="facts-line">
          <Who account={rig.account} />
          <span>
            User <CopyButton text={login} what="the user" />
          </span>
          {rig.agent !== '' && <bdi class="long">{rig.agent}</bdi>}
          <Connection detail={detail} />
        </p>
      </div>
      {mayOrder && <Actions rig={rig} />}
    </section>
  );
}

function Actions({ rig: { account, rig } }: { rig: Rig }) {
  return (
    <Menu words="Actions">
      <MessageOrder meant={{ to: 'login', account, rig }} />
      <BanOrder
        words="Ban the rig"
        asks="Its sessions are closed, and it is not let in again under this name until the ban ends or is lifted."
        whom={() => ({ kind: 'login', account, rig })}
      />
    </Menu>
  );
}

function Label({ rig: { account, rig, label } }: { rig: Rig }) {
  return (
    <Order
      words={label === null ? 'Add' : 'Edit'}
      label={label === null ? 'Add a label' : 'Edit the label'}
      asks="Whoever may see the rig sees it by this name. Left empty, it has none."
      confirm="Save"
      method="PUT"
      path="/api/v1/labels"
      body={({ label: typed }) => ({ account, rig, label: typed || null })}
      said={(_, { label: typed }) =>
        typed ? `The rig is labelled ${typed}` : 'The rig has no label any more'
      }
    >
      <Field name="label" label="Label" maxLength={64} value={label ?? ''} isNeeded={false} />
    </Order>
  );
}

/** `connected 2 h 3 min by ws from 10.0.0.7`. */
function Connection({ detail: { rig, sessions } }: { detail: RigDetail }) {
  const { connectedSince, lastShareAt, state } = rig;
  const [newest] = sessions;
  if (connectedSince === null || !newest)
    return (
      <span>
        {state === 'offline' || state === 'banned' ? 'not connected' : 'CPU threads of the bridge'}
        {lastShareAt && ', last share '}
        {lastShareAt && <Age at={lastShareAt} />}
      </span>
    );
  return (
    <span>
      connected <Uptime at={connectedSince} />{' '}
      {sessions.length > 1
        ? `by ${counted(sessions.length, 'session')}`
        : `by ${newest.transport} from ${newest.peer.replace(/:\d+$/, '')}`}
    </span>
  );
}
