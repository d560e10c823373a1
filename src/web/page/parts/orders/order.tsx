/** An order that is asked about before it is given, in a dialog: what it does, and what it needs to know. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type OrderMethod, sentence } from '../../reading/ask.js';
import { useOrders } from '../../use/orders.js';
import { useReading } from '../../use/reading.js';
import { Dialog } from '../dialog.js';

/** What was typed, by the names of the fields. */
type Fields = Readonly<Record<string, string>>;

interface OrderProps<T> {
  /** On the button that asks. */
  readonly words: string;
  /** What it is called where several stand side by side: `Close session 12`. */
  readonly label?: string;
  /** `danger`: what it ends does not come back by itself. */
  readonly look?: 'danger' | 'primary' | undefined;
  /** What it does, and to whom it is a disturbance. */
  readonly asks: ComponentChildren;
  /** On the button that gives it. */
  readonly confirm: string;
  readonly method?: OrderMethod;
  readonly path: string;
  /** What is sent, where it is not the fields as they are. What is empty or `undefined` is left out. */
  body?(fields: Fields): Readonly<Record<string, unknown>>;
  /** What came of it, in a sentence. */
  said(answer: T, fields: Fields): string;
  /** Fields. */
  readonly children?: ComponentChildren;
}

export function Order<T>(props: OrderProps<T>) {
  const { words, label = words, look, asks, confirm, children } = props;
  const { isOpen, isBusy, fault, open, close, send, form } = useOrder(props);
  return (
    <div class="order">
      <button type="button" class={look} aria-label={label} aria-haspopup="dialog" onClick={open}>
        {words}
      </button>
      <Dialog title={label} isOpen={isOpen} close={close}>
        <form ref={form} class="order-form" onSubmit={send}>
          <p>{asks}</p>
          {children}
          <p class="problem" role="alert">
            {fault}
          </p>
          <p class="buttons">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" class={look === 'danger' ? 'danger' : 'primary'}>
              {isBusy ? 'Asking …' : confirm}
            </button>
          </p>
        </form>
      </Dialog>
    </div>
  );
}

function useOrder<T>({ method = 'POST', path, body = (fields) => fields, said }: OrderProps<T>) {
  const { ask } = useReading();
  const { ordered } = useOrders();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>('input:not([type=hidden]), select, [type=submit]');
    // Who opens a long one reads from its beginning.
    if (isOpen) first?.focus({ preventScroll: true });
  }, [isOpen]);
  const open = (): void => {
    setFault('');
    setOpen(true);
  };
  const close = (): void => setOpen(false);
  const send = async (event: Event & { currentTarget: HTMLFormElement }): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const fields = fieldsOf(event.currentTarget);
    setBusy(true);
    setFault('');
    try {
      const answer = await ask.order(method, path, given(body(fields)));
      close();
      ordered(said(answer as T, fields));
    } catch (error) {
      setFault(sentence(error));
    } finally {
      setBusy(false);
    }
  };
  return { isOpen, isBusy, fault, open, close, send, form };
}

function fieldsOf(form: HTMLFormElement): Fields {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));
}

function given(body: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const sent = Object.entries(body).filter(([, value]) => value !== '' && value !== undefined);
  return sent.length > 0 ? Object.fromEntries(sent) : undefined;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly maxLength: number;
  readonly placeholder?: string;
  /** What it is now. */
  readonly value?: string;
  readonly isNeeded?: boolean;
}

export function Field({ name, label, maxLength, placeholder, value, isNeeded = true }: FieldProps) {
  return (
    <label class="field">
      {label}
      <input
        name={name}
        maxLength={maxLength}
        placeholder={placeholder}
        defaultValue={value}
        required={isNeeded}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );
}

/** Why, where the timeline keeps it. */
export function Note({ label = 'Why, for the timeline' }: { label?: string }) {
  return <Field name="note" label={label} maxLength={500} />;
}
