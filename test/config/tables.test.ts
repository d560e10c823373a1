/** Tables of settings: what each of them takes and refuses, and what it is called. */

import { describe, expect, it } from 'vitest';
import { LEDGER_SETTINGS } from '../../src/commands/ledger/settings.js';
import { NODE_SETTINGS } from '../../src/commands/node/settings.js';
import { RECORDER_SETTINGS } from '../../src/commands/recorder/settings.js';
import { RIG_COMMAND_SETTINGS } from '../../src/commands/rig/settings.js';
import { environmentName, fileVariableName, flagName } from '../../src/config/names.js';
import { BRIDGE_SETTINGS, EVERY_SETTING } from '../../src/config/settings.js';
import type { Settings } from '../../src/values/setting.js';

const TABLES: readonly Settings[] = [
  LEDGER_SETTINGS,
  RECORDER_SETTINGS,
  BRIDGE_SETTINGS,
  RIG_COMMAND_SETTINGS,
  NODE_SETTINGS,
];
const EVERY = Object.entries(Object.assign({}, ...TABLES) as Settings);

describe('tables of settings', () => {
  it('take each of their choices, and each default', () => {
    const choices = EVERY.flatMap(([key, setting]) =>
      [...(setting.choices ?? []), setting.default].map((word) => ({ key, word, setting })),
    );
    for (const { key, word, setting } of choices) {
      expect([key, word, setting.type(setting.default).safeParse(word).success]).toEqual([key, word, true]);
    }
  });

  it('refuse what is of another kind in a sentence of ours', () => {
    const weird = [
      {},
      [],
      null,
      true,
      false,
      -1,
      1.5,
      '',
      ' ',
      '\u0000',
      [[]],
      [null],
      { a: {} },
      { a: null },
      [{ b: [] }],
    ];
    for (const [key, { type, default: byDefault }] of EVERY) {
      for (const value of [...weird, 12345, Number.NaN, { a: 'b' }, 'a=b=c', 'x,y']) {
        const { error } = type(byDefault).safeParse(value);
        for (const { message } of error?.issues ?? [])
          expect([key, value, message]).toEqual([key, value, expect.stringMatching(/^(is|has|names) /)]);
      }
    }
  });
});

describe('names', () => {
  it('make a variable of a key, and no two keys make the same', () => {
    const keys = Object.keys(EVERY_SETTING);
    const names = keys.flatMap((key) => [
      environmentName(key),
      fileVariableName(key, EVERY_SETTING[key] ?? {}) ?? `none of ${key}`,
    ]);
    expect(new Set(names).size).toBe(2 * keys.length);
    expect(environmentName('stratum.limits.ban')).toBe('STRATUM_BRIDGE_STRATUM_LIMITS_BAN');
  });

  it('make a flag of a key, without the section of a command that has its own', () => {
    expect(flagName('stratum.limits.idleTimeout')).toBe('stratum-limits-idle-timeout');
    expect(flagName('devnode.listen')).toBe('listen');
    expect(flagName('rig.urls')).toBe('urls');
  });

  it('have no flag where that would show a token in a list of processes', () => {
    const without = EVERY.filter(([, { noFlag }]) => noFlag).map(([key]) => key);
    expect([...new Set(without)]).toEqual(['web.tokens', 'alerts.targets']);
  });

  it('are one flag a setting, and no key stands above another', () => {
    for (const table of TABLES) {
      const flags = Object.keys(table).map(flagName);
      expect(new Set(flags).size).toBe(flags.length);
    }
    const keys = Object.keys(EVERY_SETTING);
    const above = keys.filter((key) => keys.some((other) => other.startsWith(`${key}.`)));
    expect(above).toEqual([]);
  });
});

describe('booleans', () => {
  const booleans = EVERY.filter(([, setting]) => setting.isBoolean);

  it('are all settings that take true and false and nothing else', () => {
    const takesBoth = EVERY.filter(([, { type, choices, default: byDefault }]) => {
      const takes = (given: unknown): boolean => type(byDefault).safeParse(given).success;
      return choices === undefined && takes(true) && takes(false) && !takes('off');
    });
    expect(takesBoth.map(([key]) => key)).toEqual(booleans.map(([key]) => key));
  });
});
