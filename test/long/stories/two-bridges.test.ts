/** Two bridges on one ledger that agree on nothing: neither on the rules, nor on the time of day. */
import pg from 'pg';
import { expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { expectProved } from '../../helpers/books/money.js';
import { startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { openSystemClock } from '../../helpers/processes/system-clock.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { until } from '../../helpers/until.js';

const ANY = '127.0.0.1:0';
const HOUR_S = 3600;
const OURS = `k:${'ab'.repeat(32)}`;
/** An hour ahead, and an hour behind; who mines at which. */
const [AHEAD, BEHIND] = ['ahead', 'behind'] as const;

it('two bridges, an hour ahead and an hour behind: both pay by the rules of the ledger, for what was done when it was done', async () => {
  await using folder = await temporaryFolder();
  await using postgres = await startTestPostgres();
  const databaseUrl = postgres.connectionString;
  const hashesIn = measureHashes();
  const ease = ['--genesis-difficulty', hashesIn(1), '--block-delay', '20000ms'];
  // Every chain goes on, so that each block has one on top of it.
  await using node = startProgram(['node', '--mining', '--mine-every', '2s', '--listen', ANY, ...ease]);
  const nodeUrl = String((await node.ready())['url']);
  const serve = async (name: string, aheadS: number, scheme: string): Promise<Program> => {
    const clock = await openSystemClock(folder.path, name);
    if (!clock) process.stderr.write('LEFT OUT: clocks that are wrong, because there is no libfaketime\n');
    await clock?.set(aheadS);
    const args = [
      '--node-urls',
      nodeUrl,
      '--miner-account',
      OURS,
      '--ledger-database-url',
      databaseUrl,
      '--cpu-mode',
      'off',
    ];
    const own = ['--data-dir', `${folder.path}/${name}`, '--rewards-scheme', scheme, '--chain-depth', '1'];
    const doors = [
      '--stratum-tcp',
      ANY,
      '--stratum-ws',
      'off',
      '--web-listen',
      'off',
      '--stratum-share-difficulty',
      hashesIn(0.05),
    ];
    return startProgram(['serve', ...args, ...own, ...doors], clock?.env);
  };
  const ask = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> => {
    const client = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=stratum_bridge' });
    await client.connect();
    return (await client.query<T>(text, values).finally(() => client.end())).rows;
  };
  const now = async (): Promise<Date> =>
    (await ask<{ now: Date }>('SELECT now()'))[0]?.now ?? expect.fail('no time');
  const says = (bridge: Program, words: RegExp): boolean =>
    bridge.lines.some(({ msg }) => words.test(msg ?? ''));

  const told = { [AHEAD]: { accepted: 0, unanswered: 0 }, [BEHIND]: { accepted: 0, unanswered: 0 } };
  /** Rests again as soon as a node has one of it. */
  const mineABlock = async (bridge: Program, account: keyof typeof told): Promise<Date> => {
    const since = await now();
    const { tcp } = await bridge.ready();
    await using rig = startProgram([
      ...['rig', '--urls', `tcp://${tcp}`, '--user', `${account}.r`, '--threads', '1'],
    ]);
    const found = "SELECT FROM block WHERE account = $1 AND found_at >= $2 AND said = 'received'";
    await until('a block', async () => (await ask(found, [account, since])).length > 0);
    rig.kill('SIGTERM');
    await rig.ended;
    const { accepted, unanswered } =
      (rig.last('status') as { submits?: Told })?.submits ?? expect.fail('no status');
    told[account].accepted += accepted;
    told[account].unanswered += unanswered;
    return since;
  };
  const untilPaid = async (account: string, since: Date): Promise<unknown> => {
    const text = 'SELECT FROM block WHERE account = $1 AND found_at >= $2 AND split_from IS NOT NULL';
    return until('a block is paid', async () => (await ask(text, [account, since])).length > 0);
  };

  await using first = await serve(AHEAD, HOUR_S, 'prop');
  const began = { [AHEAD]: await mineABlock(first, AHEAD), [BEHIND]: new Date(0) };
  await until('the rules are made', () => says(first, /has these rules in force/));
  await using second = await serve(BEHIND, -HOUR_S, 'solo');
  began[BEHIND] = await mineABlock(second, BEHIND);
  await until('the second says it', () =>
    says(second, /passed over .*: rewards.scheme is prop in the ledger, and solo in the settings/),
  );
  await untilPaid(AHEAD, began[AHEAD]);
  await untilPaid(BEHIND, began[BEHIND]);

  // The other one leads from now on. What the first had left it brings when it is back.
  first.kill('SIGTERM');
  await first.ended;
  await using again = await serve(AHEAD, HOUR_S, 'prop');
  await again.ready();
  await untilPaid(BEHIND, await mineABlock(second, BEHIND));
  const booked = async (account: string): Promise<Booked> => {
    const text = `SELECT coalesce(sum(submits), 0)::int AS shares, min(starts_at) AS first, max(starts_at) AS last
      FROM rig_work w JOIN rig r ON r.id = rig_id JOIN account a ON a.id = r.account_id WHERE kind = 0 AND a.name = $1`;
    return (await ask<Booked>(text, [account]))[0] ?? expect.fail(account);
  };
  for (const account of [AHEAD, BEHIND]) {
    const { accepted, unanswered } = told[account];
    const { shares, first, last } = await until(`the shares of ${account} are booked`, async () => {
      const found = await booked(account);
      return found.shares >= accepted && found;
    });
    expect(shares).toBeLessThanOrEqual(accepted + unanswered);
    // In the slots in which they came.
    expect(first.getTime()).toBeGreaterThan(began[account].getTime() - 10_000);
    expect(last.getTime()).toBeLessThanOrEqual((await now()).getTime());
  }
  const times = 'SELECT min(found_at) AS first, max(found_at) AS last FROM block';
  const [found] = await ask<Booked>(times);
  expect(found?.first.getTime()).toBeGreaterThan(began[AHEAD].getTime() - 1000);
  expect(found?.last.getTime()).toBeLessThanOrEqual((await now()).getTime());
  expect(await ask('SELECT DISTINCT scheme FROM block WHERE scheme IS NOT NULL')).toEqual([
    { scheme: 'prop' },
  ]);
  const ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
  await expectProved(ledger.pool).finally(() => ledger.close());
});

interface Told {
  readonly accepted: number;
  readonly unanswered: number;
}

interface Booked {
  readonly shares: number;
  readonly first: Date;
  readonly last: Date;
}
