/** The node from code, as a user of the package has it: by its name, in a test of his own, with its types. */
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/folder.js';
import { typed } from '../helpers/processes/package.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = 'dev-node.test.js';
const COMPILER = `'${join(ROOT, 'node_modules/typescript/bin/tsc')}' --ignoreConfig --noEmit --allowJs --strict --skipLibCheck`;

it('stratum-bridge/dev-node runs in the tests of a user, and is typed', async () => {
  await using folder = await temporaryFolder();
  const modules = join(folder.path, 'node_modules');
  await mkdir(join(modules, '@types'), { recursive: true });
  await symlink(ROOT, join(modules, 'stratum-bridge'));
  for (const name of ['vitest', '@types/node'])
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  await copyFile(join(ROOT, 'config/examples', EXAMPLE), join(folder.path, EXAMPLE));

  await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');

  const run = await typed(
    `NO_COLOR=1 '${process.execPath}' node_modules/vitest/vitest.mjs run --root .`,
    folder.path,
  );
  expect(run.code, run.text).toBe(0);
  expect(run.text).toMatch(/Tests\s+3 passed/);

  const compiled = await typed(
    `${COMPILER} --module nodenext --target es2023 --types node ${EXAMPLE}`,
    folder.path,
  );
  expect(compiled.code, compiled.text).toBe(0);
});
