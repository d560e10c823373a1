/** Who may ask over HTTP while settings change. */
import { expect, it } from 'vitest';
import { WebAccess } from '../../src/assembly/watch/web-access.js';
import { SILENT } from '../../src/core/names/log.js';

const CONFIG = { 'web.public': true, 'web.url': '', 'web.hosts': [], 'web.origins': [], 'web.tokens': {} };

it('what a reload takes back stays taken back, though a token is looked for meanwhile', async () => {
  const found: ((secret: string) => void)[] = [];
  let isSlow = false;
  const read = () =>
    isSlow ? new Promise<string>((resolve) => found.push(resolve)) : Promise.resolve('a-token-that-reads');
  const leaked = { access: 'operate', secret: 'a-token-that-has-leaked' } as const;
  const access = await WebAccess.open({ ...CONFIG, 'web.tokens': { leaked } }, SILENT, {
    admin: async () => 'a-token-that-orders',
    read,
  });
  isSlow = true;
  const reading = access.readTokens();
  isSlow = false;
  expect(await access.apply({ ...CONFIG, 'web.public': false })).toContain('web.tokens');
  found.shift()?.('another-token-that-reads');
  await reading;
  expect(access.rules.isPublic).toBe(false);
  expect(access.rules.tokens.map(({ name, secret }) => [name, secret])).toEqual([
    ['admin', 'a-token-that-orders'],
    ['read', 'another-token-that-reads'],
  ]);
});
