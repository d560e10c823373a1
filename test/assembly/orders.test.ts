/** An operator's orders over a restart, on a real disk. */

import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alone } from '../../src/assembly/machine.js';
import { openOrders } from '../../src/assembly/rigs/orders.js';
import { makeRigs } from '../../src/assembly/rigs/rigs.js';
import { CloseStack } from '../../src/cli/service/stop.js';
import { BRIDGE_SETTINGS } from '../../src/config/settings.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import type { Ban } from '../../src/operations/bans.js';
import type { KeptOrders } from '../../src/stratum/operator/order-saver.js';
import { temporaryFolder } from '../helpers/folder.js';
import { withSmallDisk } from '../helpers/processes/small-disk.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { loadConfig } from '../helpers/stories/load-config.js';
import { startTestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const SINCE = { since: '2023-11-14T22:13:20.000Z', by: 'me' };
const BAN: Ban = {
  ...{ id: '1', kind: 'login', login: 'a.r', reason: 'dust' },
  ...{ ...SINCE, until: null },
};
const HELD = { account: 'a', rig: 'ü', difficulty: String(1n << 70n), ...SINCE };
const LABEL = { account: 'a', rig: 'ü', label: 'the loud one', ...SINCE };
const NOTHING: KeptOrders = { bans: [], difficulties: [], labels: [], addresses: [], untold: [] };
const DENIED = { list: 'deny', addresses: '10.0.0.0/8', ...SINCE } as const;

/** The rigs' side as a bridge has it, with what stands in this data directory. */
async function startRigs(dataDir: string) {
  const bridge = await startTestBridge();
  const open = new CloseStack();
  const { judge, events } = bridge;
  const clock = { nowMs: () => Date.now() };
  const flags = ['--stratum-tcp', '127.0.0.1:0', '--stratum-ws', 'off', '--data-dir', dataDir];
  const { config } = loadConfig(BRIDGE_SETTINGS, { argv: flags });
  let sessions = 0;
  const mining = { judge, nonces: new NonceSpace(0), clock, nextSessionId: () => ++sessions };
  const site = { config, folder: dataDir, log: SILENT, open, events, machine: alone() };
  const { server, listen } = await makeRigs(site, mining, await openOrders(dataDir, SILENT));
  await listen();
  return {
    server,
    bridge,
    async authorize(login: string): Promise<unknown> {
      const rig = await WireRig.connect('tcp', server.addresses['tcp']?.port ?? 0);
      const { result, error } = await rig.request(1, 'mining.authorize', [login, 'x']);
      rig.vanish();
      return result === true ? true : error?.[1];
    },
    /** Until the bridge closes it, and bans its login. */
    async misbehave(login: string): Promise<void> {
      const rig = await WireRig.connect('tcp', server.addresses['tcp']?.port ?? 0);
      await rig.request(1, 'mining.subscribe', ['asic/1']);
      await rig.request(2, 'mining.authorize', [login, 'x']);
      for (let i = 0; i <= 300; i++) rig.send('{"id":3,"method":"mining.submit","params":[]}');
      await rig.untilClosed();
    },
    async [Symbol.asyncDispose]() {
      await open.close(SILENT);
      await bridge[Symbol.asyncDispose]();
    },
  };
}

async function opened(
  dataDir: string,
): Promise<{ kept: KeptOrders; told: string[]; keep(orders: KeptOrders): Promise<void> }> {
  const told: string[] = [];
  const log: Log = { ...SILENT, error: (_fields: object, text: string) => void told.push(text) } as Log;
  const { kept, keeper } = await openOrders(dataDir, log);
  return { kept, told, keep: (orders) => keeper.keep(orders) };
}

describe('a restart', () => {
  it('keeps bans, difficulties and labels of an operator, and none that was taken back', async () => {
    await using folder = await temporaryFolder();
    const dead = { kind: 'account', account: 'b', reason: 'dust' } as const;
    {
      await using first = await startRigs(folder.path);
      const { operator } = first.server;
      await operator.ban({ kind: 'account', account: 'a', reason: 'dust', for: 3_600_000 }, 'me');
      const taken = await operator.ban(dead, 'me');
      await operator.unban({ id: 'ban' in taken ? taken.ban.id : '' }, 'me');
      await operator.difficulty({ account: 'c', rig: 'r', difficulty: '5000' }, 'me');
      await operator.label({ account: 'c', rig: 'r', label: 'loud' }, 'me');
      expect(await first.authorize('a.r')).toMatch(/^banned until .*: dust$/);
    }
    expect((await stat(join(folder.path, 'orders.json'))).mode & 0o777).toBe(0o600);
    await using second = await startRigs(folder.path);
    expect(await second.authorize('a.r')).toMatch(/^banned until .*: dust$/);
    expect(second.server.watch.labels()).toMatchObject([{ account: 'c', rig: 'r', label: 'loud' }]);
    expect(await second.authorize('b.r')).toBe(true);
    expect(second.server.watch.bans()).toMatchObject([{ kind: 'account', login: 'a', by: 'me' }]);
    expect(second.server.watch.difficulties()).toMatchObject([
      { account: 'c', rig: 'r', difficulty: '5000' },
    ]);
  });

  it('keeps bans of the bridge itself until their end, and none that an operator took back', async () => {
    await using folder = await temporaryFolder();
    const banned = /^banned until (.*): more than 300 wrong submits/;
    const untilWas: unknown[] = [];
    {
      await using first = await startRigs(folder.path);
      await first.misbehave('a.r');
      await first.misbehave('a.s');
      untilWas.push(banned.exec(String(await first.authorize('a.r')))?.[1]);
    }
    {
      await using second = await startRigs(folder.path);
      untilWas.push(banned.exec(String(await second.authorize('a.r')))?.[1]);
      expect(await second.authorize('a.t')).toBe(true);
      const bans = second.server.watch.bans();
      expect([bans.length, bans[0]]).toMatchObject([2, { kind: 'rig', login: 'a.r', by: null }]);
      await second.server.operator.unban({ id: bans[0]?.id ?? '' }, 'me');
      expect(await second.authorize('a.r')).toBe(true);
    }
    await using third = await startRigs(folder.path);
    expect(await third.authorize('a.r')).toBe(true);
    expect(await third.authorize('a.s')).toMatch(banned);
    expect(untilWas).toEqual([expect.any(String), untilWas[0]]);
  });

  it('of a bridge that was killed loses no ban that is older than a few seconds', async () => {
    await using folder = await temporaryFolder();
    await using first = await startRigs(folder.path);
    await first.misbehave('a.r');
    await until('it is written', async () => (await opened(folder.path)).kept.bans.length === 1);
    expect((await opened(folder.path)).kept.bans).toMatchObject([{ login: 'a.r', by: null }]);
  });

  it('forgets bans that have ended meanwhile', async () => {
    await using folder = await temporaryFolder();
    const { keep } = await opened(folder.path);
    await keep({ ...NOTHING, bans: [{ ...BAN, until: new Date(Date.now() - 1).toISOString() }] });
    expect((await opened(folder.path)).kept.bans).toEqual([]);
    await using rigs = await startRigs(folder.path);
    expect(await rigs.authorize('a.r')).toBe(true);
    expect(rigs.server.watch.bans()).toEqual([]);
  });
});

describe('the file of orders', () => {
  it('is read as it was written', async () => {
    await using folder = await temporaryFolder();
    const first = await opened(folder.path);
    expect(first.kept).toEqual(NOTHING);
    const orders = {
      bans: [
        BAN,
        {
          id: '2',
          kind: 'address' as const,
          address: '::/64',
          reason: 'a flood',
          ...SINCE,
          until: '2033-05-18T03:33:20.000Z',
        },
        { ...BAN, id: '3', until: '9999-12-31T23:59:59.999Z' },
      ],
      difficulties: [HELD],
      labels: [LABEL],
      addresses: [DENIED, { ...DENIED, list: 'allow' as const, addresses: '2001:db8:0:0:0:0:0:1' }],
      untold: [
        { order: { kind: 'ban' as const, about: 'login a.r', says: BAN }, givenAt: SINCE.since },
        { order: { kind: 'label' as const, about: 'a.r', says: null }, givenAt: SINCE.since },
      ],
    };
    await first.keep(orders);
    expect((await opened(folder.path)).kept).toEqual(orders);
  });

  it('holds all that was ordered while it was being written', async () => {
    await using folder = await temporaryFolder();
    const { keep } = await opened(folder.path);
    const orders = Array.from({ length: 50 }, (_, i) => ({
      bans: Array.from({ length: i + 1 }, (__, j) => ({ ...BAN, id: `${j}` })),
      ...{ difficulties: [], labels: [], addresses: [], untold: [] },
    }));
    await Promise.all(orders.map((each) => keep(each)));
    expect((await opened(folder.path)).kept.bans).toHaveLength(50);
    expect(await readdir(folder.path)).toEqual(['orders.json']);
  });

  it.each([
    ['cut short', '{"version":1,"bans":['],
    ['empty', ''],
    ['with a ban of no kind', JSON.stringify({ version: 1, ...NOTHING, bans: [{ ...BAN, kind: 'planet' }] })],
    [
      'with an address that is none',
      JSON.stringify({ version: 1, ...NOTHING, addresses: [{ ...DENIED, addresses: 'here' }] }),
    ],
    [
      'with a difficulty of nothing',
      JSON.stringify({ version: 1, ...NOTHING, difficulties: [{ ...HELD, difficulty: '0' }] }),
    ],
    ['no object', '7'],
    ['no text', Buffer.from([0xff, 0xfe, 0])],
  ])('that is damaged (%s) is told and set aside whole, and a new one is begun', async (_, content) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'orders.json');
    await writeFile(path, content);
    const { kept, told, keep } = await opened(folder.path);
    expect(kept).toEqual(NOTHING);
    expect(told).toEqual([
      expect.stringMatching(/orders\.json cannot be read, and no ban, .* in force: it is set aside as /),
    ]);
    const [aside = ''] = await readdir(folder.path);
    expect(aside).toMatch(/^orders\.json\.damaged-20\d\d-/);
    expect(await readFile(join(folder.path, aside))).toEqual(Buffer.from(content));
    await keep({ ...NOTHING, bans: [BAN] });
    expect((await opened(folder.path)).kept.bans).toEqual([BAN]);
  });

  it('of another version is told by its number, and set aside too', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'orders.json'), '{"version":2,"bans":{}}');
    const { kept, told } = await opened(folder.path);
    expect(kept).toEqual(NOTHING);
    expect(told).toEqual([
      expect.stringMatching(/ is of version 2, and this bridge reads version 1, and no ban/),
    ]);
    expect(await readdir(folder.path)).toEqual([expect.stringMatching(/^orders\.json\.damaged-/)]);
  });

  it('holds as many bans as the bridge keeps', async () => {
    await using folder = await temporaryFolder();
    const { keep } = await opened(folder.path);
    const bans = Array.from({ length: 30_000 }, (_, i) => ({ ...BAN, id: `${i}`, login: `a.${i}` }));
    await keep({ ...NOTHING, bans });
    expect((await opened(folder.path)).kept.bans).toEqual(bans);
  });

  it('that does not fit on the disk leaves the one of before, and says so to who orders', async () => {
    const reason = await withSmallDisk(async (path) => {
      const { keep } = await opened(path);
      await keep({ ...NOTHING, bans: [BAN] });
      const many = Array.from({ length: 2000 }, (_, i) => ({ ...BAN, id: `${i}`, login: `a.${i}` }));
      await expect(keep({ ...NOTHING, bans: many })).rejects.toMatchObject({ code: 'ENOSPC' });
      expect((await opened(path)).kept.bans).toEqual([BAN]);
      await keep(NOTHING);
      expect((await opened(path)).kept).toEqual(NOTHING);
    });
    if (reason !== undefined) process.stderr.write(`LEFT OUT: orders on a full disk, because ${reason}\n`);
  });
});
