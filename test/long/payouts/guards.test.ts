/** Test 33 of `payouts.md`: each guard of payments is taken out of a copy of the program, where its story ends as it must not. */
import { cp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/folder.js';
import { OUT } from '../../helpers/payer-model/without.js';
import type { Stories } from '../../helpers/payouts/guards/story.js';
import { type Change, GUARDS, MODELLED, STORIES } from '../../helpers/payouts/guards.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Of what is built: all that stories need. */
const COPIED = /\/dist(\/(src|workers|native|test$|test\/(helpers|payouts|devnode|core|node-client)).*)?$/;
/** As it is built: Vitest would make all of it anew for each guard. */
const load = createRequire(import.meta.url);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** Copies of the program that nobody uses now. */
const free: string[] = [];
let copies = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Of a name of its own, so that all of it is loaded anew. */
async function copied(): Promise<string> {
  const [copy, before] = [join(folder.path, String(++copies)), free.pop()];
  if (before) {
    await rename(before, copy);
    return copy;
  }
  await cp(join(ROOT, 'dist'), join(copy, 'dist'), {
    recursive: true,
    filter: (path) => COPIED.test(path) && !/\.(map|d\.ts)$/.test(path),
  });
  for (const name of ['node_modules', 'package.json', 'config'])
    await symlink(join(ROOT, name), join(copy, name));
  return copy;
}

/** What comes out in a copy of the program with these changes. */
async function tellWithout(changes: readonly Change[], story: string): Promise<string> {
  const copy = await copied();
  const putBack: (() => Promise<void>)[] = [];
  try {
    for (const change of changes) putBack.push(await take(copy, change));
    const [file] = Object.entries(STORIES).find(([, stories]) => story in stories) ?? [];
    const [stories] = Object.values(
      load(join(copy, `dist/test/helpers/payouts/guards/${file}.js`)),
    ) as Stories[];
    return (await stories?.[story]?.tell()) ?? expect.fail(`there is no story ${story}`);
  } finally {
    for (const back of putBack.reverse()) await back();
    free.push(copy);
  }
}

/** Resolves with what puts it back. */
async function take(copy: string, [file, text, instead]: Change): Promise<() => Promise<void>> {
  const built = join(copy, 'dist', file.replace(/\.ts$/, '.js'));
  // The compiler breaks lines where it likes.
  const words = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'), 'g');
  for (const place of [join(ROOT, file), built])
    expect((await readFile(place, 'utf8')).match(words), `"${text}" stands once in ${place}`).toHaveLength(1);
  const before = await readFile(built, 'utf8');
  await writeFile(
    built,
    before.replace(words, () => instead),
  );
  return () => writeFile(built, before);
}

const told = Object.values(STORIES).flatMap((stories) => Object.entries(stories));

describe('33: a story', () => {
  it.concurrent.each(told)('of %s ends well with all guards', async (_, { well, tell }) => {
    expect(await tell()).toBe(well);
  });

  it('is of a guard', () => {
    const names = told.map(([name]) => name);
    expect([...new Set(GUARDS.map(([, , , , story]) => story))].sort()).toEqual(names.sort());
  });
});

describe('33: without', () => {
  it.concurrent.each(GUARDS.map((guard) => [guard[0], guard] as const))('%s', async (_, guard) => {
    const [, file, text, instead, story, ends, behind = [], caught] = guard;
    if (caught !== undefined) expect(await tellWithout(behind, story)).toContain(caught);
    expect(await tellWithout([...behind, [file, text, instead]], story)).toBe(ends);
  });
});

it('33: rules of the model are taken out by its own tests, each of them', () => {
  expect(OUT.map(({ rule }) => rule)).toEqual(MODELLED);
});
