import { expect, it } from 'vitest';
import { table } from '../../src/commands/table.js';

it('R18: names with escape sequences are printed harmless', () => {
  const text = table([{ account: 'a\u001b[2J\u009b31m', rig: 'r\nr\u202e', node: { name: 'n\u0007' } }]);
  expect(text.split('\n')).toHaveLength(3);
  expect(text).toContain('a\\u{1b}[2J\\u{9b}31m');
  expect(text).toContain('r\\u{a}r\\u{202e}');
  expect(text).toContain('{"name":"n\\u0007"}');
});
