import { RIG_STATES } from '../../../../operations/enums.js';
import { Segments } from '../../parts/controls/segments.js';
import type { RigList } from '../../reading/answers.js';
import { count } from '../../words/numbers.js';
import { hashOfQuery, type TableQuery } from './query.js';

interface StateChoiceProps {
  readonly query: TableQuery;
  /** `undefined` until they are known. */
  readonly states: RigList['states'] | undefined;
}

/** Which rigs are shown, and how many there are of each kind. */
export function StateChoice({ query, states }: StateChoiceProps) {
  const all = states && Object.values(states).reduce((sum, each) => sum + each, 0);
  const words = (name: string, times: number | undefined): string =>
    times === undefined ? name : `${name} ${count(times)}`;
  return (
    <Segments
      label="State"
      options={[
        ['', words('All', all)],
        ...RIG_STATES.map(
          (state) =>
            [state, words(`${state.charAt(0).toUpperCase()}${state.slice(1)}`, states?.[state])] as const,
        ),
      ]}
      chosen={query.state}
      hrefOf={(state) => hashOfQuery({ ...query, state, page: 0 })}
    />
  );
}
