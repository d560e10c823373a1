import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { ScreenConfig } from '../../../src/cli/screen/screen.js';
import { Reloader } from '../../../src/cli/service/reload.js';
import { ConfigError } from '../../../src/config/layers/config-error.js';
import { untilTrue } from '../../helpers/until.js';

interface Config extends ScreenConfig {
  readonly live: readonly string[];
  readonly fixed: bigint;
}

const FIRST: Config = {
  ...{ 'log.level': 'info', 'log.format': 'json', 'log.file': '' },
  ...{ live: ['a'], fixed: 1n },
};

function reloader(isUp = true) {
  const told: Record<string, unknown>[] = [];
  const log = pino(
    { level: FIRST['log.level'], base: null, formatters: { level: (level) => ({ level }) } },
    { write: (line) => void told.push(JSON.parse(line)) },
  );
  const applied: Config[] = [];
  const state = {
    ...{ next: FIRST, reading: 0, fault: undefined as unknown },
    applies: async (): Promise<void> => {},
  };
  const reload = new Reloader<{ config: Config; reading: number }>({
    first: { config: FIRST, reading: 0 },
    read: async () => {
      if (state.fault) throw state.fault;
      return { config: state.next, reading: ++state.reading };
    },
    log,
  });
  const begin = (): void =>
    reload.begin(async (config) => {
      applied.push(config);
      await state.applies();
      return ['live'];
    });
  /** Reads them as changed in this way, and gives what is told of it. */
  const changedBy = async (change: Partial<Config>): Promise<string[]> => {
    state.next = { ...state.next, ...change };
    const from = told.length;
    await reload.ask('me');
    return told.slice(from).map(({ level, msg }) => `${level}: ${msg}`);
  };
  if (isUp) begin();
  return { reload, state, applied, log, told, changedBy, begin };
}

describe('settings read again', () => {
  it('says of each changed setting whether it took effect', async () => {
    const { changedBy, applied } = reloader();
    expect(await changedBy({ live: ['a', 'b'], fixed: 2n })).toEqual([
      'info: live took effect',
      'warn: fixed requires a restart',
    ]);
    expect(applied.map(({ live }) => live)).toEqual([['a', 'b']]);
  });

  it('looks what a reload would change, and changes nothing', async () => {
    const { reload, state, applied, changedBy } = reloader();
    state.next = { ...FIRST, live: ['b'], fixed: 2n };
    expect(await reload.look()).toMatchObject({ changed: ['live', 'fixed'], refused: [] });
    expect(applied).toEqual([]);
    expect(reload.inForce('live').config.live).toEqual(['a']);
    state.fault = new ConfigError(['one fault', 'another']);
    expect(await reload.look()).toEqual({ changed: [], refused: ['one fault', 'another'] });
    state.fault = undefined;
    // What waits for a restart is still another than in force.
    await changedBy({});
    expect(await reload.look()).toMatchObject({ changed: ['fixed'] });
  });

  it('tells again what still requires a restart, until it is as it was', async () => {
    const { changedBy } = reloader();
    await changedBy({ live: [], fixed: 2n });
    expect(await changedBy({})).toEqual(['warn: fixed requires a restart']);
    expect(await changedBy({ fixed: 1n })).toEqual(['info: no setting has changed']);
  });

  it('lets the parts read their files again when no setting has changed', async () => {
    const { changedBy, applied } = reloader();
    expect(await changedBy({ live: ['a'] })).toEqual(['info: no setting has changed']);
    expect(applied).toHaveLength(1);
  });

  it('takes the new level of the log, and is heard by who listens on either', async () => {
    const { changedBy, log } = reloader();
    expect(await changedBy({ 'log.level': 'silent' })).toEqual(['info: log.level took effect']);
    expect(log.level).toBe('silent');
    expect(await changedBy({ live: [] })).toEqual([]);
    expect(await changedBy({ 'log.level': 'debug', live: ['x'] })).toEqual([
      'info: log.level took effect',
      'info: live took effect',
    ]);
    expect(log.level).toBe('debug');
  });

  it('changes nothing for settings with a fault, and tells every problem', async () => {
    const { changedBy, state, applied, log } = reloader();
    state.fault = new ConfigError(['live: is wrong', 'fixed: is wrong, too']);
    expect(await changedBy({ 'log.level': 'debug' })).toEqual([
      'error: all settings stay as they are: live: is wrong',
      'error: all settings stay as they are: fixed: is wrong, too',
    ]);
    expect([applied, log.level]).toEqual([[], 'info']);
    state.fault = undefined;
    expect(await changedBy({})).toEqual(['info: log.level took effect']);
  });

  it('tells what the parts could not do, and goes on', async () => {
    const { changedBy, state, told } = reloader();
    state.applies = () => Promise.reject(new Error('no such file'));
    expect(await changedBy({ live: [] })).toEqual(['error: not all settings could be changed']);
    expect(told.at(-1)).toMatchObject({ event: 'reload', state: 'refused', error: 'no such file' });
    state.applies = async () => {};
    expect(await changedBy({})).toEqual(['info: live took effect']);
  });

  it('goes through once more for all who ask meanwhile, and no more once it is closed', async () => {
    const { reload, state, applied } = reloader();
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    state.applies = () => isReleased;
    const first = reload.ask('me');
    await untilTrue(() => applied.length === 1);
    state.next = { ...FIRST, live: ['late'] };
    for (let i = 0; i < 3; i++) void reload.ask('me');
    release();
    await first;
    expect(applied.map(({ live }) => live)).toEqual([['a'], ['late']]);
    await reload.close();
    await reload.ask('me');
    expect(applied).toHaveLength(2);
  });

  it('answers with what took effect, what requires a restart and what was refused', async () => {
    const { reload, state } = reloader();
    state.next = { ...FIRST, live: ['b'], fixed: 2n };
    expect(await reload.ask('me')).toEqual({ tookEffect: ['live'], wantsRestart: ['fixed'], refused: [] });
    expect(await reload.ask('me')).toEqual({ tookEffect: [], wantsRestart: ['fixed'], refused: [] });
    state.fault = new ConfigError(['live: is wrong', 'fixed: too']);
    const refused = ['live: is wrong', 'fixed: too'];
    expect(await reload.ask('me')).toEqual({ tookEffect: [], wantsRestart: ['fixed'], refused });
    state.fault = undefined;
    state.applies = () => Promise.reject(new Error('no such file'));
    expect(await reload.ask('me')).toMatchObject({
      refused: ['not all settings could be changed: no such file'],
    });
  });

  it('answers all who ask meanwhile with what came of all', async () => {
    const { reload, state, applied } = reloader();
    let release = (): void => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    state.applies = () => isReleased;
    state.next = { ...FIRST, live: ['b'] };
    const first = reload.ask('me');
    await untilTrue(() => applied.length === 1);
    const second = reload.ask('me');
    release();
    const report = { tookEffect: ['live'], wantsRestart: [], refused: [] };
    expect(await Promise.all([first, second])).toEqual([report, report]);
    expect(applied).toHaveLength(2);
  });

  it('knows from which reading each value comes that is in force, and which waits', async () => {
    const { reload, state } = reloader();
    const readings = (key: string) => [reload.inForce(key).reading, reload.waiting(key)?.reading];
    expect(readings('fixed')).toEqual([0, undefined]);
    state.next = { ...FIRST, live: ['b'], fixed: 2n };
    await reload.ask('me');
    expect([readings('live'), readings('fixed')]).toEqual([
      [1, undefined],
      [0, 1],
    ]);
    await reload.ask('me');
    expect([readings('live'), readings('fixed')]).toEqual([
      [2, undefined],
      [0, 2],
    ]);
    state.next = { ...state.next, fixed: 1n };
    await reload.ask('me');
    expect(readings('fixed')).toEqual([3, undefined]);
  });

  it('is refused before the service is up, and once it stops', async () => {
    const { reload, begin } = reloader(false);
    expect((await reload.ask('me')).refused).toEqual([
      'the service is not up yet: ask again when it is ready',
    ]);
    begin();
    expect((await reload.ask('me')).refused).toEqual([]);
    await reload.close();
    expect((await reload.ask('me')).refused).toEqual(['the service stops']);
  });
});
