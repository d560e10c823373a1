/** Names that a request may come under. */
import { expect, it } from 'vitest';
import { isOwnName } from '../../src/core/names/host-header.js';

it('A9, WB7: addresses, localhost and own names are ours, and no other', () => {
  const ours = [undefined, '', 'localhost', 'LocalHost:1920', 'x.localhost', '10.0.0.1:80', '127.0.0.1'];
  for (const host of [...ours, '[::1]', '[::1]:80', '[::ffff:10.0.0.1]:1', 'Pool.Example.:1', 'pool.example'])
    expect([host, isOwnName(host, ['pool.example', undefined])]).toEqual([host, true]);
  for (const host of [
    'evilbox:1',
    'evil.example',
    'evil.example:80',
    'evil.example.',
    '10.0.0.1.evil.example',
    'a:b.evil.example',
  ])
    expect([host, isOwnName(host, ['pool.example'])]).toEqual([host, false]);
});
