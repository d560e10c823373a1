/** One grammar of units: what may be written. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NODE_SETTINGS } from '../../src/commands/node/settings.js';
import { RIG_COMMAND_SETTINGS } from '../../src/commands/rig/settings.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { KNOWN_AGENTS } from '../../src/stratum/settings/known-agents.js';
import type { Settings } from '../../src/values/setting.js';
import { formatQuantity, readQuantity, readWhole, type Unit } from '../../src/values/units.js';
import { loadConfig } from '../helpers/stories/load-config.js';

/** How a number is written in the smallest unit of its kind. */
const WRITTEN: Readonly<Record<Unit, (number: number) => string>> = {
  time: (ms) => `${ms}ms`,
  size: (bytes) => `${bytes}B`,
  part: (basisPoints) => `${(basisPoints / 100).toFixed(2)}%`,
  count: (number) => `${(number / 1000).toFixed(3)}k`,
  hashes: (number) => `${number / 1000}k`,
};
const UNITS = Object.keys(WRITTEN) as Unit[];

describe('the grammar', () => {
  it.each<[string, Unit, number]>([
    ['250ms', 'time', 250],
    ['30s', 'time', 30_000],
    ['5m', 'time', 300_000],
    ['1h', 'time', 3_600_000],
    ['1.5h', 'time', 5_400_000],
    ['2d', 'time', 172_800_000],
    ['0', 'time', 0],
    ['0', 'size', 0],
    ['16KiB', 'size', 16_384],
    ['16 KiB', 'size', 16_384],
    ['1MB', 'size', 1_000_000],
    ['1.5MiB', 'size', 1_572_864],
    ['1%', 'part', 100],
    ['0.25%', 'part', 25],
    ['0.01', 'part', 100],
    ['0.0025', 'part', 25],
    ['0', 'part', 0],
    ['100%', 'part', 10_000],
    ['10k', 'count', 10_000],
    ['4e12', 'count', 4e12],
    ['4T', 'hashes', 4e12],
    ['1.5T', 'hashes', 1.5e12],
    ['4e+21', 'hashes', 4e21],
  ])('%s in %s is %d', (text, unit, expected) => {
    expect(readQuantity(text, unit)).toBe(expected);
  });

  it.each<[string, Unit]>([
    ['1.5', 'time'],
    ['1.5ms', 'time'],
    ['0.5B', 'size'],
    ['0.001%', 'part'],
    ['1', 'part'],
    ['1.0', 'part'],
    ['1e0', 'part'],
    ['100', 'part'],
    ['1.5', 'count'],
    ['30S', 'time'],
    ['16KIB', 'size'],
    ['1k', 'size'],
    ['5m', 'size'],
    ['1M', 'time'],
    ['1%', 'count'],
    ['-1', 'count'],
    ['1e', 'count'],
    ['0x10', 'count'],
    ['', 'count'],
    ['s', 'time'],
    ['1constructor', 'time'],
    ['600000', 'time'],
    ['512', 'size'],
    ['1h30m', 'time'],
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

describe('a number of each kind', () => {
  it.each(UNITS)('is read in the smallest unit: %s', (unit) => {
    const some = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(some, (number) => {
        expect(readQuantity(WRITTEN[unit](number), unit)).toBe(number);
      }),
    );
  });

  it.each(['count', 'hashes'] as const)('needs no unit to be a %s', (unit) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (number) => {
        expect(readQuantity(String(number), unit)).toBe(number);
      }),
    );
    expect(readQuantity('0.125', 'hashes')).toBe(0.125);
  });

  it.each(UNITS)('is read again from what is shown of it: %s', (unit) => {
    const max = unit === 'part' ? 1_000_000 : Number.MAX_SAFE_INTEGER;
    fc.assert(
      fc.property(fc.integer({ min: 0, max }), (number) => {
        expect(readQuantity(formatQuantity(number, unit), unit)).toBe(number);
      }),
    );
  });

  it('is shown as people write it', () => {
    const shown = [
      formatQuantity(600_000, 'time'),
      formatQuantity(100, 'time'),
      formatQuantity(8192, 'size'),
    ];
    expect(shown).toEqual(['10m', '100ms', '8KiB']);
    expect([formatQuantity(2 ** 29, 'size'), formatQuantity(150, 'part')]).toEqual(['512MiB', '1.5%']);
    expect([formatQuantity(1e18, 'hashes'), formatQuantity(20_000, 'count')]).toEqual(['1e18', '20000']);
  });
});

describe('every setting that is a number', () => {
  const settings: Settings = { ...BRIDGE_SETTINGS, ...RIG_COMMAND_SETTINGS, ...NODE_SETTINGS };
  const numbers = Object.entries(settings).filter(([, { unit }]) => unit !== undefined);

  it('has its unit in its value, and none in its key', () => {
    expect(numbers.length).toBeGreaterThan(30);
    for (const key of Object.keys(settings)) expect(key).not.toMatch(/(Ms|Seconds|Bytes|Megabytes|Points)$/);
  });

  it('takes its default as a person writes it', () => {
    for (const [key, { type, unit, default: byDefault }] of numbers) {
      if (!unit || typeof byDefault !== 'number') continue;
      const shown = formatQuantity(byDefault, unit);
      expect([key, type(byDefault).parse(shown)]).toEqual([key, byDefault]);
    }
  });

  it.each([
    ['cpu-block-delay', '2d', 'is no time from 1ms to 1d: write it with its unit, such as 250ms, 30s'],
    ['cpu-block-delay', '5000', 'is no time from 1ms to 1d: write it with its unit, such as 250ms, 30s'],
    ['alerts-disk', '2PiB', 'is no size from 0 to 1024TiB: write it with its unit, such as 16KiB'],
    ['shares-log-size', '16MiB', undefined],
    ['shares-log-size', '16', 'is no size from 16MiB to 1000000MiB: write it with its unit'],
    [
      'rewards-fee',
      '101%',
      'is no part from 0 to 100%, down to 0.01%: write 1% or 0.01, as a bare 1 could be either',
    ],
    ['cpu-threads', '2k', 'is no whole number from 0 to 1024 (10k and 1e4 are numbers, too)'],
    ['stratum-vardiff-max', '0.5', 'is no number from 1 to 1.6e60 (4T and 4e12 are numbers, too)'],
    ['work-chains', '21', 'is neither auto nor a number of chains from 1 to 20'],
    ['stratum-share-difficulty', '1.5', 'a number of expected hashes such as 4T or 4e12'],
    ['rewards-fee-overrides', 'a=1.001%', 'is no part from 0 to 100%'],
    [
      'rewards-pplns-window',
      '6',
      'is neither a multiple of the block difficulty such as 2x nor a time such as 6h',
    ],
  ])('--%s %s says what it takes', (flag, text, expected) => {
    const load = (): unknown => loadConfig(BRIDGE_SETTINGS, { argv: [`--${flag}`, text] });
    if (expected === undefined) expect(load).not.toThrow();
    else expect(load).toThrow(expected);
  });

  it.each(['1', '2', '100', '1.0'])('WB50: --rewards-fee %s is refused with both spellings', (text) => {
    const load = (argv: readonly string[]) => loadConfig(BRIDGE_SETTINGS, { argv: [...argv] }).config;
    const says = 'write 1% or 0.01, as a bare 1 could be either';
    expect(() => load(['--rewards-fee', text])).toThrow(
      `rewards.fee: "${text}" (flag --rewards-fee) is no part`,
    );
    expect(() => load(['--rewards-fee', text])).toThrow(says);
    expect(() => load(['--rewards-fee-overrides', `a=${text}`])).toThrow(says);
    expect(['1%', '0.01'].map((fee) => load(['--rewards-fee', fee])['rewards.fee'])).toEqual([100, 100]);
    expect(load([])['rewards.fee']).toBe(100);
  });

  it('and those made of numbers take units, too', () => {
    const argv = [
      '--rewards-fee-overrides',
      'a=1.5%',
      '--rewards-fee-overrides',
      'b=0.0007',
      '--stratum-agents',
      'KD=1T',
      '--rewards-pplns-window',
      '1.5h',
    ];
    const { config } = loadConfig(BRIDGE_SETTINGS, {
      argv: [...argv, '--stratum-share-difficulty', '4T', '--rewards-schedule', '10k=2'],
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
