/** The live block, as a terminal shows what is written to it. */
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createLiveBlock, type LiveBlock, reflowsLines } from '../../../src/cli/screen/terminal.js';
import { createEmulator, type Emulator } from '../../helpers/rigs/emulator.js';

interface Shown {
  readonly block: LiveBlock;
  readonly emulator: Emulator;
  readonly stream: Writable;
  /** As when somebody pulls at the window. */
  resize(columns: number, rows: number): void;
  /** Resolves when all that was written is on the screen. */
  settled(): Promise<void>;
}

function show(columns: number, rows: number, options?: Parameters<typeof createLiveBlock>[1]): Shown {
  const emulator = createEmulator(columns || 80, rows || 24, true);
  const size = { columns, rows };
  let written = Promise.resolve();
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      written = emulator.write(text);
      done();
    },
  });
  Object.defineProperties(stream, { columns: { get: () => size.columns }, rows: { get: () => size.rows } });
  return {
    block: createLiveBlock(stream as unknown as NodeJS.WriteStream, options),
    emulator,
    stream,
    resize(toColumns, toRows) {
      if (options?.reflows !== false) emulator.resize(toColumns, toRows);
      [size.columns, size.rows] = [toColumns, toRows];
      stream.emit('resize');
    },
    settled: () => written,
  };
}

const LONG = 'x'.repeat(300);
const blockOf = (count: number): string[] => Array.from({ length: count }, (_, n) => `${n + 1} ${LONG}`);
const cutAt = (width: number, count: number): string[] =>
  blockOf(count).map((line) => `${line.slice(0, width - 2)}…`);

it('C17: draws over what it drew before, whether more or fewer lines, and no line is broken', async () => {
  const { block, emulator, settled } = show(80, 24);
  block.draw(blockOf(5));
  block.draw(['one', ...blockOf(6)]);
  await settled();
  expect(emulator.rows()).toEqual(['one', ...cutAt(80, 6)]);
  block.draw(blockOf(2));
  await settled();
  expect(emulator.rows()).toEqual(cutAt(80, 2));
});

it('C17: log lines stay above it in whole, also those that are longer than the window has room for', async () => {
  const { block, emulator, settled } = show(40, 6);
  block.draw(blockOf(3));
  block.print('first\n');
  block.print(`${'a'.repeat(400)}\n`);
  block.print('last\n');
  await settled();
  expect(emulator.rows()).toEqual(['first', ...Array(10).fill('a'.repeat(40)), 'last', ...cutAt(40, 3)]);
});

it('C17: follows a window that gets narrower, wider, lower and higher', async () => {
  const { block, emulator, settled, resize } = show(80, 24);
  block.print('above\n');
  block.draw(blockOf(4));
  for (const [columns, rows] of [
    [30, 24],
    [100, 24],
    [61, 10],
    [45, 14],
    [120, 40],
  ] as const) {
    await settled();
    resize(columns, rows);
    await settled();
    expect(emulator.rows(), `${columns} x ${rows}`).toEqual(['above', ...cutAt(columns, 4)]);
  }
});

it('C17: a window with fewer rows than lines shows the first and how many more there are', async () => {
  const { block, emulator, settled, resize } = show(80, 5);
  block.draw(blockOf(10));
  await settled();
  expect(emulator.window()).toEqual([...cutAt(80, 3), '… 7 more lines: make this window higher']);
  block.print('entry\n');
  resize(80, 12);
  await settled();
  expect(emulator.window().slice(-10)).toEqual(cutAt(80, 10));
  resize(80, 2);
  await settled();
  expect(emulator.window()).toEqual(['… 10 more lines: make this window higher']);
  resize(80, 1);
  block.print('last\n');
  await settled();
  expect(emulator.rows().at(-1)).toBe('last');
});

it('a terminal that says it has no size is taken for one of 80 columns', async () => {
  const { block, emulator, settled } = show(0, 0);
  block.draw(blockOf(2));
  await settled();
  expect(emulator.rows()).toEqual(cutAt(80, 2));
});

it('C17: wide letters take the room that they take', async () => {
  const { block, emulator, settled } = show(20, 5);
  block.draw(['矿'.repeat(30), 'rig 👷🏽 \u00e9']);
  await settled();
  expect(emulator.rows()).toEqual([`${'矿'.repeat(9)}…`, 'rig 👷🏽 \u00e9']);
});

it('lets no name of a rig command the terminal', async () => {
  const { block, emulator, settled } = show(80, 24);
  block.draw(['a\u001b[2J\u009b31m\nb']);
  await settled();
  expect(emulator.rows()).toEqual(['a\\u{1b}[2J\\u{9b}31m\\u{a}b']);
});

it('leaves the last drawing where it stands, and prints below it from then on', async () => {
  const { block, emulator, settled, resize } = show(80, 24);
  block.draw(blockOf(2));
  block.end();
  block.print('stopping\n');
  block.print('stopped\n');
  resize(100, 24);
  await settled();
  expect(emulator.rows()).toEqual([...cutAt(80, 2), 'stopping', 'stopped']);
});

it.each([
  ['hangs up', (stream: Writable) => stream.destroy(new Error('EIO'))],
  ['is ended', (stream: Writable) => void stream.end()],
])('a terminal that %s is written to no more, and nothing throws', async (_, lose) => {
  const { block, emulator, settled, stream, resize } = show(80, 24);
  block.draw(['before']);
  lose(stream);
  await new Promise((resolve) => stream.once('close', resolve));
  block.print('after\n');
  block.draw(['after']);
  resize(40, 10);
  block.end();
  await settled();
  expect(emulator.rows()).toEqual(['before']);
});

it('takes away no log line where a terminal cuts lines off instead of breaking them', async () => {
  // The emulator's window stays as it is: nothing in it is broken.
  const { block, emulator, settled, resize } = show(80, 24, { reflows: false });
  block.print('above\n');
  block.draw(blockOf(4));
  resize(40, 24);
  await settled();
  expect(emulator.rows()).toEqual(['above', ...cutAt(40, 4)]);
  expect(reflowsLines({ TERM: 'xterm-256color' })).toBe(true);
  expect(reflowsLines({ TERM: 'linux' })).toBe(false);
  expect(reflowsLines({ TERM: 'xterm', XTERM_VERSION: 'XTerm(379)' })).toBe(false);
});
