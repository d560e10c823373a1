/** An order that is asked about before it is given, in place: what it does, what it needs to know, and what came of it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Ask, sentence } from '../../reading/ask.js';
import { useReading } from '../../use/reading.js';
import { endedSentence } from '../../words/sentences.js';

interface OrderProps {
  /** On the button that asks. */
  readonly words: string;
  /** What it is called where several stand side by side: `Close session 12`. */
  readonly label?: string;
  /** What it does, and to whom it is a disturbance. */
  readonly asks: ComponentChildren;
  /** On the button that gives it. */
  readonly confirm: string;
  /** Fields; their values come by their names. */
  readonly children?: ComponentChildren;
  /** @returns what came of it, in a sentence; empty where that is said elsewhere. */
  give(ask: Ask, given: (name: string) => string): Promise<string>;
}

export function Order({ words, label, asks, confirm, children, give }: OrderProps) {
  const { isOpen, isBusy, said, fault, open, close, send, first, form } = useOrder(give);
  return (
    <div class="order">
      <button
        type="button"
        ref={first}
        aria-expanded={isOpen}
        aria-label={label}
        onClick={isOpen ? close : open}
      >
        {words}
      </button>
      {isOpen && (
        <form ref={form} onSubmit={send} aria-label={label ?? words}>
          <p>{asks}</p>
          {children}
          <p class="tools">
            <button type="submit">{isBusy ? 'Asking …' : confirm}</button>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
      <p class="problem" role="alert">
        {fault}
      </p>
      <p class="said" role="status">
        {said}
      </p>
    </div>
  );
}

function useOrder(give: OrderProps['give']) {
  const { ask } = useReading();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const [fault, setFault] = useState('');
  const first = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (isOpen) form.current?.querySelector<HTMLElement>('input, select, button')?.focus();
  }, [isOpen]);
  const open = (): void => {
    setSaid('');
    setFault('');
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    first.current?.focus();
  };
  const send = async (event: Event & { currentTarget: HTMLFormElement }): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const fields = new FormData(event.currentTarget);
    setBusy(true);
    setFault('');
    try {
      setSaid(endedSentence(await give(ask, (name) => String(fields.get(name) ?? '').trim())));
      close();
    } catch (error) {
      setFault(sentence(error));
    } finally {
      setBusy(false);
    }
  };
  return { isOpen, isBusy, said, fault, open, close, send, first, form };
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly maxLength: number;
  readonly placeholder?: string;
  readonly isNeeded?: boolean;
}

export function Field({ name, label, maxLength, placeholder, isNeeded = true }: FieldProps) {
  return (
    <label class="field">
      {label}
      <input
        name={name}
        maxLength={maxLength}
        placeholder={placeholder}
        required={isNeeded}
        autocomplete="off"
        spellcheck={false}
      />
    </label>
  );
}
