/** A backup job as it runs: what over HTTP may be too short to be seen. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { OrderedClock, systemClock } from '../../src/devnode/clock.js';
import { Chains } from '../../src/devnode/consensus/chains.js';
import { networkFrom } from '../../src/devnode/consensus/networks.js';
import { Backups } from '../../src/devnode/storage/backups.js';
import { BlockStore } from '../../src/devnode/storage/block-store.js';
import { temporaryFolder } from '../helpers/folder.js';

it('is in progress until it is done; meanwhile no other starts', async () => {
  await using folder = await temporaryFolder();
  const clock = new OrderedClock(systemClock());
  const store = new BlockStore(join(folder.path, 'blocks'));
  const chains = new Chains({ network: networkFrom('development'), store, clock, log: SILENT });
  const backups = new Backups(join(folder.path, 'backups'), chains, clock, SILENT);
  const started = backups.start(false);
  const id = started.outcome === 'started' ? started.id : expect.fail(started.reason);
  expect([backups.start(true), backups.state(id)]).toEqual([started, 'backup-in-progress']);
  await backups.close();
  expect(backups.state(id)).toBe('backup-done');
  expect(backups.start(false)).not.toEqual(started);
  await backups.close();
  await store.close();
});

it('CH18: has another name than the one before, also where the clock stands', async () => {
  await using folder = await temporaryFolder();
  const clock = new OrderedClock({ nowMicros: () => 1_700_000_000_000_000n });
  const store = new BlockStore();
  const chains = new Chains({ network: networkFrom('development'), store, clock, log: SILENT });
  const backups = new Backups(folder.path, chains, clock, SILENT);
  const ids = new Set<string>();
  for (let i = 0; i < 3; i++) {
    const started = backups.start(false);
    ids.add(started.outcome === 'started' ? started.id : expect.fail(started.reason));
    await backups.close();
  }
  expect(ids.size).toBe(3);
  await store.close();
});

it('A9: refuses more copies than an operator can have wanted', async () => {
  await using folder = await temporaryFolder();
  const clock = new OrderedClock(systemClock());
  const store = new BlockStore();
  const chains = new Chains({ network: networkFrom('development'), store, clock, log: SILENT });
  const backups = new Backups(folder.path, chains, clock, SILENT);
  for (let i = 0; i < 64; i++) mkdirSync(join(folder.path, String(i)));
  expect(backups.start(false)).toMatchObject({
    outcome: 'full',
    reason: expect.stringContaining('delete old ones'),
  });
  await store.close();
});
