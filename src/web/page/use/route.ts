/** The route in the address bar. */
import { useEffect, useState } from 'preact/hooks';
import { type Route, readRoute } from '../route.js';

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => setHash(location.hash);
    // Perhaps between the first drawing and now.
    changed();
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return readRoute(hash);
}

/** Without a step to go back to: for what changes with every letter. */
export function replaceHash(hash: string): void {
  location.replace(hash);
}
