/** Orders that ban, and that lift a ban. */
import type { ComponentChildren } from 'preact';
import type { Ban } from '../../reading/answers.js';
import { counted } from '../../words/numbers.js';
import { Field, Order } from './order.js';

interface BanOrderProps {
  readonly words: string;
  readonly asks: string;
  /** As the API takes it. @param fields what was typed, where `children` asks for it. */
  whom(fields: Readonly<Record<string, string>>): Readonly<Record<string, unknown>>;
  readonly children?: ComponentChildren;
}

export function BanOrder({ words, asks, whom, children }: BanOrderProps) {
  return (
    <Order<{ closed: number }>
      words={words}
      look="danger"
      asks={asks}
      confirm="Ban"
      path="/api/v1/bans"
      body={({ reason, for: time, ...fields }) => ({ ...whom(fields), reason, for: time })}
      said={({ closed }) => `Banned; ${counted(closed, 'session')} closed`}
    >
      {children}
      <Field name="reason" label="Reason, told to the rig" maxLength={200} isNeeded={false} />
      <Field
        name="for"
        label="For how long; empty: until it is lifted"
        placeholder="1d"
        maxLength={20}
        isNeeded={false}
      />
    </Order>
  );
}

interface LiftBanProps {
  readonly ban: Pick<Ban, 'id' | 'login' | 'address'>;
  /** Where several stand side by side. */
  readonly isOneOfMany?: boolean;
}

export function LiftBan({ ban: { id, login, address }, isOneOfMany = false }: LiftBanProps) {
  const what = `the ban of ${login ?? address}`;
  return (
    <Order
      words={isOneOfMany ? 'Lift' : 'Lift the ban'}
      label={isOneOfMany ? `Lift ${what}` : 'Lift the ban'}
      asks="Who was banned may come in again at once."
      confirm="Lift"
      method="DELETE"
      path={`/api/v1/bans/${encodeURIComponent(id)}`}
      said={() => `${what} is lifted`}
    />
  );
}
