/** Many members a slice at a time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Rounds } from '../../src/stratum/jobs/rounds.js';

it('visits each once a round, and about as many in each slice', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 30 }), (count, slices) => {
      const rounds = new Rounds<number>(slices);
      const members = new Set(Array.from({ length: count }, (_, i) => i));
      for (let round = 0; round < 2; round++) {
        const visited: number[] = [];
        for (let slice = 0; slice < slices; slice++) {
          expect([rounds.begins, rounds.number]).toEqual([slice === 0, round]);
          const before = visited.length;
          rounds.next(members, (member) => void visited.push(member));
          expect(visited.length - before).toBeLessThanOrEqual(Math.ceil(count / slices));
        }
        expect(visited).toEqual([...members]);
      }
    }),
  );
});

it('passes over who goes, and visits who comes by the end of the round', () => {
  const rounds = new Rounds<string>(3);
  const members = new Set(['a', 'b', 'c']);
  const visited: string[] = [];
  const visit = (member: string): void => {
    visited.push(member);
    if (member === 'a') members.delete('b');
    if (member === 'c') members.add('d');
  };
  for (let slice = 0; slice < 3; slice++) rounds.next(members, visit);
  expect(visited).toEqual(['a', 'c', 'd']);
});
