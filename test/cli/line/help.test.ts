/** Help: the few settings that people need in groups, all of them when asked, within the width of the terminal. */

import { describe, expect, it } from 'vitest';
import { readLine } from '../../../src/cli/line/read.js';
import { COMMANDS, ROOT } from '../../../src/commands/commands.js';
import { SERVE_SETTINGS } from '../../../src/commands/serve/settings.js';
import { flagName } from '../../../src/config/names.js';
import { BRIDGE_SETTINGS } from '../../../src/config/settings.js';
import type { Settings } from '../../../src/values/setting.js';

function help(line: string, width = 80): string {
  const result = readLine({ root: ROOT, version: '1', width }, line.split(' '));
  return result.kind === 'told' ? result.text : expect.fail(JSON.stringify(result));
}

/** Flags that begin a line of it. */
const flagsIn = (text: string) => Array.from(text.matchAll(/^ {2}--([a-z-]+)/gm), ([, flag]) => flag ?? '');

describe('help', () => {
  it('is the same however one asks for it', () => {
    const text = help('ledger payout mark --help');
    for (const line of ['help ledger payout mark', '--help ledger payout mark', 'ledger -h payout mark']) {
      expect([line, help(line)]).toEqual([line, text]);
    }
    expect(help('ledger payout mark -h 7 sent extra')).toBe(text);
    expect(text).toContain('Usage: stratum-bridge ledger payout mark <payout> <outcome> [options]');
  });

  it.each(Object.keys(COMMANDS))('of %s fits 80 columns, and names its settings and examples', (name) => {
    const text = help(`${name} --help`);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    for (const example of COMMANDS[name]?.examples ?? [])
      expect(text).toContain(`  stratum-bridge ${example}\n`);
  });

  it('of serve shows some twenty settings in groups, and the rest when asked', () => {
    const short = help('serve --help');
    const headings = Array.from(short.matchAll(/^([A-Z][\w ]+):$/gm), ([, heading]) => heading);
    expect(headings).toEqual([
      'Node',
      'Account',
      'Rigs',
      'CPU',
      'Books',
      'Web and log',
      'General',
      'Examples',
    ]);
    const basic = Object.entries(SERVE_SETTINGS as Settings).filter(([, setting]) => setting.basic);
    expect(basic.length).toBeGreaterThan(15);
    expect(basic.length).toBeLessThan(26);
    expect(flagsIn(short).sort()).toEqual(
      [...basic.map(([key]) => flagName(key)), 'config', 'help-all'].sort(),
    );
    const left =
      Object.values(SERVE_SETTINGS as Settings).filter(({ noFlag }) => !noFlag).length - basic.length;
    expect(short).toMatch(new RegExp(`^  --help-all +all settings, ${left} more`, 'm'));
  });

  it('in full names each setting with its key and variable', () => {
    for (const line of ['serve --help-all', 'serve --cpu-mode off --help-all']) {
      const full = help(line);
      expect(flagsIn(full)).toEqual(
        expect.arrayContaining(
          Object.entries(BRIDGE_SETTINGS as Settings).flatMap(([key, { noFlag }]) =>
            noFlag ? [] : flagName(key),
          ),
        ),
      );
      expect(full).toMatch(
        /^ {2}--stratum-tcp <HOST:PORT>\n {6}Where .*\s+\(default:\s+0\.0\.0\.0:1917, env:\s+STRATUM_BRIDGE_STRATUM_TCP, in a file\s+stratum\.tcp\)$/m,
      );
    }
    expect(flagsIn(help('ledger payout prepare --help-all'))).toEqual(
      expect.arrayContaining(['chain', 'payouts-minimum']),
    );
  });

  it('says which units numbers take, where a number that it shows has any', () => {
    expect(help('rig --help')).toContain('\nNumbers take units: 250ms, 30s, 5m');
    expect(help('ledger accounts --help')).not.toContain('Numbers take units');
  });

  it('tells the defaults of the command itself', () => {
    expect(help('serve --help')).toMatch(
      /--stratum-tcp <HOST:PORT> +Where rigs connect over TCP, or off\. A\s+bare\s+port\s+uses\s+the\s+default\s+host\.\s+\(default:\s+0\.0\.0\.0:1917\)/,
    );
    expect(help('demo --help')).toMatch(
      /--stratum-tcp <HOST:PORT> +Where rigs connect over TCP, or off\. A\s+bare\s+port\s+uses\s+the\s+default\s+host\.\s+\(default:\s+127\.0\.0\.1:1917\)/,
    );
  });

  it('lists nested commands with their words', () => {
    expect(help('ledger payout --help')).toMatch(/^ {2}mark <payout> <outcome> {2,}\S/m);
    expect(help('--help')).toMatch(/^ {2}serve +run the bridge between nodes and rigs$/m);
  });
});
