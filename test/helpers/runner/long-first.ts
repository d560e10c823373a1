/** In which order files of tests begin: one that takes a minute and begins last is waited for alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Beginnings of their paths. What a file took in another run is not known in a fresh checkout. */
const LONG = [
  'queue/faults',
  'e2e/',
  'web/page/',
  'queue/',
  'ledger/settlement/settlement-model',
  'commands/start',
];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONG.findIndex((path) => moduleId.includes(`/test/${path}`));
  return place === -1 ? LONG.length : place;
}
