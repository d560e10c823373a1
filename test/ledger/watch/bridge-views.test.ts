/** Who looks at one bridge sees those of all on its ledger: real rig sides, a real database, and what may go wrong between them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { leaseInstance, releaseInstance } from '../../../src/ledger/database/instances.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { BridgeViews } from '../../../src/ledger/watch/bridge-views.js';
import { summarize } from '../../../src/web/state/summary.js';
import { useBooks } from '../../helpers/books/books.js';
import { openGate } from '../../helpers/processes/gate.js';
import { startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { idleBridge } from '../../helpers/web/idle-bridge.js';

const ALL = { offset: 0, limit: 100 };

const books = useBooks();

interface SeenBridge extends TestBridge {
  readonly views: BridgeViews;
  /** One connects. */
  rig(login: string): Promise<void>;
  /** Each that is listed for who looks, with its sessions. */
  rigs(): Promise<string[]>;
}

/** @param number of it on the ledger. */
async function startBridge(
  number: number,
  { version = '1.0.0', url = books.connectionString } = {},
): Promise<SeenBridge> {
  const ledger = await openLedger({ connectionString: url, log: SILENT });
  const owner = { id: randomUUID(), run: randomUUID(), place: `host${number}` };
  expect(await leaseInstance(ledger.pool, owner, number, true)).toBe(number);
  const views = new BridgeViews({ ledger, number: () => number, version, log: SILENT });
  const bridge = await startTestBridge({ others: () => views.others });
  const { sources } = idleBridge();
  const { watch } = bridge.server;
  views.begin(async () => ({ summary: await summarize(sources), ...(await watch.here()) }));
  const end = bridge[Symbol.asyncDispose].bind(bridge);
  // Each shows what it has once it listens.
  await expect.poll(written).toContain(number);
  return Object.assign(bridge, {
    views,
    rig: async (login: string) => {
      const rig = await bridge.connect('tcp');
      await rig.request(1, 'mining.authorize', [login, 'x']);
    },
    rigs: async () => {
      await views.look();
      const { items } = await watch.rigs({ ...ALL, sort: 'name' });
      return items.map(({ account, rig, sessions }) => `${account}.${rig} ${sessions}`);
    },
    [Symbol.asyncDispose]: async () => {
      await views.close();
      await end();
      await releaseInstance(ledger.pool, owner);
      await ledger.close();
    },
  });
}

async function query(text: string): Promise<pg.QueryResult> {
  const options = '-c search_path=stratum_bridge';
  const client = new pg.Client({ connectionString: books.connectionString, options });
  await client.connect();
  return client.query(text).finally(() => client.end());
}

const written = async (): Promise<number[]> =>
  (await query('SELECT number FROM bridge_view ORDER BY number')).rows.map(({ number }) => number);

describe('who looks at one bridge', () => {
  it('sees the rigs of all, each once, at the first look', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1);
    await using elsewhere = await startBridge(2);
    await here.rig('a.attic');
    await there.rig('a.attic');
    await there.rig('b.cellar');
    await elsewhere.rig('a.attic');
    // What each has shown as it came is older than two seconds, and no more than that.
    await pause(2_500);
    await query('DELETE FROM bridge_view');
    expect(await here.rigs()).toEqual(['a.attic 3', 'b.cellar 1']);
    // The one that was looked at has not shown anybody what it has.
    expect(await written()).toEqual([1, 2]);
    const { watch } = here.server;
    const sessions = (await watch.sessions(ALL)).items;
    expect(sessions.map(({ bridge }) => bridge ?? 0).sort()).toEqual([0, 1, 1, 2]);
    expect(Object.fromEntries(await watch.sessionsByAccount())).toEqual({ a: 3, b: 1 });
    expect(watch.rig('b', 'cellar')).toMatchObject({ rig: { state: 'online' }, sessions: [{ bridge: 1 }] });
    expect(watch.rig('a', 'attic')?.sessions).toHaveLength(3);
    expect(watch.rig('c', 'cellar')).toBeUndefined();
    expect(await there.rigs()).toEqual(['a.attic 3', 'b.cellar 1']);
  });

  it('sees what comes later', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1);
    expect(await here.rigs()).toEqual([]);
    await there.rig('a.attic');
    await expect.poll(() => here.rigs()).toEqual(['a.attic 1']);
  });

  it('sees no rows of one that shows nothing more, and that it does not', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1);
    await there.rig('a.attic');
    await expect.poll(() => here.rigs()).toEqual(['a.attic 1']);
    await there.views.close();
    await query(`UPDATE bridge_view SET shown_at = shown_at - interval '20 seconds'`);
    await query(`SELECT pg_notify('stratum_bridge_view', '1')`);
    await expect.poll(() => here.rigs()).toEqual([]);
    expect(here.views.others.bridges).toMatchObject([{ instance: 1, place: 'host1', summary: undefined }]);
  });

  it('sees of one of another version, and of one whose row is spoilt, only that it is there', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1, { version: '2.0.0' });
    await using elsewhere = await startBridge(2);
    await there.rig('a.attic');
    await elsewhere.rig('b.cellar');
    await expect.poll(() => here.rigs()).toEqual(['b.cellar 1']);
    expect(here.views.others.bridges).toMatchObject([{ instance: 1, summary: undefined }, { instance: 2 }]);
    await there.views.close();
    await query(`UPDATE bridge_view SET shown_at = now(), view = '\\x1f8b00' WHERE number = 1`);
    await query(`SELECT pg_notify('stratum_bridge_view', '1')`);
    await elsewhere.rig('c.cellar');
    await expect.poll(() => here.rigs()).toEqual(['b.cellar 1', 'c.cellar 1']);
  });

  it('sees that bridge alone while the ledger is away, and all again once it is back', async () => {
    await books.empty();
    const url = new URL(books.connectionString);
    const gate = await openGate(Number(url.port));
    url.port = String(gate.port);
    await using here = await startBridge(0, { url: url.href });
    await using there = await startBridge(1);
    await here.rig('a.attic');
    await there.rig('b.cellar');
    await gate.shut();
    expect(await here.rigs()).toEqual(['a.attic 1']);
    await gate.open();
    await expect.poll(() => here.rigs()).toEqual(['a.attic 1', 'b.cellar 1']);
  });
});
