import { count } from '../../words/numbers.js';

interface SlicesProps {
  readonly what: string;
  readonly total: number;
  readonly size: number;
  readonly offset: number;
  change(offset: number): void;
}

/** Through a list that is longer than what is shown of it; nothing where it is not. */
export function Slices({ what, total, size, offset, change }: SlicesProps) {
  if (total <= size) return null;
  return (
    <nav class="pager" aria-label={what}>
      <button type="button" disabled={offset === 0} onClick={() => change(Math.max(0, offset - size))}>
        Previous
      </button>
      <span>
        {count(offset + 1)}–{count(Math.min(total, offset + size))} of {count(total)}
      </span>
      <button type="button" disabled={offset + size >= total} onClick={() => change(offset + size)}>
        Next
      </button>
    </nav>
  );
}
