/** From where is paid, by which bridge, and what the pool should have on each chain. */
import { Amount } from '../../parts/amount.js';
import { Card } from '../../parts/card.js';
import { Facts } from '../../parts/facts.js';
import { Note, Order } from '../../parts/orders/order.js';
import { Who } from '../../parts/who.js';
import type { Holding, PayerView } from '../../reading/answers.js';
import { usePool } from '../../use/pool.js';
import { useSession } from '../../use/session.js';
import { shortAmount } from '../../words/money.js';
import { counted } from '../../words/numbers.js';

interface WalletProps {
  readonly payer: PayerView | undefined;
  /** `undefined` until they are known. */
  readonly holdings: readonly Holding[] | undefined;
}

export function Wallet({ payer, holdings = [] }: WalletProps) {
  const chains = chainsIn(holdings);
  const operator = holdings.find(({ name }) => name === 'operator');
  const isOnChain = payer !== undefined && payer.account !== null;
  if (!isOnChain && !operator) return null;
  return (
    <Card id="wallet" title="Wallet">
      <Facts
        of={[
          ['Paid from', isOnChain && <Who account={payer.account ?? ''} hasCopy />],
          ['On hold', isOnChain && payer.held > 0 && <OnHold accounts={payer.held} />],
          ['By the books', chains.length > 0 && <Amount of={walletOf(holdings).toFixed(12)} />],
          ['The operator has', operator && <Amount of={operator.balance} />],
        ]}
      />
      {chains.length > 0 && <Chains chains={chains} />}
    </Card>
  );
}

const CHAIN = /^chain (\d+)$/;

/** What blocks brought on each, less what was paid there: below zero where coins were moved there. */
function chainsIn(holdings: readonly Holding[]): readonly Holding[] {
  return holdings.filter(({ name }) => CHAIN.test(name));
}

/** By the books, in all. */
export function walletOf(holdings: readonly Holding[]): number {
  return chainsIn(holdings).reduce((sum, { balance }) => sum + Number(balance), 0);
}

function OnHold({ accounts }: { accounts: number }) {
  return (
    <>
      {counted(accounts, 'account')} <AllowAll />
    </>
  );
}

function AllowAll() {
  const { may } = useSession();
  if (!may('approve')) return null;
  return (
    <Order<{ allowed: readonly string[] }>
      words="Pay all of them again"
      asks="All accounts that are on hold are paid again, with the next payout."
      confirm="Pay them again"
      path="/api/v1/accounts/allow"
      body={(fields) => ({ ...fields, all: true })}
      said={({ allowed }) => `${counted(allowed.length, 'account')} are paid again`}
    >
      <Note label="Why" />
    </Order>
  );
}

const HALF = 20;

function Chains({ chains }: { chains: readonly Holding[] }) {
  const { coin } = usePool();
  const most = Math.max(...chains.map(({ balance }) => Math.abs(Number(balance)))) || 1;
  return (
    <>
      <p class="note">By chain: what blocks brought, less what was paid there</p>
      <ol class="chain-bars">
        {chains.map(({ name, balance }) => {
          const size = (HALF * Number(balance)) / most;
          const words = `${shortAmount(balance)} ${coin}`;
          return (
            <li key={name} title={`${name}: ${words}`}>
              <svg viewBox={`0 0 10 ${2 * HALF}`} preserveAspectRatio="none" aria-hidden="true">
                <rect
                  class={size < 0 ? 'is-below' : ''}
                  x={0}
                  width={10}
                  y={HALF - Math.max(0, size)}
                  height={Math.max(0.5, Math.abs(size))}
                />
              </svg>
              <span aria-hidden="true">{CHAIN.exec(name)?.[1]}</span>
              <span class="unseen">
                {name}: {words}
              </span>
            </li>
          );
        })}
      </ol>
    </>
  );
}
