/** What is ordered at one bridge holds at all that share its ledger: two real rig sides, a real database, and what may go wrong between them. */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { OrderExchange } from '../../../src/ledger/orders/exchange.js';
import type { BanOrder } from '../../../src/operations/bans.js';
import type { KeptOrders } from '../../../src/stratum/operator/order-saver.js';
import { useBooks } from '../../helpers/books/books.js';
import { type Gate, openGate } from '../../helpers/processes/gate.js';
import { startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';
import { until } from '../../helpers/until.js';

const ME = 'the operator';
const ATTIC = { account: 'a', rig: 'attic' };
const BAN = { kind: 'login', ...ATTIC, reason: 'dust' } as BanOrder;
const SINCE = '2026-11-29T12:00:00.000Z';

const books = useBooks();

interface SharingBridge extends TestBridge {
  readonly exchange: OrderExchange;
  /** As last written down. */
  kept(): KeptOrders;
  readonly told: string[];
  stop(): Promise<void>;
}

/** @param kept of an earlier start. */
async function startBridge(
  kept: Partial<KeptOrders> = {},
  databaseUrl = books.connectionString,
): Promise<SharingBridge> {
  const ledger = await openLedger({ connectionString: databaseUrl, log: SILENT, waits: true });
  const orders: KeptOrders = { bans: [], difficulties: [], labels: [], addresses: [], untold: [], ...kept };
  let written = orders;
  const keeper = {
    keep: async (all: KeptOrders) => {
      written = all;
    },
  };
  const exchange = new OrderExchange({ ledger, untold: orders.untold, log: SILENT });
  const bridge = await startTestBridge({ kept: orders, keeper, sharing: exchange });
  exchange.begin(bridge.server.operator);
  const told: string[] = [];
  bridge.events.on('banned', ({ login }) => told.push(`banned ${login}`));
  bridge.events.on('unbanned', ({ login }) => told.push(`unbanned ${login}`));
  const end = bridge[Symbol.asyncDispose].bind(bridge);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= exchange
      .close()
      .then(end)
      .then(() => ledger.close());
    return stopped;
  };
  return Object.assign(bridge, { exchange, told, kept: () => written, stop, [Symbol.asyncDispose]: stop });
}

/** In front of the database. */
async function openBooksGate(): Promise<Gate & { readonly url: string }> {
  const url = new URL(books.connectionString);
  const gate = await openGate(Number(url.port));
  url.port = String(gate.port);
  return { ...gate, url: url.href };
}

async function comes(bridge: TestBridge, login = 'a.attic'): Promise<boolean> {
  const rig = await bridge.connect('tcp');
  const { result } = await rig.request(1, 'mining.authorize', [login, 'x']);
  rig.close();
  return result === true;
}

const bansAt = (bridge: TestBridge) => bridge.server.watch.bans();

async function query(text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const options = '-c search_path=stratum_bridge';
  const client = new pg.Client({ connectionString: books.connectionString, options });
  await client.connect();
  return client.query(text, values).finally(() => client.end());
}

describe('what is ordered at one bridge', () => {
  it('holds at another: who is there is closed, who comes is refused, until it is taken back at any', async () => {
    await books.empty();
    await using here = await startBridge();
    await using there = await startBridge();
    const rig = await there.connect('tcp');
    await rig.request(1, 'mining.authorize', ['a.attic', 'x']);
    expect(await here.server.operator.ban(BAN, ME)).toMatchObject({ closed: 0, isKept: true });
    await rig.untilClosed();
    expect(there.closings).toEqual(['banned: dust']);
    expect(await comes(there)).toBe(false);
    expect(bansAt(there)).toEqual(bansAt(here));
    expect(there.kept().bans).toEqual(bansAt(here));
    await there.server.operator.unban({ id: bansAt(there)[0]?.id ?? '' }, ME);
    await until('it is taken back here', () => bansAt(here).length === 0);
    expect(await comes(here)).toBe(true);
    // Each is told in the timeline once, by the bridge that was asked.
    expect([here.told, there.told]).toEqual([['banned a.attic'], ['unbanned a.attic']]);
  });

  it('holds at another also where it is a difficulty, a label or a list of addresses', async () => {
    await books.empty();
    await using here = await startBridge();
    await using there = await startBridge();
    const { operator } = here.server;
    await operator.difficulty({ ...ATTIC, difficulty: '4' }, ME);
    await operator.label({ ...ATTIC, label: 'the loud one' }, ME);
    await operator.address({ list: 'deny', addresses: '192.0.2.0/24', isOn: true }, ME);
    const heard = await until('all is heard', () => there.kept().addresses.length > 0 && there.kept());
    expect(heard).toEqual({
      bans: [],
      difficulties: [{ ...ATTIC, difficulty: '4', since: expect.anything(), by: ME }],
      labels: [{ ...ATTIC, label: 'the loud one', since: expect.anything(), by: ME }],
      addresses: [{ list: 'deny', addresses: '192.0.2.0/24', since: expect.anything(), by: ME }],
      untold: [],
    });
    await operator.difficulty({ ...ATTIC, difficulty: null }, ME);
    await operator.label({ ...ATTIC, label: null }, ME);
    await operator.address({ list: 'deny', addresses: '192.0.2.0/24', isOn: false }, ME);
    await until('all is taken back', () => there.kept().addresses.length === 0);
    expect(there.server.operator.standing).toEqual([]);
  });

  it('holds at one that comes later, and what was taken back while one was away holds there no more', async () => {
    await books.empty();
    await using here = await startBridge();
    const other = { account: 'a', rig: 'cellar' };
    await using there = await startBridge();
    await here.server.operator.label({ ...ATTIC, label: 'one' }, ME);
    await here.server.operator.label({ ...other, label: 'two' }, ME);
    const { labels } = await until('heard', () => there.kept().labels.length === 2 && there.kept());
    await there.stop();
    await here.server.operator.label({ ...ATTIC, label: null }, ME);
    await using again = await startBridge({ labels });
    await until('heard', () => again.kept().labels.length === 1);
    expect(again.server.operator.standing).toEqual(here.server.operator.standing);
  });
});

describe('nothing is missed', () => {
  it('when a connection breaks, with what is notified meanwhile', async () => {
    await books.empty();
    const gate = await openBooksGate();
    await using here = await startBridge();
    await using there = await startBridge({}, gate.url);
    await here.server.operator.label({ ...ATTIC, label: 'one' }, ME);
    await until('heard', () => there.kept().labels.length === 1);
    await gate.shut();
    await here.server.operator.ban(BAN, ME);
    await here.server.operator.label({ ...ATTIC, label: null }, ME);
    expect(there.server.operator.standing).toHaveLength(1);
    await gate.open();
    await until('heard', () => bansAt(there).length === 1);
    expect(there.server.operator.standing).toEqual(here.server.operator.standing);
    await gate.shut();
  });

  it('when a notification is lost', async () => {
    await books.empty();
    await using bridge = await startBridge();
    await bridge.server.operator.label({ account: 'a', rig: 'r', label: 'here' }, ME);
    const says = { ...ATTIC, label: 'not notified', since: SINCE, by: ME };
    const values = ['label', 'a.attic', SINCE, JSON.stringify(says)];
    await query('INSERT INTO operator_order (kind, about, given_at, says) VALUES ($1, $2, $3, $4)', values);
    await until('it was looked for', () => bridge.kept().labels.length === 2);
  });
});

describe('without the ledger', () => {
  it('an order holds where it was given, over a restart too, and is told later', async () => {
    await books.empty();
    const gate = await openBooksGate();
    await gate.shut();
    await using cutOff = await startBridge({}, gate.url);
    expect(await cutOff.server.operator.ban(BAN, ME)).toMatchObject({ isKept: true });
    expect(await comes(cutOff)).toBe(false);
    const kept = cutOff.kept();
    expect(kept).toMatchObject({ bans: [{ login: 'a.attic' }], untold: [{ order: { kind: 'ban' } }] });
    await cutOff.stop();
    await using there = await startBridge();
    await using again = await startBridge(kept, gate.url);
    await gate.open();
    await until('it is told', () => bansAt(there).length === 1);
    await until('it is not kept to be told any more', () => again.kept().untold.length === 0);
    expect(bansAt(there)).toEqual(bansAt(again));
    await gate.shut();
  });

  it('an order that is told later is no newer than what was said since', async () => {
    await books.empty();
    await using here = await startBridge();
    const { operator } = here.server;
    const late = { ...ATTIC, label: 'of before', since: SINCE, by: ME };
    const untold = [
      { order: { kind: 'label' as const, about: 'a.attic', says: late }, givenAt: SINCE },
      {
        order: { kind: 'label' as const, about: 'a.cellar', says: { ...late, rig: 'cellar' } },
        givenAt: SINCE,
      },
    ];
    await operator.label({ ...ATTIC, label: 'of now' }, ME);
    await using cutOff = await startBridge({ labels: [late, { ...late, rig: 'cellar' }], untold });
    await until('told', () => cutOff.kept().untold.length === 0);
    await until('heard', () => here.kept().labels.length === 2);
    const labels = here.server.operator.standing.map(({ says }) => says && 'label' in says && says.label);
    expect(labels).toEqual(['of now', 'of before']);
    await until('heard', () => cutOff.kept().labels.some(({ label }) => label === 'of now'));
  });

  it('one that the database refuses holds here alone, and keeps no other waiting', async () => {
    await books.empty();
    await using here = await startBridge();
    await using there = await startBridge();
    // What was ordered before it was connected would be read anew.
    await there.server.operator.label({ ...ATTIC, label: 'upstairs' }, ME);
    await until('it is connected', () => here.kept().labels.length === 1);
    await there.server.operator.label({ ...ATTIC, label: null }, ME);
    await until('that is heard', () => here.kept().labels.length === 0);
    await here.server.operator.label({ ...ATTIC, label: 'half a pair \ud800' }, ME);
    await here.server.operator.ban(BAN, ME);
    await until('the other is heard', () => bansAt(there).length === 1);
    expect([here.kept().untold, here.kept().labels.length, there.kept().labels]).toEqual([[], 1, []]);
  });

  it('one that this program cannot read is told and does not hold; the others do', async () => {
    await books.empty();
    await query(
      `INSERT INTO operator_order (kind, about, given_at, says) VALUES ('ban', 'all', now(), '{"kind":"planet"}')`,
    );
    await using bridge = await startBridge();
    await using there = await startBridge();
    await there.server.operator.ban(BAN, ME);
    await until('heard', () => bansAt(bridge).length === 1);
  });
});
