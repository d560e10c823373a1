/** Settings that are right one by one and wrong together. */

import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../src/config/checks.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { loadConfig } from '../helpers/stories/load-config.js';

const check = (argv: readonly string[]) => checkSettings(loadConfig(BRIDGE_SETTINGS, { argv }));

describe('C8: between settings', () => {
  it('C8: nothing is wrong with the defaults, nor with what goes together', () => {
    expect(check([])).toEqual([]);
    expect(check(['--rewards-scheme', 'pps', '--rewards-schedule', '0=1'])).toEqual([]);
    expect(
      check([
        '--stratum-accounts-mode',
        'list',
        '--stratum-accounts-list',
        'a',
        '--stratum-tcp',
        '0',
        '--stratum-ws',
        '0',
      ]),
    ).toEqual([]);
    expect(
      check([
        '--cpu-mode',
        'external',
        '--cpu-command',
        'miner',
        '--stratum-tls-certificate',
        'a',
        '--stratum-tls-key',
        'b',
      ]),
    ).toEqual([]);
  });

  it('LQ12: sums of accounts are kept at least as long as those of rigs', () => {
    expect(check(['--ledger-retention-accounts', '60d', '--ledger-retention-rigs', '90d'])).toEqual([
      expect.stringMatching(/ledger-retention-accounts.* is shorter than ledger\.retention\.rigs/),
    ]);
    expect(check(['--ledger-retention-accounts', '90d', '--ledger-retention-rigs', '90d'])).toEqual([]);
  });

  it('N3: two nodes have two names, and are refused without a word of their passwords', () => {
    const two = (...urls: string[]) => check(urls.flatMap((url) => ['--node-urls', url]));
    expect(two('http://u:one@node:1848', 'http://u:one@node:1849', 'https://node:1848')).toEqual([]);
    const [problem, ...others] = two('http://u:one@node:1848', 'http://other', 'http://u:two@node:1848');
    expect(problem).toMatch(
      /^node\.urls: .* \(flag --node-urls\) names http:\/\/node:1848 more than once.*host name or port of its own$/,
    );
    expect([others, /one@|two@/.test(problem ?? '')]).toEqual([[], false]);
  });

  it.each([
    [
      ['--stratum-accounts-mode', 'list'],
      'stratum.accounts.list: [] (default) is empty: in stratum.accounts.mode list nobody could mine',
    ],
    [['--stratum-accounts-mode', 'password'], 'stratum.accounts.passwords: {} (default) is empty'],
    [
      ['--stratum-tls-certificate', 'a.pem'],
      'stratum.tls.key: "" (default) is not set: it goes together with stratum.tls.certificate',
    ],
    [['--stratum-tls-key', 'a.pem'], 'stratum.tls.certificate: "" (default) is not set'],
    [
      ['--cpu-mode', 'external'],
      'cpu.command: [] (default) is empty: cpu.mode external needs a command, give --cpu-command',
    ],
    [
      ['--stratum-vardiff-min', '1e12', '--stratum-vardiff-max', '1e6'],
      'stratum.vardiff.min: "1e12" (flag --stratum-vardiff-min) is above stratum.vardiff.max (1000000)',
    ],
    [['--rewards-scheme', 'pps'], 'rewards.schedule: {} (default) is empty: rewards.scheme pps'],
    [
      ['--web-tls-certificate', 'a.pem'],
      'web.tls.key: "" (default) is not set: it goes together with web.tls.certificate',
    ],
    [['--web-tls-key', 'a.pem'], 'web.tls.certificate: "" (default) is not set'],
    [
      ['--log-file', 'logs/a.log', '--events-file', 'logs/a.log'],
      'events.file: "logs/a.log" (flag --events-file) is the name of log.file, too: each needs its own',
    ],
    [
      ['--web-listen', '0.0.0.0:1917'],
      'web.listen: "0.0.0.0:1917" (flag --web-listen) is the port of stratum.tcp, too',
    ],
  ])('C8: %j', (argv, expected) => {
    expect(check(argv)).toEqual([expect.stringContaining(expected)]);
  });
});
