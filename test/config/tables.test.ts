/** Tables of settings: what is written in them twice, and what they may load. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEVNODE_SETTINGS } from '../../src/config/settings/devnode-settings.js';
import { EVERY_SETTING } from '../../src/config/settings/every.js';
import { SHOWN_LEDGER_SETTINGS } from '../../src/config/settings/ledger-settings.js';
import { environmentName, fileVariableName } from '../../src/config/settings/names.js';
import { RECORDER_SETTINGS } from '../../src/config/settings/recorder-settings.js';
import { POOL_PROTOCOLS, RIG_SETTINGS } from '../../src/config/settings/rig-settings.js';
import type { Settings } from '../../src/config/settings/setting.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings/settings.js';
import { VALUES } from '../../src/config/values/values.js';
import { POOL_PROTOCOLS as PROTOCOLS_OF_RIG } from '../../src/rig/wire.js';

const FOLDER = new URL('../../src/config/settings/', import.meta.url);
const TABLES: readonly Settings[] = [
  SHOWN_LEDGER_SETTINGS,
  RECORDER_SETTINGS,
  BRIDGE_SETTINGS,
  RIG_SETTINGS,
  DEVNODE_SETTINGS,
];
const EVERY = Object.entries(Object.assign({}, ...TABLES) as Settings);

describe('tables of settings', () => {
  it('import nothing but types and each other, so that help loads nothing heavy', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      const loaded = text.matchAll(/^(?:import|export)(?! type) [^;]*?from '([^']+)'/gm);
      for (const [, from] of loaded)
        expect([file, from]).toEqual([file, expect.stringMatching(/^\.{1,2}\/(payouts\/)?[\w-]+\.js$/)]);
      expect(text).not.toMatch(/\brequire\(|(?<!typeof )import\(/);
    }
  });

  it('take each of their choices, and each default', () => {
    const choices = EVERY.flatMap(([key, setting]) =>
      [...(setting.choices ?? []), setting.default].map((word) => ({ key, word, setting })),
    );
    for (const { key, word, setting } of choices) {
      expect([key, word, setting.type(VALUES, setting.default).safeParse(word).success]).toEqual([
        key,
        word,
        true,
      ]);
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
        const { error } = type(VALUES, byDefault).safeParse(value);
        for (const { message } of error?.issues ?? [])
          expect([key, value, message]).toEqual([key, value, expect.stringMatching(/^(is|has|names) /)]);
      }
    }
  });

  it('name the protocols of pools as the rig does', () => {
    expect(POOL_PROTOCOLS).toEqual(PROTOCOLS_OF_RIG);
  });
});

/** What of a flag is no word of its key, in its order: names that people know, or that stood before the rule. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  'stratum.agents': 'agent-floor',
  'stratum.accounts.list': 'allow-account',
  'stratum.tls.certificateFile': 'tls-cert',
  'shares.logMegabytes': 'share-log-mb',
  'rewards.feeOverrides': 'account-fee',
  'rewards.schedule': 'block-reward',
  'payouts.minimum': 'minimum-payout',
  'web.proxies': 'web-proxy',
};

describe('names', () => {
  it('make a variable of a key, and no two keys make the same', () => {
    const keys = Object.keys(EVERY_SETTING);
    const names = keys.flatMap((key) => [
      environmentName(key),
      fileVariableName(key, EVERY_SETTING[key] ?? {}) ?? `none of ${key}`,
    ]);
    expect(new Set(names).size).toBe(2 * keys.length);
    expect(environmentName('stratum.limits.banMs')).toBe('STRATUM_BRIDGE_STRATUM_LIMITS_BAN_MS');
  });

  it('make a flag of words of its key, but for a few', () => {
    const others = EVERY.filter(([key, { flag }]) => flag !== '' && !isMadeOf(wordsOf(key), flag.split('-')));
    expect(Object.fromEntries(others.map(([key, { flag }]) => [key, flag]))).toEqual(NAMED_OTHERWISE);
  });

  it('have no flag where that would show a token in a list of processes', () => {
    const without = EVERY.filter(([, { flag }]) => flag === '').map(([key]) => key);
    expect([...new Set(without)]).toEqual(['web.tokens', 'alerts.targets']);
  });

  it('are one flag a setting, and no key stands above another but the profile of limits', () => {
    for (const table of TABLES) {
      const flags = Object.values(table).flatMap(({ flag }) => (flag === '' ? [] : [flag]));
      expect(new Set(flags).size).toBe(flags.length);
    }
    const keys = Object.keys(EVERY_SETTING);
    const above = keys.filter((key) => keys.some((other) => other.startsWith(`${key}.`)));
    expect(above).toEqual(['stratum.limits']);
  });
});

/** `words` are some of `all`, in order; one of them may stand for many. */
function isMadeOf(all: readonly string[], words: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return true;
  const at = all.findIndex((each) => each === word || each === `${word}s`);
  return at !== -1 && isMadeOf(all.slice(at + 1), rest);
}

function wordsOf(key: string): string[] {
  return key.replace(/[A-Z]/g, ' $&').toLowerCase().split(/[ .]/);
}

describe('booleans', () => {
  const booleans = EVERY.filter(([, setting]) => setting.isBoolean);

  it('are all settings that take true and false and nothing else', () => {
    const takesBoth = EVERY.filter(([, { type, choices, default: byDefault }]) => {
      const takes = (given: unknown): boolean => type(VALUES, byDefault).safeParse(given).success;
      return choices === undefined && takes(true) && takes(false) && !takes('off');
    });
    expect(takesBoth.map(([key]) => key)).toEqual(booleans.map(([key]) => key));
  });
});
