/** What another reading has brought, and what of it may be taken while a command runs. */

import { describe, expect, it } from 'vitest';
import { changedSettings } from '../../src/config/layers/changed.js';
import { BRIDGE_SETTINGS, EVERY_SETTING } from '../../src/config/settings.js';
import { loadConfig } from '../helpers/stories/load-config.js';

const load = (env: Readonly<Record<string, string>>) =>
  loadConfig(BRIDGE_SETTINGS, {
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [`STRATUM_BRIDGE_${name}`, value])),
  }).config;

describe('changed settings', () => {
  it('are those whose values differ, whoever gives them and however they are written', () => {
    const before = load({ CPU_BLOCK_DELAY: '10s', STRATUM_TCP: '3333', NODE_URLS: 'a:1,b:2' });
    expect(changedSettings(before, before)).toEqual([]);
    const same = load({
      CPU_BLOCK_DELAY: '10000ms',
      STRATUM_TCP: '0.0.0.0:3333',
      NODE_URLS: 'http://a:1,http://b:2',
    });
    expect(changedSettings(before, same)).toEqual([]);
    const other = load({
      LOG_LEVEL: 'warn',
      STRATUM_SHARE_DIFFICULTY: '4T',
      REWARDS_SCHEDULE: '0=1',
      NODE_URLS: 'b:2,a:1',
    });
    expect(changedSettings(before, other).sort()).toEqual([
      'cpu.blockDelay',
      'log.level',
      'node.urls',
      'rewards.schedule',
      'stratum.shareDifficulty',
      'stratum.tcp',
    ]);
  });
});

describe('live settings', () => {
  it('are level, certificates, accounts, limits, difficulty, alerts, and who may ask the web', () => {
    const live = Object.keys(EVERY_SETTING).filter((key) => EVERY_SETTING[key]?.live);
    const isOfWhole = (key: string): boolean => /^(stratum\.limits|alerts)\b/.test(key);
    const [whole, others] = [live.filter(isOfWhole), live.filter((key) => !isOfWhole(key))];
    expect(whole).toEqual(Object.keys(EVERY_SETTING).filter(isOfWhole));
    expect(others.sort()).toEqual([
      'log.level',
      'stratum.accounts.list',
      'stratum.accounts.mode',
      'stratum.accounts.passwords',
      'stratum.agents',
      'stratum.allow',
      'stratum.balancers',
      'stratum.deny',
      'stratum.ports',
      'stratum.shareDifficulty',
      'stratum.tls.certificate',
      'stratum.tls.key',
      'stratum.tls.selfSigned',
      'stratum.vardiff.interval',
      'stratum.vardiff.max',
      'stratum.vardiff.min',
      'stratum.vardiff.start',
      'web.hosts',
      'web.origins',
      'web.public',
      'web.tls.certificate',
      'web.tls.key',
      'web.tls.selfSigned',
      'web.tokens',
      'web.url',
    ]);
  });
});
