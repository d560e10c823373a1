/** The way of a share through the program, as the README of the ledger lists it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../../src/ledger');
const README = readFileSync(resolve(FOLDER, 'README.md'), 'utf8');

const STEPS = Array.from(
  README.slice(README.indexOf('## From log to balance'))
    .split('\n## ', 1)[0]
    ?.matchAll(/^\| .* \| \[[\w.-]+\]\((.+)\) \| (.+) \|$/gm) ?? [],
  ([, path = '', functions = '']) => ({
    text: readFileSync(resolve(FOLDER, path), 'utf8'),
    path,
    functions: functions.split(', ').map((name) => name.replaceAll('`', '')),
  }),
);

it('is told in at most eight files', () => {
  expect(STEPS.map(({ path }) => path)).toHaveLength(new Set(STEPS.map(({ path }) => path)).size);
  expect(STEPS.length).toBeGreaterThan(5);
  expect(STEPS.length).toBeLessThanOrEqual(8);
});

it.each(STEPS)('has in $path the functions $functions', ({ text, functions }) => {
  for (const name of functions)
    expect(text).toMatch(new RegExp(`(^ {2}(async )?|function |FUNCTION )${name}\\(`, 'm'));
});

it('calls there what it says', () => {
  const text = (file: string) => STEPS.find(({ path }) => path.endsWith(file))?.text ?? '';
  expect(text('shipper.ts')).toContain('.entryOf(');
  expect(text('functions.sql')).toMatch(/FUNCTION record_entries[^$]+\$\$[^$]+apply_sums\(/);
  const splits = readFileSync(resolve(FOLDER, 'settlement/splits.sql'), 'utf8');
  expect([text('functions.sql').includes('FUNCTION transfer_money('), splits]).toEqual([
    true,
    expect.stringContaining('transfer_money('),
  ]);
});
