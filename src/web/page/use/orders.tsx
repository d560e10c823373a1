/** Orders that are given in a view: after each one all that the view shows is asked for again, and what came of it stands above the view, as what it was given from may be gone. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { endedSentence } from '../words/sentences.js';

interface Orders {
  /** How many were carried out. */
  readonly given: number;
  /** @param words what came of one. */
  ordered(words: string): void;
}

/** Around no view nobody gives any. */
const Given = createContext<Orders>({ given: 0, ordered() {} });

export function OrdersProvider({ children }: { children: ComponentChildren }) {
  const [{ given, words }, setLast] = useState({ given: 0, words: '' });
  const ordered = (said: string): void =>
    setLast((last) => ({ given: last.given + 1, words: endedSentence(said) }));
  return (
    <Given.Provider value={{ given, ordered }}>
      <p class="said trouble is-good" role="status">
        {words}
      </p>
      {children}
    </Given.Provider>
  );
}

export function useOrders(): Orders {
  return useContext(Given);
}
