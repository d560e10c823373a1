import { expect, it } from 'vitest';
import type { LogLine } from '../../src/bridge/fleet/ports.js';
import { LogLines } from '../../src/fleet/front/log-lines.js';
import { until } from '../helpers/until.js';

function setUp() {
  const pieces: LogLine[][] = [];
  const log = new LogLines((lines) => void pieces.push(structuredClone([...lines])));
  const words = (): string[] => pieces.flat().map((line) => line.words);
  return { pieces, log, words };
}

it('lines come some at a time, what is wrong at once and after what was said before it', async () => {
  const { pieces, log, words } = setUp();
  log.debug({}, 'one');
  log.info({ rig: 'r' }, 'two');
  expect(pieces).toEqual([]);
  log.warn({}, 'three');
  expect(pieces).toEqual([
    [
      { level: 'debug', fields: {}, words: 'one' },
      { level: 'info', fields: { rig: 'r' }, words: 'two' },
      { level: 'warn', fields: {}, words: 'three' },
    ],
  ]);
  log.info({}, 'four');
  await until('it is told by itself', () => words().includes('four'));
  log.error({}, 'five');
  log.flush();
  expect(words()).toEqual(['one', 'two', 'three', 'four', 'five']);
});

it('lines that nobody wants stay here, and of too many the rest is counted', () => {
  const { log, words, pieces } = setUp();
  log.level = 'info';
  log.debug({}, 'too low');
  for (let i = 0; i < 1500; i++) log.info({}, 'a session has ended');
  log.flush();
  expect(words()).toHaveLength(1001);
  expect(pieces.flat().at(-1)).toEqual({
    ...{ level: 'warn', fields: { lines: 500 }, words: 'lines of the log are left out' },
  });
  log.level = 'silent';
  log.error({}, 'nobody hears it');
  log.flush();
  expect(words()).toHaveLength(1001);
});
