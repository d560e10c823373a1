/** What copies a text. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../icons.js';

const SHOWN_MS = 2_000;

interface CopyProps {
  readonly text: string;
  /** `the command`. */
  readonly what: string;
}

/** A text that is meant to be copied, with a button that does so. */
export function Copy({ text, what }: CopyProps) {
  return (
    <span class="copy">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

export function CopyButton({ text, what }: CopyProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    setSaid((await toClipboard(text, button.current)) ? 'Copied' : 'It could not be copied');
  };
  return (
    <>
      <button
        type="button"
        class="icon-button"
        ref={button}
        aria-label={`Copy ${what}`}
        onClick={() => void copy()}
      >
        <Icon name={said === 'Copied' ? 'done' : 'copy'} />
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

/** The clipboard is there for pages by https or of this machine; elsewhere the text is selected in a field, and the old way tried. */
async function toClipboard(text: string, beside: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // In a dialog nothing outside of it can be selected.
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'unseen';
    beside?.after(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    beside?.focus();
    return isCopied;
  }
}
