/** Through a list that grows at its head: a page begins where the one before ended, whatever comes meanwhile. */
import { hashOf, type Route } from '../../route.js';

interface OlderProps {
  readonly route: Route;
  /** What the pages are of. */
  readonly label: string;
  /** `before` of the next page; `null` at the end, `undefined` while it is not known. */
  readonly next: string | null | undefined;
}

export function Older({ route: { view, params }, label, next }: OlderProps) {
  const { before = '', ...others } = Object.fromEntries(params);
  if (before === '' && !next) return null;
  return (
    <nav class="pager" aria-label={label}>
      {before === '' ? <span class="none">Latest</span> : <a href={hashOf(view, others)}>Latest</a>}
      {next ? <a href={hashOf(view, { ...others, before: next })}>Older</a> : <span class="none">Older</span>}
    </nav>
  );
}
