/** The screen of a real program on a real terminal. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { noTerminals, startOnTerminal } from '../../helpers/processes/pty.js';
import { withSmallDisk } from '../../helpers/processes/small-disk.js';
import { until } from '../../helpers/until.js';

const { SIGKILL } = constants.signals;
const PROGRAM = [
  process.execPath,
  fileURLToPath(new URL('../../../dist/test/cli/screen/drawing-program.js', import.meta.url)),
];

const blockAt = (width: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${`block ${n + 1} `.padEnd(width - 2, 'x')}…`);
const entries = (rows: readonly string[]): string[] =>
  rows.flatMap((row) => /INFO.*: (entry \d+)$/.exec(row)?.[1] ?? []);
const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `entry ${n + 1}`);

it.skipIf(noTerminals)(
  'C17: the screen survives every size of its window, with each log line once above it',
  async () => {
    await using program = startOnTerminal([80, 24], PROGRAM);
    const { emulator } = program;
    const shows = (block: readonly string[], count: number) =>
      until(`${count} entries above\n${block.join('\n')}`, () => {
        const rows = emulator.rows();
        const isThere = block.every((line, n) => rows.at(n - block.length) === line);
        return isThere && entries(rows).length === count && rows;
      });
    program.type('draw 6');
    program.type('log 3');
    await shows(blockAt(80, 6), 3);
    program.resize(50, 24);
    await shows(blockAt(50, 6), 3);
    program.type('log 3');
    await shows(blockAt(50, 6), 6);
    program.resize(132, 40);
    await shows(blockAt(132, 6), 6);
    program.type('log 60');
    const rows = await shows(blockAt(132, 6), 66);
    expect(rows).toHaveLength(66 + 6);
    expect(entries(rows)).toEqual(named(66));
    program.resize(132, 5);
    await shows([...blockAt(132, 3), '… 3 more lines: make this window higher'], 66);
    program.type('end');
    program.type('log 1');
    await until('an entry below the last drawing', () => emulator.rows().at(-1)?.endsWith('entry 67'));
    program.type('exit');
    expect(await program.ended).toBe(7);
  },
);

it.skipIf(noTerminals)(
  'C12: goes on without its terminal, and whatever ends it then, the log file has every line',
  async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'bridge.log');
    await using program = startOnTerminal([80, 24], [...PROGRAM, file]);
    program.type('draw 3');
    program.type('log 2');
    await until('two entries', () => entries(program.emulator.rows()).length === 2);
    program.hangUp();
    expect(await program.ended).toBe(256 - SIGKILL);
    const kept = await readFile(join(folder.path, 'bridge.1.log'), 'utf8');
    const lines = kept.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      ['entry 1', 'entry 2', 'hung up', 'after that'].map((msg) => ({ level: 'info', msg })),
    );
    expect((await stat(join(folder.path, 'bridge.1.log'))).mode & 0o777).toBe(0o600);
  },
);

it.skipIf(noTerminals)(
  'log.file: a disk that fills ends nothing, is told once, and whole lines follow when there is room again',
  async (context) => {
    const why = await withSmallDisk(async (disk) => {
      await writeFile(join(disk, 'ballast'), Buffer.alloc(40_000));
      await using program = startOnTerminal([200, 24], [...PROGRAM, join(disk, 'bridge.log')]);
      const last = (text: string) => until(text, () => program.emulator.rows().at(-1)?.includes(text));
      program.type('log 1000');
      await last('entry 1000');
      const told = program.emulator.rows().filter((row) => row.startsWith('stratum-bridge: '));
      expect(told).toEqual([
        expect.stringMatching(
          /log\.file: .*bridge\.log cannot be written now, the bridge goes on without it: ENOSPC/,
        ),
      ]);
      await rm(join(disk, 'ballast'));
      program.type('log 1');
      await until('all is well', () =>
        program.emulator.rows().some((row) => row.endsWith('is written again')),
      );
      program.type('exit');
      expect(await program.ended).toBe(7);
      const kept = await readFile(join(disk, 'bridge.1.log'), 'utf8');
      // As many as there is room for, in order, and none in part.
      const messages = kept
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).msg);
      expect(messages.length).toBeGreaterThan(300);
      expect(messages).toEqual(named(messages.length));
    });
    if (why) context.skip(`no small disk: ${why}`);
  },
);
