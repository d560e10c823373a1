/** The log on disk. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lineFileFault } from '../../../src/cli/screen/line-file.js';
import { openLogFile } from '../../../src/cli/screen/log-file.js';
import { temporaryFolder } from '../../helpers/folder.js';

const line = (n: number): string => `${JSON.stringify({ n, text: 'x'.repeat(100) })}\n`;

async function open(path: string, bytes = 1_000_000, files = 3) {
  const said: string[] = [];
  const write = await openLogFile({ path, bytes, files, complain: (sentence) => said.push(sentence) });
  return { write, said };
}

const numbersIn = (text: string): number[] =>
  text
    .trimEnd()
    .split('\n')
    .map((one) => (JSON.parse(one) as { n: number }).n);

it('a line is in the file when it has been written, and a second start goes on with the same file', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'bridge.log');
  for (const n of [1, 2]) {
    const { write } = await open(path);
    write(line(n));
    expect(numbersIn(await readFile(join(folder.path, 'bridge.1.log'), 'utf8'))).toHaveLength(n);
  }
});

it('says of a file that cannot be opened what is wrong with log.file', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'file'), '');
  await mkdir(join(folder.path, 'logs'));
  const says = async (path: string): Promise<string> =>
    open(join(folder.path, path)).then(
      () => 'opened',
      (error: Error) => `${error.name}: ${error.message.replaceAll(folder.path, '')}`,
    );
  expect(await says('none/bridge.log')).toBe(
    'CommandError: log.file: /none/bridge.log cannot be written: there is no folder /none: make it, or name another file',
  );
  expect(await says('file/bridge.log')).toContain('there is no folder /file');
  expect(await says('logs')).toContain(
    'log.file: /logs cannot be written: it is a folder: name another file',
  );
  await mkdir(join(folder.path, 'high'));
  await writeFile(join(folder.path, 'high', '41'), '');
  await writeFile(join(folder.path, 'high', 'trace-202611221105461234567.log'), '');
  expect(await says('high/bridge.log')).toContain(
    'a file beside it ends in a number that is too high to go on from',
  );
  expect(await readdir(join(folder.path, 'high'))).toContain('41');
  // As doctor says it, which makes none.
  expect(lineFileFault(join(folder.path, 'none/bridge.log'))).toMatch(
    /\/none\/bridge\.log cannot be written: there is no folder/,
  );
  expect(lineFileFault(join(folder.path, 'logs'))).toContain('it is a folder');
  expect(lineFileFault(join(folder.path, 'logs/bridge.log'))).toBeUndefined();
  expect(await readdir(join(folder.path, 'logs'))).toEqual([]);
  expect(await says('a|b')).toContain(
    'log.file: /a|b cannot be written: File name contains invalid characters',
  );
});

it('removes its own oldest files, also those of former runs, and nobody else’s', async () => {
  await using folder = await temporaryFolder();
  const others = ['bridge1.log', 'bridge-2.log', 'bridge.log', 'bridge.x.log', 'bridge.1.log.gz'];
  for (const name of others) await writeFile(join(folder.path, name), '');
  for (const start of [0, 100, 200]) {
    const { write, said } = await open(join(folder.path, 'bridge.log'), 1_000, 2);
    for (let n = start; n < start + 100; n++) {
      write(line(n));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(said).toEqual([]);
    const own = (await readdir(folder.path)).filter((name) => !others.includes(name));
    expect(own).toHaveLength(2);
    const numbers = own.map((name) => Number(name.split('.')[1])).sort((a, b) => a - b);
    const texts = await Promise.all(
      numbers.map((n) => readFile(join(folder.path, `bridge.${n}.log`), 'utf8')),
    );
    const kept = texts.flatMap(numbersIn);
    expect(kept.at(-1)).toBe(start + 99);
    expect(kept).toEqual(kept.map((_, index) => (kept[0] ?? 0) + index));
  }
  expect((await readdir(folder.path)).filter((name) => others.includes(name)).sort()).toEqual(
    others.toSorted(),
  );
});

it('where no next file can be made it goes on with the one that it has', async () => {
  await using folder = await temporaryFolder();
  const logs = join(folder.path, 'logs');
  await mkdir(logs);
  const { write, said } = await open(join(logs, 'bridge.log'), 1_000);
  await rm(logs, { recursive: true });
  for (let n = 0; n < 40; n++) {
    write(line(n));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(said[0]).toMatch(/cannot be written now.*ENOENT/);
  await mkdir(logs);
  for (let n = 40; n < 60; n++) {
    write(line(n));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(said.at(-1)).toMatch(/is written again/);
  const names = await readdir(logs);
  expect(names.length).toBeGreaterThan(0);
  const kept = await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')));
  expect(kept.flatMap(numbersIn)).toContain(59);
});
