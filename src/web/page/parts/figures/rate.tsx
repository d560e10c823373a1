/** A hash rate with its standard error. */
import type { HashRate } from '../../reading/answers.js';
import { errorBeside, hashRate } from '../../words/numbers.js';
import { NONE } from '../none.js';

export function Rate({ rate }: { rate: HashRate | undefined }) {
  if (!rate) return NONE;
  const { hashesPerSecond, standardError } = rate;
  return (
    <span class="rate">
      {hashRate(hashesPerSecond)}{' '}
      {hashesPerSecond > 0 && <span class="error">{errorBeside(hashesPerSecond, standardError)}</span>}
    </span>
  );
}
