/** An order that acts once is carried out at the bridge that has the session: real rig sides, a real database, real notices. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { leaseInstance, releaseInstance } from '../../../src/ledger/database/instances.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { OrderPassing } from '../../../src/ledger/orders/passing.js';
import { useBooks } from '../../helpers/books/books.js';
import type { WireRig } from '../../helpers/rigs/wire-rig.js';
import { startTestBridge, type TestBridge } from '../../helpers/stories/stratum-bridge.js';

const ME = 'the operator';
const books = useBooks();

interface PassingBridge extends TestBridge {
  readonly passing: OrderPassing;
  /** One that takes messages connects; resolves with it, and with how its session is named there. */
  rig(login: string): Promise<{ readonly wire: WireRig; readonly id: number; readonly openedAt: string }>;
}

/** @param number of it on the ledger. */
async function startBridge(number: number): Promise<PassingBridge> {
  const ledger = await openLedger({ connectionString: books.connectionString, log: SILENT });
  const owner = { id: randomUUID(), run: randomUUID(), place: `host${number}` };
  expect(await leaseInstance(ledger.pool, owner, number, true)).toBe(number);
  const bridge = await startTestBridge();
  const { operator, watch } = bridge.server;
  const before = await listeners();
  // Those that it bans itself are of bridge 1 in these tests.
  const bridgeOf = (id: string) => (watch.bans().some((ban) => ban.id === id) ? undefined : 1);
  const passing = new OrderPassing({ ledger, number: () => number, bridgeOf, log: SILENT }, operator);
  await expect.poll(listeners).toBeGreaterThan(before);
  const end = bridge[Symbol.asyncDispose].bind(bridge);
  return Object.assign(bridge, {
    passing,
    rig: async (login: string) => {
      const wire = await bridge.connect('tcp');
      await wire.request('modern', 'mining.extranonce.subscribe', []);
      await wire.request(0, 'mining.subscribe', ['asic/1']);
      await wire.request(1, 'mining.authorize', [login, 'x']);
      const { items } = await watch.sessions({ offset: 0, limit: 10 });
      const { id, openedAt } =
        items.find(({ peer }) => peer.endsWith(`:${wire.socket.localPort}`)) ?? expect.fail('no session');
      return { wire, id, openedAt };
    },
    [Symbol.asyncDispose]: async () => {
      await end();
      await releaseInstance(ledger.pool, owner);
      await ledger.close();
    },
  });
}

/** Connections that hear all that is passed on. */
async function listeners(): Promise<number> {
  const client = new pg.Client({ connectionString: books.connectionString });
  await client.connect();
  const listening = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE query = 'LISTEN stratum_bridge_answer'
    AND state = 'idle' AND datname = current_database()`;
  const { rows } = await client.query(listening).finally(() => client.end());
  return rows[0].count;
}

const shownTo = (wire: WireRig): unknown[] =>
  wire.notices('client.show_message').map(({ params }) => params?.[0]);

describe('an order that acts once', () => {
  it('closes a session at the bridge that has it, and none that another has of the same name', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1);
    const own = await here.rig('a.attic');
    const other = await there.rig('a.cellar');
    expect(own.id).toBe(other.id);
    const close = async ({ id, openedAt }: { id: number; openedAt: string }, bridge: number | null) =>
      here.passing.closeSession({ id, openedAt, bridge, reason: 'new cable' }, ME);
    expect(await close(other, null)).toMatchObject({ refused: 'unknown' });
    expect(await close(own, 1)).toMatchObject({ refused: 'unknown' });
    expect(await close(other, 1)).toEqual({ closed: { id: other.id, openedAt: other.openedAt } });
    await other.wire.untilClosed();
    expect([here.closings, there.closings]).toEqual([[], ['closed by the operator: new cable']]);
    expect(await close(own, 0)).toEqual({ closed: { id: own.id, openedAt: own.openedAt } });
  });

  it('tells rigs at all bridges, and one session at its own', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1);
    await using elsewhere = await startBridge(2);
    const attic = await here.rig('a.attic');
    const cellar = await there.rig('a.cellar');
    const shed = await elsewhere.rig('b.shed');
    const { passing } = there;
    const all = await passing.message({ to: 'all', text: 'to all' }, ME);
    expect(all).toEqual({ told: 3, sessions: 3, silent: [] });
    const ofAccount = await passing.message({ to: 'account', account: 'a', text: 'to a' }, ME);
    expect(ofAccount).toEqual({ told: 2, sessions: 2, silent: [] });
    const { id, openedAt } = shed;
    const one = await passing.message({ to: 'session', id, openedAt, bridge: 2, text: 'to one' }, ME);
    expect(one).toEqual({ told: 1, sessions: 1, silent: [] });
    for (const { wire } of [attic, cellar, shed]) await wire.request('done', 'mining.ping');
    const shown = [attic, cellar, shed].map(({ wire }) => shownTo(wire));
    expect(shown).toEqual([
      ['to all', 'to a'],
      ['to all', 'to a'],
      ['to all', 'to one'],
    ]);
  });

  it('takes back what another bridge has banned by itself', async () => {
    await books.empty();
    await using here = await startBridge(0);
    await using there = await startBridge(1);
    const { wire } = await there.rig('a.attic');
    for (let i = 0; i < 301; i++)
      wire.send(JSON.stringify({ id: i, method: 'mining.submit', params: ['a.attic', 'fff', '00'] }));
    await wire.untilClosed();
    const [ban = expect.fail('it is not banned')] = there.server.watch.bans();
    expect(await here.passing.unban({ id: ban.id }, ME)).toMatchObject({ ban: { id: ban.id, by: null } });
    expect(there.server.watch.bans()).toEqual([]);
    expect(await here.passing.unban({ id: ban.id }, ME)).toMatchObject({ refused: 'unknown' });
  });

  it('names who does not answer, and refuses what is for him alone', async () => {
    await books.empty();
    await using here = await startBridge(0);
    const ledger = await openLedger({ connectionString: books.connectionString, log: SILENT });
    // It is alive by its lease, and hears nothing.
    const owner = { id: randomUUID(), run: randomUUID(), place: 'a host that hangs' };
    await leaseInstance(ledger.pool, owner, 7, true);
    const { wire } = await here.rig('a.attic');
    expect(await here.passing.message({ to: 'all', text: 'x' }, ME)).toEqual({
      ...{ told: 1, sessions: 1, silent: [7] },
    });
    const close = (bridge: number) =>
      here.passing.closeSession({ id: 1, openedAt: '2026-11-29T12:00:00Z', bridge, reason: '' }, ME);
    const why = 'did not answer: whether it has carried this out is not known';
    expect(await close(7)).toEqual({ refused: 'busy', why: `bridge 7 ${why}` });
    expect(await close(8)).toEqual({ refused: 'unknown', why: 'no bridge 8 can be asked' });
    await releaseInstance(ledger.pool, owner);
    await ledger.close();
    // What is no order is not answered, and harms nobody.
    await books.pool.query(
      `SELECT pg_notify('stratum_bridge_ask', 'nonsense'), pg_notify('stratum_bridge_answer', '{"id":1}')`,
    );
    await wire.request('done', 'mining.ping');
  });
});
