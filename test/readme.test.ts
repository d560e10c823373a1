/** What the README.md pages say is compared with what is there. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/commands/commands.js';
import { BRIDGE_SETTINGS } from '../src/config/settings.js';
import { composeNonce, nonce1FromHex, nonce2FromHex } from '../src/core/jobs/nonce.js';
import { SILENT } from '../src/core/names/log.js';
import { LIMIT_PROFILES, type StratumLimits } from '../src/stratum/admission/limits.js';
import { readQuantity } from '../src/values/units.js';
import { createMetrics } from '../src/web/metrics/metrics.js';
import { startWebServer } from '../src/web/server.js';
import { ERROR_CODES } from '../src/wire/errors.js';
import { parseRigMessage, parseServerMessage } from '../src/wire/message-parser.js';
import { temporaryFolder } from './helpers/folder.js';
import { packInto } from './helpers/processes/package.js';
import { fillTables } from './helpers/tools/readme-tables.js';
import { MOST_BYTES, SCREENS, SCREENS_FOLDER } from './helpers/tools/screens.js';
import { idleBridge } from './helpers/web/idle-bridge.js';
import { commandFaults, nameFaults } from './helpers/web/page-commands.js';
import { fileFaults, linkFaults, type Page, pageOf, ROOT, readPages } from './helpers/web/pages.js';

const PAGES = readPages();
const page = (path: string): Page => {
  const found = PAGES.find((each) => each.path === path);
  if (!found) throw new Error(`there is no page ${path}`);
  return found;
};
const README = page('README.md');
const STRATUM = page('src/stratum/README.md');
const WEB = page('src/web/README.md');

function readSources(): string {
  const names = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts'));
  return files.map((name) => readFileSync(join(ROOT, 'src', name), 'utf8')).join('\n');
}

/** The first cells of all rows of tables, without their backticks. */
function firstCells({ text }: Page): string[] {
  return Array.from(text.matchAll(/^\| ([^|]+?) \|/gm), ([, cell = '']) => cell.replaceAll('`', ''));
}

describe('README.md', () => {
  it('has at most 150 lines', () => {
    expect(README.text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  it('lists the commands with their summaries', () => {
    for (const [name, { summary }] of Object.entries(COMMANDS))
      expect(README.text).toContain(`| \`${name}\` | ${summary} |`);
  });

  it('links in the package to what is in the package', async () => {
    await using folder = await temporaryFolder();
    const { files } = await packInto(folder.path);
    const links = README.links
      .filter((link) => !/^(https?:|#)/.test(link))
      .map((link) => link.split('#')[0] ?? '');
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => !files.includes(link))).toEqual([]);
  });

  it('shows pictures of the page that are small', () => {
    const shown = README.links.filter((link) => link.endsWith('.png'));
    expect(shown).toEqual(Object.keys(SCREENS).map((name) => `${SCREENS_FOLDER}/${name}`));
    for (const path of shown) {
      const bytes = readFileSync(join(ROOT, path));
      expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
      expect(bytes.length, path).toBeLessThanOrEqual(MOST_BYTES);
    }
  });

  it('tells for testing what CI runs first', () => {
    expect(README.text).toContain('```\nnpm ci && npm test\n```');
    const run = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    expect(run).toMatch(/^npm ci /m);
    expect(run).toMatch(/^for script in test /m);
  });
});

describe('README.md on trouble', () => {
  it('quotes messages that the program has', () => {
    const table = README.text.slice(README.text.indexOf('| you see |'), README.text.indexOf('## Where'));
    const cells = Array.from(table.matchAll(/^\| (.+?) \|/gm), ([, cell = '']) => cell);
    const quoted = cells.flatMap((cell) => pageOf('', cell).inline);
    expect(quoted.length).toBeGreaterThan(5);
    const sources = readSources();
    expect(quoted.filter((words) => !sources.includes(words))).toEqual([]);
  });
});

describe('config/promises/README.md', () => {
  it('names tests that are there', () => {
    const named = [...page('config/promises/README.md').text.matchAll(/\| `(test\/[^`]+)`: (.+) \|/g)];
    expect(named.length).toBeGreaterThan(10);
    for (const [, file = '', words = ''] of named)
      expect(readFileSync(join(ROOT, file), 'utf8'), `${file}: ${words}`).toContain(words);
  });
});

describe('all pages', () => {
  it('link to files and headings that exist', () => {
    expect(PAGES.length).toBeGreaterThan(12);
    expect(PAGES.flatMap((each) => linkFaults(each, PAGES))).toEqual([]);
    expect(PAGES.flatMap(fileFaults)).toEqual([]);
  });

  it('name commands, flags, values, keys and variables that exist', () => {
    expect(PAGES.flatMap(commandFaults)).toEqual([]);
    expect(PAGES.flatMap(nameFaults)).toEqual([]);
  });

  it('have the tables as the code has them (`npm run readme` writes them)', () => {
    for (const { text } of PAGES) expect(fillTables(text)).toBe(text);
  });
});

describe('the checks of pages', () => {
  const faultsIn = (text: string): string[] => {
    const made = pageOf('README.md', text);
    return [...linkFaults(made, PAGES), ...fileFaults(made), ...commandFaults(made), ...nameFaults(made)];
  };

  it.each([
    ['[a](nowhere.md)'],
    ['[a](config/README.md#no-such-heading)'],
    ['[a](#no-such-heading)'],
    ['`src/core/nowhere.ts`'],
    ['`nowhere.ts`'],
    ['`npm run nowhere`'],
    ['`stratum-bridge nowhere`'],
    ['`stratum-bridge ledger nowhere`'],
    ['`stratum-bridge serve nowhere`'],
    ['`stratum-bridge serve --nowhere 1`'],
    ['`stratum-bridge ledger payout mark 7 sent --no-such-flag x`'],
    ['`stratum-bridge serve --stratum-tcp nowhere`'],
    ['`stratum-bridge serve --tcp-nowhere`'],
    ['```\nnpx stratum-bridge serve --nowhere\n```'],
    ['```\nnpm ci && npm run nowhere\n```'],
    ['```\nsudo -u someone stratum-bridge ledger nowhere\n```'],
    ['`--no-such-flag`'],
    ['`stratum.nowhere`'],
    ['`STRATUM_BRIDGE_NOWHERE`'],
  ])('finds the fault of %j', (text) => {
    expect(faultsIn(text)).toHaveLength(1);
  });

  it('finds none where there is none', () => {
    const text = [
      '# A heading, `with` code',
      '[a](#a-heading-with-code) [b](config) [c](https://example.com/nowhere)',
      '`npm ci`, `stratum-bridge COMMAND --help`, `stratum-bridge serve --node-urls http://NODE:1848`',
      '`--stratum-tcp 127.0.0.1:1917`, `stratum.limits.profile`, `STRATUM_BRIDGE_MINER_ACCOUNT`, `src/main.ts`',
    ];
    expect(faultsIn(text.join('\n'))).toEqual([]);
  });
});

describe('config/README.md', () => {
  it('has the limits of each profile', () => {
    const rows = Array.from(
      page('config/README.md').text.matchAll(/^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
    );
    const names = Object.keys(BRIDGE_SETTINGS).flatMap(
      (key) => /^stratum\.limits\.(?!profile)(.*)/.exec(key)?.[1] ?? [],
    );
    expect(rows.map(([, name]) => name)).toEqual(names);
    for (const [, name = '', ...cells] of rows) {
      const unit = /^(idleTimeout|ban)$/.test(name) ? 'time' : 'count';
      const shown = cells.map((cell) => readQuantity(cell.replace(',', '').trim(), unit));
      const key = (unit === 'time' ? `${name}Ms` : name) as keyof StratumLimits;
      expect([name, ...shown]).toEqual([name, ...Object.values(LIMIT_PROFILES).map((each) => each[key])]);
    }
  });

  it.each([
    ['times', 'time'],
    ['sizes', 'size'],
    ['parts', 'part'],
    ['numbers', 'hashes'],
  ] as const)('shows %s as the program reads them', (kind, unit) => {
    const [row = ''] = page('config/README.md').text.match(new RegExp(`^\\| ${kind}.*$`, 'm')) ?? [];
    const shown = pageOf('', row).inline;
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.filter((text) => readQuantity(text, unit) === undefined)).toEqual([]);
  });
});

describe('test/bench/README.md', () => {
  it('lists every benchmark', () => {
    const main = readFileSync(join(ROOT, 'test/bench/main.ts'), 'utf8');
    const names = Array.from(main.matchAll(/^ {2}(\w+): async \(\) => \(await import/gm), ([, name]) => name);
    expect(names.length).toBeGreaterThan(4);
    expect(firstCells(page('test/bench/README.md'))).toEqual(expect.arrayContaining(names));
  });
});

describe('src/stratum/README.md', () => {
  it('lists every error code', () => {
    const codes = firstCells(STRATUM).filter((cell) => /^-?\d+$/.test(cell));
    expect(codes.map(Number)).toEqual(Object.values(ERROR_CODES));
  });

  it('shows messages that are what it says they are', () => {
    const [toBridge = [], toRig = []] = STRATUM.blocks
      .filter(({ language }) => language === 'json')
      .map(({ lines }) => lines);
    expect(toBridge.map((line) => parseRigMessage(line).kind)).toEqual([
      'subscribe',
      'authorize',
      'submit',
      'extranonceSubscribe',
      'configure',
      'suggestDifficulty',
      'suggestTarget',
      'ping',
    ]);
    expect(toRig.map((line) => parseServerMessage(line).kind)).toEqual([
      'response',
      'response',
      'setTarget',
      'response',
      'response',
      'setExtranonce',
      'getVersion',
      'reconnect',
      'showMessage',
    ]);
  });

  it('works its example out as the bridge does', () => {
    const valueFor = (what: string): string =>
      STRATUM.text.match(new RegExp(`^\\| ${what}.* \\| \`(.+)\` \\|$`, 'm'))?.[1] ?? '';
    const [nonce1, nonce2] = [nonce1FromHex(valueFor('nonce1')), nonce2FromHex(valueFor('nonce2'))];
    if (nonce1 === undefined || nonce2 === undefined) throw new Error('the example has no nonces');
    const nonce = composeNonce(nonce1, nonce2);
    expect(valueFor('nonce, as a number')).toBe(`0x${nonce.toString(16)}`);
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(nonce);
    expect(valueFor('header bytes 278 to 285').replaceAll(' ', '')).toBe(bytes.toString('hex'));
  });
});

describe('src/web/README.md', () => {
  it('lists paths that are answered, and all of them', async () => {
    const { events, sources } = idleBridge();
    const web = await startWebServer({
      ...{ host: '127.0.0.1', port: 0, log: SILENT, sources, metrics: createMetrics(events, sources) },
      makeBlocks: async () => ({ status: 200, body: {} }),
      built: new URL('../dist/src/web/', import.meta.url),
    });
    const paths = firstCells(WEB).filter((cell) => /^((POST|PUT|DELETE) )?\//.test(cell));
    try {
      for (const path of paths) {
        const [method, asked] = path.startsWith('/') ? ['GET', path] : path.split(' ');
        const answer = await fetch(`${web.url}${asked}`, { method: method ?? 'GET' });
        // What a path with names leads to need not be there.
        const isThere =
          answer.status !== 404 || (path.includes('{') && !(await answer.text()).includes('nothing at'));
        expect(isThere ? '' : path).toBe('');
      }
    } finally {
      await web.close();
    }
    const written = readFileSync(join(ROOT, 'src/web/server.ts'), 'utf8').matchAll(
      /app\.(?:get|post)\('(\/[^']+)'/gm,
    );
    for (const [, path] of written) expect(paths.join()).toContain(path);
  });
});
