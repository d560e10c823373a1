import { expect, it } from 'vitest';
import { startSignsOfLife } from '../../src/assembly/watch/signs-of-life.js';
import { SILENT } from '../../src/core/names/log.js';
import { until } from '../helpers/until.js';

it('X14: a line is logged again and again while all is well, and also when nothing can be told', async () => {
  const said: object[] = [];
  const say = (fields: object): void => void said.push(fields);
  let turns = 0;
  const look = (): object => {
    if (++turns === 2) throw new Error('no answer');
    return { sessions: 3 };
  };
  const life = startSignsOfLife(look, { ...SILENT, info: say, warn: say }, 5);
  await until('three signs', () => said.length >= 3);
  life.close();
  expect(said.slice(0, 3)).toEqual([
    { event: 'alive', sessions: 3 },
    { event: 'alive', error: 'no answer' },
    { event: 'alive', sessions: 3 },
  ]);
});
