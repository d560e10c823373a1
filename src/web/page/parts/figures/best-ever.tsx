/** The best share ever, at whatever bridge. */
import { withUnit } from '../../words/numbers.js';
import { Age } from './age.js';
import { Figure } from './figure.js';

interface BestEver {
  readonly difficulty: string;
  readonly at: string;
}

export function BestEverFigure({ best }: { best: BestEver | null }) {
  return (
    <Figure name="Best share ever" value={best === null ? undefined : inHashes(best)}>
      {best === null ? (
        'none yet'
      ) : (
        <>
          hashes, <Age at={best.at} />
        </>
      )}
    </Figure>
  );
}

export const inHashes = ({ difficulty }: BestEver): string => withUnit(Number(difficulty), '');
