import { counted } from '../../words/numbers.js';
import { Field, Order } from './order.js';

/** As the API takes it. */
type Meant =
  | { readonly to: 'all' }
  | { readonly to: 'account'; readonly account: string }
  | { readonly to: 'login'; readonly account: string; readonly rig: string }
  | {
      readonly to: 'session';
      readonly id: number;
      readonly openedAt: string;
      readonly bridge: number | null;
    };

interface MessageOrderProps {
  readonly meant: Meant;
  readonly words?: string;
  /** Where several stand side by side. */
  readonly label?: string;
}

export function MessageOrder({ meant, words = 'Send a message', label = words }: MessageOrderProps) {
  return (
    <Order<{ told: number; sessions: number }>
      words={words}
      label={label}
      asks="Rigs that take messages show it; the others never hear of it."
      confirm="Send"
      path="/api/v1/messages"
      body={({ text }) => ({ ...meant, text })}
      said={({ told, sessions }) =>
        `Shown by ${told} of ${counted(sessions, 'session')}: not every rig takes messages`
      }
    >
      <Field name="text" label="Message, one line" maxLength={500} />
    </Order>
  );
}
