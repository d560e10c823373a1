/** Test 33 of `payouts.md` takes long, and guards move with the code: here the list of them is held against it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { GUARDS } from '../../../helpers/payouts/guards.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

describe('33: a guard that is listed', () => {
  it.each(GUARDS)('stands in its file once, and its test is there: $name', async (guard) => {
    const parts = (await readFile(join(ROOT, guard.file), 'utf8')).split(guard.with);
    expect(parts, `"${guard.with}" in ${guard.file}`).toHaveLength(2);
    const [file, title] = guard.test;
    expect(await readFile(join(ROOT, file), 'utf8')).toContain(title);
  });
});
