/** What the timeline has of webhooks of miners, and what is said of them while the ledger is away. */
import { expect, it } from 'vitest';
import { toldHooks } from '../../src/assembly/alerts/told-hooks.js';
import type { HookAnswer } from '../../src/bridge/alerts/alerts.js';
import { BooksAwayError } from '../../src/bridge/watch/books-watch.js';

const ASKED = { account: 'k:a', url: 'https://miner.example/T0ken' };

function told(answer: () => Promise<HookAnswer>) {
  const lines: unknown[][] = [];
  const hooks = toldHooks({ add: answer, remove: answer }, { tell: (...line) => void lines.push(line) });
  return { hooks, lines };
}

it('each that was added or removed stands in the timeline, with its account and not with its URL', async () => {
  const added = told(async () => ({ state: 'added', secret: 's' }));
  expect(await added.hooks.add(ASKED)).toEqual({ state: 'added', secret: 's' });
  const removed = told(async () => ({ state: 'removed' }));
  expect(await removed.hooks.remove(ASKED)).toEqual({ state: 'removed' });
  expect([...added.lines, ...removed.lines]).toEqual([
    [
      ...['ordered', 'a webhook is told of the rigs of k:a'],
      ...[{ order: 'webhookAdded', about: 'k:a' }, 'the owner of the account'],
    ],
    [
      ...['ordered', 'a webhook is told of the rigs of k:a no more'],
      ...[{ order: 'webhookRemoved', about: 'k:a' }, 'the owner of the account'],
    ],
  ]);
});

it('one that was refused does not', async () => {
  const { hooks, lines } = told(async () => ({ state: 'refused', status: 401, says: 'no' }));
  await hooks.add(ASKED);
  await hooks.remove(ASKED);
  expect(lines).toEqual([]);
});

it('that the ledger is away is told as such, and a mistake of ours as what it is', async () => {
  const away = told(async () => Promise.reject(new Error('connection refused')));
  await expect(away.hooks.add(ASKED)).rejects.toThrow(BooksAwayError);
  await expect(away.hooks.remove(ASKED)).rejects.toThrow(BooksAwayError);
  const wrong = told(async () => Promise.reject(new TypeError('no function')));
  await expect(wrong.hooks.add(ASKED)).rejects.toThrow(TypeError);
  expect([...away.lines, ...wrong.lines]).toEqual([]);
});
