/** The tables of README that repeat the code, made from the code. Run by itself, it writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { SHOWN_SETTINGS } from '../../src/commands/ledger-settings.js';
import { NODE_SETTINGS } from '../../src/commands/node-settings.js';
import { RIG_SETTINGS } from '../../src/commands/rig.js';
import type { Settings } from '../../src/config/setting.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { flagOf, showDefault } from '../../src/config/show.js';

const TABLES: Readonly<Record<string, string>> = {
  bridge: tableOf(BRIDGE_SETTINGS, true),
  rig: tableOf(RIG_SETTINGS, false),
  ledger: tableOf(SHOWN_SETTINGS, false),
  node: tableOf(NODE_SETTINGS, false),
};

function tableOf(settings: Settings, withKeys: boolean): string {
  const rows = Object.entries(settings).map(([key, setting]) => {
    const cells = [`\`${flagOf(setting)}\``, showDefault(setting), setting.help];
    return withKeys ? [`\`${key}\``, ...cells] : cells;
  });
  const head = [...(withKeys ? ['key'] : []), 'flag', 'default', 'what it is'];
  return [head, head.map(() => '---'), ...rows].map(rowOf).join('\n');
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** `readme` with each `<!-- settings: NAME -->` … `<!-- end -->` filled. */
export function fillTables(readme: string): string {
  return readme.replace(
    /<!-- settings: (\w+) -->[\s\S]*?<!-- end -->/g,
    (_, name: string) => `<!-- settings: ${name} -->\n${TABLES[name]}\n<!-- end -->`,
  );
}

if (process.argv[2] === '--write') {
  writeFileSync('README.md', fillTables(readFileSync('README.md', 'utf8')));
}
