import { PAGE_ROWS, type RigQuery } from '../../reading/rigs.js';
import { count } from '../../words/numbers.js';
import { hashOfQuery } from './query.js';

/** @param total rigs that are found. */
export function Pager({ query, total }: { query: RigQuery; total: number }) {
  const last = Math.ceil(total / PAGE_ROWS) - 1;
  const { page } = query;
  const from = page * PAGE_ROWS + 1;
  return (
    <nav class="pager" aria-label="Pages of rigs">
      <Step query={query} to={0} isThere={page > 0} words="First" />
      <Step query={query} to={page - 1} isThere={page > 0} words="Previous" />
      <span>
        {count(from)}–{count(Math.min(total, from + PAGE_ROWS - 1))} of {count(total)}
      </span>
      <Step query={query} to={page + 1} isThere={page < last} words="Next" />
      <Step query={query} to={last} isThere={page < last} words="Last" />
    </nav>
  );
}

interface StepProps {
  readonly query: RigQuery;
  readonly to: number;
  readonly isThere: boolean;
  readonly words: string;
}

/** A link that leads nowhere stays in its place, so that the others stay in theirs. */
function Step({ query, to, isThere, words }: StepProps) {
  if (!isThere) return <span class="none">{words}</span>;
  return <a href={hashOfQuery({ ...query, page: to })}>{words}</a>;
}
