/** A real bridge with a rig that goes away: what is told, to whom, and what of it survives restarts, outages and reloads. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { stringify } from 'yaml';
import { CONDITION_NAMES, CONDITIONS, type Condition } from '../../../src/alerts/conditions.js';
import { AlertReceiver } from '../../helpers/alerts/alert-receiver.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { openGate } from '../../helpers/processes/gate.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { WireRig } from '../../helpers/rigs/wire-rig.js';
import { PATIENCE_MS, until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const RIG = `${ACCOUNT}.one`;
const ANY = '127.0.0.1:0';
const SECRET = 'a-secret-of-sixteen-or-more';

let postgres: TestPostgres;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let node: Program;
let nodeUrl: string;
beforeAll(async () => {
  postgres = await startTestPostgres();
  folder = await temporaryFolder();
  node = startProgram(['node', '--mining', '--listen', ANY]);
  nodeUrl = String((await node.ready())['url']);
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await postgres.close();
  await folder[Symbol.asyncDispose]();
});

interface Bridge {
  readonly program: Program;
  readonly web: string;
  readonly tcpPort: number;
  /** Takes other settings of alerts, live. */
  reload(alerts: object): Promise<void>;
  /** What it answers of alerts. */
  alerts(query?: string): Promise<Shown>;
  /** The same, once the ledger has answered in time. */
  whole(query?: string): Promise<Shown>;
}

interface Shown {
  readonly alerts: readonly {
    readonly condition: string;
    readonly about: string;
    readonly until: string | null;
  }[];
  readonly open: number;
  readonly isComplete: boolean;
  readonly targets: readonly {
    readonly name: string;
    readonly delivered: number;
    readonly lastFailure: unknown;
  }[];
}

/** Nothing but what a test waits for. */
const offBut = (...told: readonly Condition[]) =>
  CONDITION_NAMES.filter((condition) => !told.includes(condition));

type Finishing = Pick<TestContext, 'onTestFinished'>;

async function startBridge(
  { onTestFinished }: Finishing,
  name: string,
  databaseUrl: string,
  alerts: object,
  { env = {}, args = [] }: { env?: Record<string, string>; args?: readonly string[] } = {},
): Promise<Bridge> {
  const settings = join(folder.path, `${name}.yaml`);
  const write = (values: object): Promise<void> =>
    writeFile(settings, stringify({ alerts: { off: offBut(), ...values } }), { mode: 0o600 });
  await write(alerts);
  const program = startProgram(
    [
      ...['serve', '--config', settings, '--data-dir', join(folder.path, name), '--miner-account', ACCOUNT],
      ...['--node-urls', nodeUrl, '--ledger-database-url', databaseUrl, '--cpu-mode', 'off'],
      ...['--stratum-tcp', ANY, '--stratum-ws', 'off', '--web-listen', ANY, ...args],
    ],
    env,
  );
  onTestFinished(() => program[Symbol.asyncDispose]());
  const ready = await program.ready();
  const web = String(ready['web']);
  const shownBy = async (query = ''): Promise<Shown> =>
    (await (await fetchAsReader(`${web}/api/v1/alerts${query}`)).json()) as Shown;
  return {
    program,
    web,
    tcpPort: Number(String(ready['tcp']).split(':')[1]),
    reload: async (values) => {
      const reloads = () => program.lines.filter(({ event }) => event === 'reload').length;
      const before = reloads();
      await write(values);
      program.kill('SIGHUP');
      await until('the settings are read again', () => reloads() > before);
    },
    alerts: shownBy,
    whole: (query) =>
      until('the ledger has answered', async () => {
        const shown = await shownBy(query);
        return shown.isComplete && shown;
      }),
  };
}

async function receiver({ onTestFinished }: Finishing): Promise<AlertReceiver> {
  const opened = await AlertReceiver.open(SECRET);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** They are of the books, as if they had mined before, and known to be heard. */
async function seenRigs(databaseUrl: string, logins: readonly (readonly [string, string])[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const [accounts, names] = [logins.map(([account]) => account), logins.map(([, name]) => name)];
  await client.query('SELECT stratum_bridge.know_rigs($1, $2)', [accounts, names]);
  const text = 'SELECT count(*)::int AS rigs FROM stratum_bridge.alert_rig';
  await until(
    'the rigs are seen',
    async () => (await client.query(text)).rows[0].rigs === logins.length,
  ).finally(() => client.end());
}

const targetAt = ({ url }: AlertReceiver) => ({
  name: 'ops',
  type: 'webhook',
  url: `${url}/hook`,
  secret: SECRET,
});

async function connectRig({ tcpPort }: Bridge, login = RIG, password = 'x'): Promise<WireRig> {
  const rig = await WireRig.connect('tcp', tcpPort);
  await rig.request(1, 'mining.subscribe', ['rig/1', null]);
  await rig.request(2, 'mining.authorize', [login, password]);
  return rig;
}

/** Beside each other: they wait for times to pass, and share a database server. */
describe.concurrent('alerts of a real bridge', () => {
  it('tells of a rig that goes away and comes back, once for two bridges and over a restart', async (test) => {
    const { expect } = test;
    const ops = await receiver(test);
    const databaseUrl = await createDatabase(postgres);
    const rules = { targets: [targetAt(ops)], off: offBut('rigOffline'), rigOffline: '20s' };
    const first = await startBridge(test, 'first', databaseUrl, rules);
    let second = await startBridge(test, 'second', databaseUrl, rules);

    const rig = await connectRig(first);
    await until('the rig is listed', async () => {
      const { rigs } = (await (await fetchAsReader(`${first.web}/api/v1/rigs`)).json()) as {
        rigs: { state: string }[];
      };
      return rigs[0]?.state === 'online';
    });
    await seenRigs(databaseUrl, [[ACCOUNT, 'one']]);

    rig.vanish();
    await until('it is missed', () => ops.words().includes(`opened rigOffline ${RIG}`));
    expect(ops.received.map(({ path, isSigned }) => [path, isSigned])).toEqual([['/hook', true]]);
    await until('both show it open', async () =>
      (await Promise.all([first.alerts(), second.alerts()])).every(({ open }) => open === 1),
    );

    second.program.kill('SIGTERM');
    expect(await second.program.ended).toBe(0);
    second = await startBridge(test, 'second', databaseUrl, rules);
    expect((await second.whole()).alerts).toMatchObject([
      { condition: 'rigOffline', about: RIG, until: null },
    ]);

    const again = await connectRig(second);
    await until('it is heard again', () => ops.words().includes(`resolved rigOffline ${RIG}`));
    await until('both show it over', async () =>
      (await Promise.all([first.alerts(), second.alerts()])).every(({ open }) => open === 0),
    );
    again.vanish();
    const { alerts, targets } = await first.whole('?state=resolved');
    expect(alerts[0]?.until).not.toBeNull();
    expect(targets).toMatchObject([{ name: 'ops', lastFailure: null }]);
    const told = ops
      .words()
      .filter((word) => word.includes(RIG))
      .slice(0, 2);
    expect(told).toEqual([`opened rigOffline ${RIG}`, `resolved rigOffline ${RIG}`]);
    expect(new Set(ops.received.map(({ told: { id } }) => id)).size).toBe(ops.received.length);
    expect(ops.received.every(({ isSigned }) => isSigned)).toBe(true);

    const events = await until('the timeline', async () => {
      const answer = await fetchAsReader(`${first.web}/api/v1/events?kind=alertOpened,alertResolved`);
      // 503 while the ledger does not answer in time.
      return answer.ok && ((await answer.json()) as { events: { kind: string }[] }).events;
    });
    const ofRig = events.map(({ kind }) => kind).reverse();
    expect(ofRig.slice(0, 2)).toEqual(['alertOpened', 'alertResolved']);
    const log = [...first.program.lines, ...second.program.lines];
    expect(JSON.stringify(log)).not.toContain('/hook');
  });

  it('tells of a ledger that is away by itself, and goes on with it when it is back', async (test) => {
    const { expect } = test;
    const ops = await receiver(test);
    const gate = await openGate(Number(new URL(postgres.connectionString).port));
    const databaseUrl = new URL(await createDatabase(postgres));
    databaseUrl.port = String(gate.port);
    const rules = { targets: [targetAt(ops)], off: offBut('ledgerAway') };
    const bridge = await startBridge(test, 'away', databaseUrl.toString(), rules);
    await bridge.whole();
    await gate.shut();
    await until(
      'it is told',
      () => ops.words('ledgerAway').length > 0,
      CONDITIONS.ledgerAway.holdMs + PATIENCE_MS,
    );
    expect(ops.words('ledgerAway')).toEqual(['opened ledgerAway bridge 0']);
    const known = await until('it is shown', async () => {
      const shown = await bridge.alerts();
      return !shown.isComplete && shown.open > 0 && shown;
    });
    expect(known.alerts).toMatchObject([{ condition: 'ledgerAway', until: null }]);
    const file = join(folder.path, 'away', '0', 'alerts.json');
    await until('it is on disk', async () =>
      (await readFile(file, 'utf8').catch(() => '')).includes('ledgerAway'),
    );
    bridge.program.kill('SIGTERM');
    expect(await bridge.program.ended).toBe(0);
    // Started anew it finds one more thing wrong, and tells that alone.
    const again = await startBridge(test, 'away', databaseUrl.toString(), {
      ...{ ...rules, off: offBut('ledgerAway', 'diskLow'), disk: '1000TiB' },
    });
    await until(
      'what is new is told',
      () => ops.words('diskLow').length > 0,
      CONDITIONS.ledgerAway.holdMs + PATIENCE_MS,
    );
    expect((await again.alerts()).open).toBe(2);
    await gate.open();
    await until('it is over', () => ops.words('ledgerAway').length > 1);
    await until('the ledger has it', async () => {
      const { alerts, isComplete } = await again.alerts();
      const told = alerts.map(
        ({ condition, until: end }) => `${condition} ${end === null ? 'open' : 'over'}`,
      );
      return isComplete && told.join() === 'diskLow open,ledgerAway over';
    });
    expect(ops.words('ledgerAway')).toEqual(['opened ledgerAway bridge 0', 'resolved ledgerAway bridge 0']);
    expect(ops.received.every(({ isSigned }) => isSigned)).toBe(true);
    await gate.shut();
  });

  it('takes other bounds and targets while it runs, tries again what is refused, and shows why', async (test) => {
    const { expect } = test;
    const [ops, other] = [await receiver(test), await receiver(test)];
    const databaseUrl = await createDatabase(postgres);
    const bridge = await startBridge(test, 'live', databaseUrl, {});
    expect(await bridge.alerts()).toMatchObject({ open: 0, targets: [] });
    let refusals = 0;
    other.answer = (response) => response.writeHead(refusals++ === 0 ? 503 : 204).end('come again');
    const slack = { name: 'chat', type: 'slack', url: `${other.url}/services/T0ken` };
    // More than any disk has.
    await bridge.reload({
      ...{ targets: [targetAt(ops), slack], off: offBut('diskLow'), disk: '1000TiB' },
    });
    await until('it is told', () => ops.words().includes('opened diskLow bridge 0'));
    await until('it is told at last', () => other.received.length >= 2);
    expect(other.received.map(({ told: { text } }) => text)).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('critical diskLow')),
    );
    const shown = await until('it is counted', async () => {
      const { targets } = await bridge.alerts();
      return targets.every(({ delivered }) => delivered === 1) && targets;
    });
    expect(shown[1]).toMatchObject({ name: 'chat', lastFailure: { says: 'answered 503: come again' } });
    await bridge.reload({ targets: [targetAt(ops)], off: offBut('diskLow') });
    await until('it is over', () => ops.words().includes('resolved diskLow bridge 0'));
    const settings = await (await fetchAsReader(`${bridge.web}/api/v1/settings`)).text();
    for (const secret of [SECRET, 'T0ken', '/hook']) {
      expect(settings).not.toContain(secret);
      expect(JSON.stringify(bridge.program.lines)).not.toContain(secret);
    }
  });
});
