/** Orders to an account, for who may give them. */
import { BanOrder, LiftBan } from '../../parts/orders/bans.js';
import { Menu } from '../../parts/orders/menu.js';
import { MessageOrder } from '../../parts/orders/message-order.js';
import { Field, Note, Order } from '../../parts/orders/order.js';
import { useBans } from '../../use/bans.js';
import { useSession } from '../../use/session.js';

interface ActionsProps {
  readonly account: string;
  /** `undefined` while it is not in the books: there is nothing to be paid. */
  readonly isOnHold: boolean | undefined;
}

export function AccountActions({ account, isOnHold }: ActionsProps) {
  const { may } = useSession();
  const [ban] = useBans(({ kind, login }) => kind === 'account' && login === account) ?? [];
  const [operates, approves, isAdmin] = [may('operate'), may('approve'), may('admin')];
  return (
    <>
      {ban && (
        <span class="chip is-fault" title={ban.reason}>
          Banned
        </span>
      )}
      {(operates || approves || isAdmin) && (
        <Menu words="Actions">
          {operates && <MessageOrder meant={{ to: 'account', account }} />}
          {approves && isOnHold === false && <Hold account={account} />}
          {approves && isOnHold && <Allow account={account} />}
          {isAdmin && <Terms account={account} />}
          {operates && !ban && (
            <BanOrder
              words="Ban the account"
              asks="Closes all sessions of its rigs and refuses new ones, until the ban ends or is lifted."
              whom={() => ({ kind: 'account', account })}
            />
          )}
          {operates && ban && <LiftBan ban={ban} />}
        </Menu>
      )}
    </>
  );
}

type OfAccount = Pick<ActionsProps, 'account'>;

function Hold({ account }: OfAccount) {
  return (
    <Order
      words="Put payments on hold"
      asks="The account is not paid until you allow it again. It goes on earning."
      confirm="Put on hold"
      path={`/api/v1/accounts/${encodeURIComponent(account)}/hold`}
      said={() => 'Payments are on hold'}
    >
      <Note />
    </Order>
  );
}

function Allow({ account }: OfAccount) {
  return (
    <Order
      words="Allow payments"
      asks="The next payout pays the account again."
      confirm="Allow"
      path="/api/v1/accounts/allow"
      body={(fields) => ({ ...fields, account })}
      said={() => 'The account is paid again'}
    >
      <Note />
    </Order>
  );
}

function Terms({ account }: OfAccount) {
  return (
    <Order
      words="Set terms"
      asks="Fields left empty stay as they are. “default” makes one as it is for everybody."
      confirm="Set"
      method="PUT"
      path={`/api/v1/accounts/${encodeURIComponent(account)}/terms`}
      said={() => 'The terms are set, from now on'}
    >
      <Field name="fee" label="Fee" placeholder="0.5%" maxLength={20} isNeeded={false} />
      <Field name="minimum" label="Minimum of a payment" maxLength={40} isNeeded={false} />
      <Field name="note" label="Note, kept with the account" maxLength={500} isNeeded={false} />
    </Order>
  );
}
