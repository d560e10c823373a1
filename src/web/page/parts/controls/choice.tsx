import { hashOf, type Route } from '../../route.js';
import { replaceHash } from '../../use/route.js';

interface ChoiceProps {
  readonly route: Route;
  /** The parameter of the address. */
  readonly name: string;
  readonly label: string;
  /** Value and words; an empty value stands for all. */
  readonly options: readonly (readonly [string, string])[];
}

/** One of a few, kept in the address. Another choice begins at the first page. */
export function Choice({ route: { view, params }, name, label, options }: ChoiceProps) {
  const chosen = params.get(name) ?? '';
  const choose = (value: string): void =>
    replaceHash(hashOf(view, { ...Object.fromEntries(params), before: '', [name]: value }));
  return (
    <label class="choice">
      {label}{' '}
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
