/** Lines that wait for their disk: it holds nobody up, and what it takes no more is counted. */
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLineFile } from '../../../src/cli/screen/line-file.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { withSmallDisk } from '../../helpers/processes/small-disk.js';
import { until, untilTrue } from '../../helpers/until.js';

const line = (n: number): string => `${JSON.stringify({ n, text: 'x'.repeat(100) })}\n`;

async function open(path: string, bytes = 1_000_000) {
  const said: string[] = [];
  const counts = { dropped: 0, back: 0 };
  const file = await openLineFile({
    ...{ setting: 'events.file', path, bytes, files: 3, atOnce: false },
    complain: (sentence) => said.push(sentence),
    dropped: () => counts.dropped++,
    isBack: () => counts.back++,
  });
  return { ...file, said, counts };
}

const numbersIn = (text: string): number[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((one) => (JSON.parse(one) as { n: number }).n);

it('what waits is written at the end, in files that nobody else reads', async () => {
  await using folder = await temporaryFolder();
  const { write, close, counts } = await open(join(folder.path, 'events.log'));
  for (let n = 0; n < 300; n++) write(line(n));
  await close();
  const path = join(folder.path, 'events.1.log');
  expect(numbersIn(await readFile(path, 'utf8'))).toEqual(Array.from({ length: 300 }, (_, n) => n));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  // After the end nothing is written, and nothing fails.
  write(line(0));
  expect(counts).toEqual({ dropped: 1, back: 0 });
});

it('a full file is followed by the next, and so many are kept', async () => {
  await using folder = await temporaryFolder();
  const { write, close, said } = await open(join(folder.path, 'events.log'), 1_000);
  const kept = async (): Promise<number[]> => {
    const names = (await readdir(folder.path)).sort(
      (a, b) => Number(a.split('.')[1]) - Number(b.split('.')[1]),
    );
    const texts = names.map((name) => readFile(join(folder.path, name), 'utf8').catch(() => '')); // it may go meanwhile
    return (await Promise.all(texts)).flatMap(numbersIn);
  };
  for (let n = 0; n < 100; n++) {
    write(line(n));
    await until('it is written', async () => (await kept()).at(-1) === n);
  }
  await close();
  expect(said).toEqual([]);
  expect(await readdir(folder.path)).toHaveLength(3);
  const numbers = await kept();
  expect(numbers).toEqual(numbers.map((_, i) => 100 - numbers.length + i));
});

it('says of a file that cannot be opened which setting it is of', async () => {
  await using folder = await temporaryFolder();
  await expect(open(join(folder.path, 'none', 'events.log'))).rejects.toThrow(
    /^events\.file: .*\/none\/events\.log cannot be written: there is no folder/,
  );
});

it('a disk that fills costs lines, which are counted and told, and nothing else', async (context) => {
  const why = await withSmallDisk(async (disk) => {
    await writeFile(join(disk, 'ballast'), Buffer.alloc(40_000));
    const { write, close, said, counts } = await open(join(disk, 'events.log'));
    for (let n = 0; n < 20_000; n++) write(line(n));
    await until('it is said', () => said.length > 0);
    expect(said).toEqual([
      expect.stringMatching(
        /^events\.file: .*events\.log cannot be written now, the bridge goes on without it: ENOSPC/,
      ),
    ]);
    // The lines that wait have a bound.
    expect(counts.dropped).toBeGreaterThan(5_000);
    expect(counts.back).toBe(0);
    await rm(join(disk, 'ballast'));
    await untilTrue(() => counts.back > 0);
    expect(said[1]).toMatch(new RegExp(`is written again; ${counts.dropped} lines are missing in it$`));
    await close();
    const text = await readFile(join(disk, 'events.1.log'), 'utf8');
    // Whole lines in their order, but for the last one.
    const numbers = numbersIn(text);
    expect(numbers.length).toBeGreaterThan(300);
    expect(numbers).toEqual(numbers.map((_, n) => n));
  });
  if (why) context.skip(`no small disk: ${why}`);
});
