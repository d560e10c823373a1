/** Text that is meant to be copied, with a button that does so. */
import { useEffect, useRef, useState } from 'preact/hooks';

const SHOWN_MS = 2_000;

export function Copy({ text, what }: { text: string; what: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    const isCopied = await toClipboard(text, code.current);
    setSaid(isCopied ? 'Copied' : 'Selected: copy it with the keyboard');
  };
  return (
    <span class="copy">
      <code ref={code}>{text}</code>
      <button type="button" onClick={() => void copy()} aria-label={said === '' ? `Copy ${what}` : undefined}>
        {said || 'Copy'}
      </button>
      <span class="unseen" role="status">
        {said}
      </span>
    </span>
  );
}

/** The clipboard is there for pages by https or of this machine; elsewhere the text is selected, and the old way tried. */
async function toClipboard(text: string, shown: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (!shown) return false;
    getSelection()?.selectAllChildren(shown);
    return document.execCommand('copy');
  }
}
