/** Settings among the words of a command line. */

import { describe, expect, it } from 'vitest';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { loadConfig } from '../helpers/stories/load-config.js';

const recorder = (...argv: string[]) => {
  const { config, sources } = loadConfig(BRIDGE_SETTINGS, { argv });
  return [config['queue.recorder'], sources['queue.recorder']];
};

describe('one kind of boolean', () => {
  it('is a flag alone, or its no', () => {
    expect(recorder()).toEqual([true, 'default']);
    expect(recorder('--queue-recorder')).toEqual([true, 'flag --queue-recorder']);
    expect(recorder('--no-queue-recorder')).toEqual([false, 'flag --no-queue-recorder']);
    expect(recorder('--no-queue-recorder', '--queue-recorder')).toEqual([true, 'flag --queue-recorder']);
  });

  it('takes nothing else, and swallows no word that is not its own', () => {
    for (const argv of [
      ['--queue-recorder', 'false'],
      ['--queue-recorder=false'],
      ['--queue-recorder=maybe'],
      ['--no-queue-recorder=true'],
    ]) {
      expect(() => recorder(...argv)).toThrow(/recorder|too many arguments/);
    }
    expect(recorder('--queue-recorder', '--data-dir', 'false')).toEqual([true, 'flag --queue-recorder']);
  });

  it('is said by variables and files in words', () => {
    const env = { STRATUM_BRIDGE_QUEUE_RECORDER: 'false' };
    expect(loadConfig(BRIDGE_SETTINGS, { env }).config['queue.recorder']).toBe(false);
    const wrong = { STRATUM_BRIDGE_QUEUE_RECORDER: 'no' };
    expect(() => loadConfig(BRIDGE_SETTINGS, { env: wrong })).toThrow('is neither true nor false');
  });
});
