/** One grammar of units: what may be written, and that a plain number is in the unit of its key. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEVNODE_SETTINGS } from '../../src/config/settings/devnode-settings.js';
import { KNOWN_AGENTS } from '../../src/config/settings/known-agents.js';
import { LEDGER_SETTINGS } from '../../src/config/settings/ledger-settings.js';
import { RIG_SETTINGS } from '../../src/config/settings/rig-settings.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings/settings.js';
import { formatQuantity, readQuantity, readWhole, type Unit } from '../../src/config/values/units.js';
import { VALUES } from '../../src/config/values/values.js';
import { loadConfig } from '../helpers/stories/load-config.js';

/** What a plain number means, written out. */
const WRITTEN: Readonly<Record<Unit, (plain: number) => string>> = {
  ms: (plain) => `${plain}ms`,
  s: (plain) => `${plain}s`,
  bytes: (plain) => `${plain}B`,
  MB: (plain) => `${plain}MiB`,
  'basis points': (plain) => `${(plain / 100).toFixed(2)}%`,
  count: (plain) => `${(plain / 1000).toFixed(3)}k`,
  hashes: (plain) => `${plain / 1000}k`,
};
const UNITS = Object.keys(WRITTEN) as Unit[];
const FRACTIONS: readonly Unit[] = ['s', 'MB', 'hashes'];

describe('the grammar', () => {
  it.each<[string, Unit, number]>([
    ['250ms', 'ms', 250],
    ['30s', 'ms', 30_000],
    ['5m', 'ms', 300_000],
    ['1h', 's', 3600],
    ['1.5h', 'ms', 5_400_000],
    ['2d', 'ms', 172_800_000],
    ['500ms', 's', 0.5],
    ['0.1', 's', 0.1],
    ['16KiB', 'bytes', 16_384],
    ['16 KiB', 'bytes', 16_384],
    ['1MB', 'bytes', 1_000_000],
    ['1.5MiB', 'bytes', 1_572_864],
    ['512MiB', 'MB', 512],
    ['1GiB', 'MB', 1024],
    ['1MB', 'MB', 1e6 / 2 ** 20],
    ['1%', 'basis points', 100],
    ['0.25%', 'basis points', 25],
    ['0.01', 'basis points', 100],
    ['0.0025', 'basis points', 25],
    ['0', 'basis points', 0],
    ['100%', 'basis points', 10_000],
    ['10k', 'count', 10_000],
    ['4e12', 'count', 4e12],
    ['4T', 'hashes', 4e12],
    ['1.5T', 'hashes', 1.5e12],
    ['4e+21', 'hashes', 4e21],
  ])('%s in %s is %d', (text, unit, expected) => {
    expect(readQuantity(text, unit)).toBe(expected);
  });

  it.each<[string, Unit]>([
    ['1.5', 'ms'],
    ['1.5ms', 'ms'],
    ['0.5B', 'bytes'],
    ['0.001%', 'basis points'],
    ['1', 'basis points'],
    ['1.0', 'basis points'],
    ['1e0', 'basis points'],
    ['100', 'basis points'],
    ['1.5', 'count'],
    ['30S', 'ms'],
    ['16KIB', 'bytes'],
    ['1k', 'bytes'],
    ['5m', 'bytes'],
    ['1M', 'ms'],
    ['1%', 'count'],
    ['-1', 'count'],
    ['1e', 'count'],
    ['0x10', 'count'],
    ['', 'count'],
    ['s', 's'],
    ['1constructor', 's'],
    ['1h30m', 'ms'],
    ['Infinity', 'hashes'],
  ])('%s is nothing in %s', (text, unit) => {
    expect(readQuantity(text, unit)).toBeUndefined();
  });

  it('reads whole numbers of any size exactly', () => {
    expect(readWhole('1.000000000000000001T', 'count')).toBeUndefined();
    expect(
      readWhole('115792089237316195423570985008687907853269984665640564039457584007913129639936', 'count'),
    ).toBe(1n << 256n);
    expect(readWhole('18446744073709551.615k', 'count')).toBe((1n << 64n) - 1n);
  });
});

describe('a plain number', () => {
  it.each(UNITS)('is the same with the unit of its key: %s', (unit) => {
    const whole = fc.integer({ min: 0, max: 1_000_000_000 });
    const some = FRACTIONS.includes(unit)
      ? fc.oneof(
          whole,
          fc.integer({ min: 1, max: 99_999 }).map((n) => n / 8),
        )
      : whole;
    fc.assert(
      fc.property(some, (plain) => {
        if (unit !== 'basis points') expect(readQuantity(String(plain), unit)).toBe(plain);
        expect(readQuantity(WRITTEN[unit](plain), unit)).toBe(plain);
      }),
    );
  });

  it.each(UNITS)('is read again from what is shown of it: %s', (unit) => {
    const max = ['s', 'MB', 'basis points'].includes(unit) ? 1_000_000 : Number.MAX_SAFE_INTEGER;
    fc.assert(
      fc.property(fc.integer({ min: 0, max }), (plain) => {
        expect(readQuantity(formatQuantity(plain, unit), unit)).toBe(plain);
      }),
    );
  });

  it('is shown as people write it', () => {
    const shown = [formatQuantity(600_000, 'ms'), formatQuantity(0.1, 's'), formatQuantity(8192, 'bytes')];
    expect(shown).toEqual(['10m', '100ms', '8KiB']);
    expect([formatQuantity(512, 'MB'), formatQuantity(150, 'basis points')]).toEqual(['512MiB', '1.5%']);
    expect([formatQuantity(1e18, 'hashes'), formatQuantity(20_000, 'count')]).toEqual(['1e18', '20000']);
  });
});

describe('every setting that is a number', () => {
  const settings = { ...LEDGER_SETTINGS, ...RIG_SETTINGS, ...DEVNODE_SETTINGS };
  const numbers = Object.entries(settings).filter(([, setting]) => typeof setting.default === 'number');

  it('takes its unit, which its key names', () => {
    expect(numbers.length).toBeGreaterThan(20);
    for (const [key, { unit }] of numbers) {
      const named = key.endsWith('Ms')
        ? 'ms'
        : /seconds/i.test(key)
          ? 's'
          : /bytes$/i.test(key)
            ? 'bytes'
            : undefined;
      const apart: Readonly<Record<string, Unit>> = {
        'shares.logMegabytes': 'MB',
        benchmark: 's',
      };
      const expected = apart[key] ?? (key.endsWith('Megabytes') ? 'MB' : named);
      expect([key, unit]).toEqual([key, expected ?? expect.stringMatching(/^(count|hashes)$/)]);
    }
  });

  it('takes its default as a person writes it', () => {
    for (const [key, { type, unit = 'count', default: byDefault }] of numbers) {
      const shown = formatQuantity(Number(byDefault), unit);
      expect([key, type(VALUES, byDefault).parse(shown)]).toEqual([key, byDefault]);
    }
  });

  it.each([
    [
      'cpu-block-delay-ms',
      '2d',
      'is no time from 1ms to 1d: a whole number of milliseconds, or with a unit such as 250ms, 30s',
    ],
    ['vardiff-seconds', '1ms', 'is no time from 100ms to 1h: a number of seconds, or with a unit'],
    [
      'alert-disk-bytes',
      '2PiB',
      'is no size from 0 to 1024TiB: a whole number of bytes, or with a unit such as 16KiB',
    ],
    ['share-log-mb', '16', undefined],
    [
      'share-log-mb',
      '0.5',
      'is no size from 16MiB to 1000000MiB: a number of MB (of 2^20 bytes), or with a unit',
    ],
    [
      'fee',
      '101%',
      'is no part from 0 to 100%, down to 0.01%: write 1% or 0.01, as a bare 1 could be either',
    ],
    ['cpu-threads', '2k', 'is no whole number from 0 to 1024 (10k and 1e4 are numbers, too)'],
    ['vardiff-max', '0.5', 'is no number from 1 to 1.6e60 (4T and 4e12 are numbers, too)'],
    ['chains', '21', 'is neither auto nor a number of chains from 1 to 20'],
    ['share-difficulty', '1.5', 'a number of expected hashes such as 4T or 4e12'],
    ['account-fee', 'a=1.001%', 'is no part from 0 to 100%'],
    ['pplns-window', '6', 'is neither a multiple of the block difficulty such as 2x nor a time such as 6h'],
  ])('--%s %s says what it takes', (flag, text, expected) => {
    const load = (): unknown => loadConfig(BRIDGE_SETTINGS, { argv: [`--${flag}`, text] });
    if (expected === undefined) expect(load).not.toThrow();
    else expect(load).toThrow(expected);
  });

  it.each(['1', '2', '100', '1.0'])('WB50: --fee %s is refused with both spellings', (text) => {
    const load = (argv: readonly string[]) => loadConfig(BRIDGE_SETTINGS, { argv: [...argv] }).config;
    const says = 'write 1% or 0.01, as a bare 1 could be either';
    expect(() => load(['--fee', text])).toThrow(`rewards.feeBasisPoints: "${text}" (flag --fee) is no part`);
    expect(() => load(['--fee', text])).toThrow(says);
    expect(() => load(['--account-fee', `a=${text}`])).toThrow(says);
    expect(['1%', '0.01'].map((fee) => load(['--fee', fee])['rewards.feeBasisPoints'])).toEqual([100, 100]);
    expect(load([])['rewards.feeBasisPoints']).toBe(100);
  });

  it('and those made of numbers take units, too', () => {
    const argv = [
      '--account-fee',
      'a=1.5%',
      '--account-fee',
      'b=0.0007',
      '--agent-floor',
      'KD=1T',
      '--pplns-window',
      '1.5h',
    ];
    const { config } = loadConfig(BRIDGE_SETTINGS, {
      argv: [...argv, '--share-difficulty', '4T', '--block-reward', '10k=2'],
    });
    expect(config).toMatchObject({
      'rewards.feeOverrides': { a: 150, b: 7 },
      'stratum.agents': [{ agent: 'KD', floor: 1e12 }, ...KNOWN_AGENTS],
      'rewards.pplnsWindow': { of: 'time', ms: 5_400_000 },
      'rewards.schedule': [{ fromHeight: 10_000 }],
      'stratum.shareDifficulty': 4_000_000_000_000n,
    });
  });
});
