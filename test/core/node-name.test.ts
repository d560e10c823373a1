/** Names of nodes, from URLs as operators write them. */
import { expect, it } from 'vitest';
import { nodeNameOf } from '../../src/core/names/node-name.js';

it.each([
  ['http://node:1848', 'http://node:1848'],
  ['https://u:p@node/base@1', 'https://node/base@1'],
  ['http://u:p@q@node', 'http://node'],
  ['http:////u:p@node', 'http://node'],
  ['http:\\\\u:p@node', 'http://node'],
  ['http://\\u:p@node', 'http://node'],
  ['http:/u:p@node', 'http://node'],
])('N3: a node is called without its credentials, however they are written: %s', (url, name) => {
  expect(new URL(url).host).toMatch(/^node/);
  expect(nodeNameOf(url)).toBe(name);
});
