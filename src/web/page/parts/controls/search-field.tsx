import { useEffect, useRef, useState } from 'preact/hooks';

/** Who types is not interrupted by a search for each letter. */
const TYPING_MS = 200;

interface SearchFieldProps {
  readonly q: string;
  readonly label: string;
  /** In the field while it is empty. */
  readonly hint: string;
  change(q: string): void;
}

export function SearchField({ q, label, hint, change }: SearchFieldProps) {
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  // What else is chosen while somebody types must not be taken back by what was typed.
  const newest = useRef(change);
  newest.current = change;
  // Back and forward change it too; what was sent from here has perhaps been typed on since.
  useEffect(() => {
    if (q !== sent.current) setTyped(q);
    sent.current = q;
  }, [q]);
  useEffect(() => {
    if (typed === q) return undefined;
    const timer = setTimeout(() => {
      sent.current = typed;
      newest.current(typed);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={hint}
      autocomplete="off"
      spellcheck={false}
      maxLength={200}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
