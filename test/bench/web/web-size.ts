/** What a browser loads, with gzip as the bridge sends it, against its budget. */
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

export interface SizeRow {
  readonly what: string;
  readonly gzBytes: number;
  readonly budget: number;
}

const ASSETS = new URL('../../../src/web/page/assets/', import.meta.url);
const KB = 1000;

export function benchSize(): readonly SizeRow[] {
  const weight = (ending: string): number =>
    readdirSync(ASSETS)
      .filter((name) => name.endsWith(ending))
      .reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, ASSETS))).length, 0);
  const rows = [
    { what: 'scripts of the page', gzBytes: weight('.js'), budget: 60 * KB },
    { what: 'styles of the page', gzBytes: weight('.css'), budget: 10 * KB },
  ];
  const { stdout } = process;
  stdout.write('\n| | kB with gzip | budget | |\n| --- | --- | --- | --- |\n');
  for (const { what, gzBytes, budget } of rows) {
    const missed = gzBytes > budget ? '**missed**' : '';
    stdout.write(`| ${what} | ${(gzBytes / KB).toFixed(1)} | ${budget / KB} | ${missed} |\n`);
  }
  return rows;
}
