/** Settings that are right one by one and wrong together. */
import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../src/config/checks.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings/settings.js';
import { loadConfig } from '../helpers/stories/load-config.js';

const check = (argv: readonly string[]) => checkSettings(loadConfig(BRIDGE_SETTINGS, { argv }));

describe('C8: between settings', () => {
  it('C8: nothing is wrong with the defaults, nor with what goes together', () => {
    expect(check([])).toEqual([]);
    expect(check(['--reward-scheme', 'pps', '--block-reward', '0=1'])).toEqual([]);
    expect(check(['--accounts', 'list', '--allow-account', 'a', '--tcp', '0', '--ws', '0'])).toEqual([]);
    expect(
      check(['--cpu', 'external', '--cpu-command', 'miner', '--tls-cert', 'a', '--tls-key', 'b']),
    ).toEqual([]);
  });

  it('N3: two nodes have two names, and are refused without a word of their passwords', () => {
    const two = (...urls: string[]) => check(urls.flatMap((url) => ['--node', url]));
    expect(two('http://u:one@node:1848', 'http://u:one@node:1849', 'https://node:1848')).toEqual([]);
    const [problem, ...others] = two('http://u:one@node:1848', 'http://other', 'http://u:two@node:1848');
    expect(problem).toMatch(
      /^node\.urls: .* \(flag --node\) names http:\/\/node:1848 more than once.*host name or port of its own$/,
    );
    expect([others, /one@|two@/.test(problem ?? '')]).toEqual([[], false]);
  });

  it.each([
    [
      ['--accounts', 'list'],
      'stratum.accounts.list: [] (default) is empty: in stratum.accounts.mode list nobody could mine',
    ],
    [['--accounts', 'password'], 'stratum.accounts.passwords: {} (default) is empty'],
    [
      ['--tls-cert', 'a.pem'],
      'stratum.tls.privateKeyFile: "" (default) is not set: it goes together with stratum.tls.certificateFile',
    ],
    [['--tls-key', 'a.pem'], 'stratum.tls.certificateFile: "" (default) is not set'],
    [
      ['--cpu', 'external'],
      'cpu.command: [] (default) is empty: cpu.mode external needs a command, give --cpu-command',
    ],
    [
      ['--vardiff-min', '1e12', '--vardiff-max', '1e6'],
      'stratum.vardiff.minDifficulty: "1e12" (flag --vardiff-min) is above stratum.vardiff.maxDifficulty (1000000)',
    ],
    [['--reward-scheme', 'pps'], 'rewards.schedule: {} (default) is empty: rewards.scheme pps'],
    [
      ['--web-tls-certificate', 'a.pem'],
      'web.tls.privateKeyFile: "" (default) is not set: it goes together with web.tls.certificateFile',
    ],
    [['--web-tls-key', 'a.pem'], 'web.tls.certificateFile: "" (default) is not set'],
    [
      ['--log-file', 'logs/a.log', '--event-file', 'logs/a.log'],
      'events.file: "logs/a.log" (flag --event-file) is the name of log.file, too: each needs its own',
    ],
    [['--web', '0.0.0.0:1917'], 'web.listen: "0.0.0.0:1917" (flag --web) is the port of stratum.tcp, too'],
  ])('C8: %j', (argv, expected) => {
    expect(check(argv)).toEqual([expect.stringContaining(expected)]);
  });
});
