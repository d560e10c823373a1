/** Settings among the words of a command line. */
import { describe, expect, it } from 'vitest';
import { BRIDGE_SETTINGS } from '../../src/config/settings/settings.js';
import { loadConfig } from '../helpers/stories/load-config.js';

const recorder = (...argv: string[]) => {
  const { config, sources } = loadConfig(BRIDGE_SETTINGS, { argv });
  return [config['queue.recorder'], sources['queue.recorder']];
};

describe('one kind of boolean', () => {
  it('is a flag alone, or its no', () => {
    expect(recorder()).toEqual([true, 'default']);
    expect(recorder('--recorder')).toEqual([true, 'flag --recorder']);
    expect(recorder('--no-recorder')).toEqual([false, 'flag --no-recorder']);
    expect(recorder('--no-recorder', '--recorder')).toEqual([true, 'flag --recorder']);
  });

  it('takes nothing else, and swallows no word that is not its own', () => {
    for (const argv of [
      ['--recorder', 'false'],
      ['--recorder=false'],
      ['--recorder=maybe'],
      ['--no-recorder=true'],
    ]) {
      expect(() => recorder(...argv)).toThrow(/recorder|one word too many/);
    }
    expect(recorder('--recorder', '--data-dir', 'false')).toEqual([true, 'flag --recorder']);
  });

  it('is said by variables and files in words', () => {
    const env = { STRATUM_BRIDGE_QUEUE_RECORDER: 'false' };
    expect(loadConfig(BRIDGE_SETTINGS, { env }).config['queue.recorder']).toBe(false);
    const wrong = { STRATUM_BRIDGE_QUEUE_RECORDER: 'no' };
    expect(() => loadConfig(BRIDGE_SETTINGS, { env: wrong })).toThrow('is neither true nor false');
  });
});
