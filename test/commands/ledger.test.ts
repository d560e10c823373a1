/** Which books `ledger` looks at, and that looking makes none. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/assembly/finding.js';
import { SILENT } from '../../src/core/names/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../src/ledger/rules/rules.js';
import { giveMoney } from '../helpers/books/money.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/books/postgres.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { runProgram } from '../helpers/processes/program.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

const LOOKS_ONLY = [
  ...['--miner-account', `k:${'cd'.repeat(32)}`, '--node-urls', '127.0.0.1:1'],
  ...['--stratum-tcp', 'off', '--stratum-ws', 'off', '--web-listen', 'off', '--cpu-mode', 'off'],
];

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

/** Books in which one account has a share and a balance. */
async function someBooks(): Promise<string> {
  const url = await createDatabase(postgres);
  const books = await openLedger({ connectionString: url, log: SILENT });
  const shares = [makeShare({ account: 'alice' })];
  const id = { log: '00000000-0000-4000-8000-000000000001', number: 1 };
  await books.recordEntry(entryOf({ id, shares, rejections: [] }));
  await giveMoney(books.pool, 'alice', 20n * 10n ** 12n);
  await writeFirstRules(books.pool, { ...REWARD_RULES, minimum: 50n * 10n ** 12n }, 'a test');
  await books.close();
  return url;
}

describe('C2: ledger reads the configuration of serve', () => {
  it('C2, L13: takes the database from the file, among settings that are not its own, and the minimum from the rules', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'bridge.yaml');
    const settings = {
      'ledger.databaseUrl': await someBooks(),
      'payouts.minimum': '10',
      'cpu.mode': 'off',
      stratum: { tcp: 'off' },
    };
    await writeFile(file, JSON.stringify(settings));
    const [byFlag, byVariable, due] = await Promise.all([
      runProgram(['ledger', 'accounts', '--config', file], {}, folder.path),
      runProgram(['ledger', 'accounts'], { STRATUM_BRIDGE_CONFIG: file }, folder.path),
      runProgram(['ledger', 'payout', 'prepare', '--config', file], {}, folder.path),
    ]);
    for (const { code, stderr, text } of [byFlag, byVariable]) {
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(text)).toMatchObject([{ account: 'alice' }]);
    }
    // She has 20, and the rules of the ledger say 50, whatever the file says.
    expect([due.code, due.text]).toEqual([0, '[]']);
    const flag = ['--payouts-minimum', '20', '--out', folder.path];
    const paid = await runProgram(
      ['ledger', 'payout', 'prepare', '--config', file, ...flag],
      {},
      folder.path,
    );
    expect([paid.code, JSON.parse(paid.text)]).toEqual([0, [expect.objectContaining({ accounts: 1 })]]);
    // WB55: what follows.
    const [{ name }] = JSON.parse(paid.text);
    expect(paid.stderr).toBe(
      `stratum-bridge: pay what ${join(folder.path, `payout-${name}.csv`)} lists from your wallet, then say so: stratum-bridge ledger payout mark ${name} sent; until then prepare gives this payout again\n`,
    );
    // L13: the rules say 50 again, and what is shown is the payout that was prepared with 20.
    const again = await runHere('ledger', ['payout', 'prepare', '--config', file, '--out', folder.path]);
    expect([again.code, JSON.parse(again.text)]).toEqual([0, [expect.objectContaining({ accounts: 1 })]]);
    expect(again.stderr).toMatch(
      /^stratum-bridge: payout [0-9a-f]{5}-1 was prepared with a minimum of 20\.0+, not 50\.0+: mark it, and the next one has 50\.0+\nstratum-bridge: pay what /,
    );
  });

  it('C2: refuses what serve refuses of what it reads, and keeps its own flags to itself', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'bridge.yaml');
    await writeFile(file, 'cpu.mode: fast\ndataDir: [a]\nlimit: 5\n');
    const { code, stderr } = await ledger(['accounts', '--config', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`dataDir: ["a"] (file ${file}) is no text`);
    expect(stderr).not.toContain('cpu.mode');
    expect(stderr).toContain(`limit (file ${file}) is no setting`);
  });
});

describe('C3: commands that read make nothing', () => {
  it.each([['accounts'], ['verify'], ['dump x.dump'], ['payout prepare'], ['payout mark 1 sent']])(
    'C3: %s in a folder without books says where it looked, exit code 1',
    async (words) => {
      await using folder = await temporaryFolder();
      const variable = { STRATUM_BRIDGE_DATA_DIR: join(folder.path, 'data') };
      const { code, stderr, text } = await ledger(words.split(' '), variable);
      expect([code, text]).toEqual([1, '']);
      expect(stderr).toMatch(
        /dataDir: ".*data" \(variable STRATUM_BRIDGE_DATA_DIR\) .* no books in \/.*\/data; name those of the bridge/,
      );
      expect(await readdir(folder.path)).toEqual([]);
    },
  );

  it('C3: makes no tables in a database without books, and names it without its password', async () => {
    const url = await createDatabase(postgres);
    const { code, stderr } = await ledger(['accounts', '--ledger-database-url', url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /ledger\.databaseUrl: "postgres:\/\/bridge:\*\*\*@.*" \(flag --ledger-database-url\) .*no books/,
    );
    expect(stderr).not.toContain(new URL(url).password);
    expect(await tablesOf(url)).toBe(0);
  });

  it('C3: doctor makes no tables either, and says whether they could be made', async () => {
    const url = await createDatabase(postgres);
    await using folder = await temporaryFolder();
    const look = async (databaseUrl: string): Promise<Finding | undefined> => {
      const argv = [
        ...LOOKS_ONLY,
        '--data-dir',
        join(folder.path, 'data'),
        '--ledger-database-url',
        databaseUrl,
      ];
      const { text } = await runHere('doctor', argv);
      const { findings } = JSON.parse(text) as { findings: Finding[] };
      return findings.find(({ what }) => what === 'database');
    };
    expect(await look(url)).toEqual({
      state: 'good',
      what: 'database',
      detail: 'no books yet: they will be made at the first start',
    });
    await ask(url, "CREATE ROLE poor LOGIN PASSWORD 'poor'");
    const poor = new URL(url);
    [poor.username, poor.password] = ['poor', 'poor'];
    expect(await look(poor.href)).toMatchObject({
      state: 'fault',
      detail: 'there are no books, and this user may not make any',
    });
    expect(await tablesOf(url)).toBe(0);
    expect(await readdir(folder.path)).toEqual([]);
    await ask(url, 'CREATE SCHEMA stratum_bridge CREATE TABLE migration (version integer)');
    expect(await look(url)).toEqual({
      state: 'fault',
      what: 'database',
      detail: expect.stringMatching(
        /cannot be used: these books .* other tables: start that version on them/,
      ),
    });
  });

  it('C3: books that are gone are told by ledger and doctor as by serve', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'postgres'));
    await writeFile(join(folder.path, 'postgres', 'VERSION'), '18\n');
    const argv = ['--data-dir', folder.path];
    const words =
      /dataDir: "\/.*" \(flag --data-dir\) cannot be used: .*data is gone, with all that the ledger held: bring it back/;
    const looked = await ledger(['accounts', ...argv]);
    expect([looked.code, looked.stderr]).toEqual([1, expect.stringMatching(words)]);
    const started = await runProgram(['serve', ...LOOKS_ONLY, ...argv]);
    expect([started.code, started.stderr]).toEqual([1, expect.stringMatching(words)]);
    const { text } = await runHere('doctor', [...LOOKS_ONLY, ...argv]);
    const { findings } = JSON.parse(text) as { findings: Finding[] };
    expect(findings).toContainEqual({
      state: 'fault',
      what: 'database (embedded)',
      detail: expect.stringMatching(words),
    });
  });

  it('C3: leaves older functions as they are', async () => {
    const url = await someBooks();
    await ask(url, "UPDATE stratum_bridge.made SET functions = 'of another'");
    const { code, stderr } = await ledger(['verify', '--ledger-database-url', url]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /functions of these books are those of another version.* makes them anew when it starts/,
      ),
    ]);
  });

  it.each([
    [['acounts'], /there is no command "acounts"; did you mean accounts\?/],
    [[], /ledger needs a command: accounts, /],
    [['accounts', 'alice'], /too many arguments for 'accounts'/],
    [['dump'], /missing required argument 'file'/],
    [['restore', 'nosuch.dump'], /there is no file nosuch.dump: is the path right/],
    [['payout'], /ledger payout needs a command: prepare, show, mark/],
    [['payout', 'mark', '7', 'paid'], /outcome is one of sent, confirmed, failed, unknown, not "paid"/],
    [
      ['payout', 'mark', 'seven', 'sent'],
      /id is the number of a payout, or its name such as 3f9ea-7, not "seven"/,
    ],
    [['payout', 'prepare', '--payouts-minimum', '0'], /payouts\.minimum: "0" .* is not above zero/],
  ])(
    'C15: %j is a mistake of usage: told before anything is started, exit code 2',
    async (words, expected) => {
      await using folder = await temporaryFolder();
      const variable = { STRATUM_BRIDGE_DATA_DIR: join(folder.path, 'data') };
      const { code, stderr } = await ledger(words, variable);
      expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
      expect(await readdir(folder.path)).toEqual([]);
    },
  );
});

function ledger(words: readonly string[], env: Record<string, string> = {}) {
  return runHere('ledger', words, env);
}

async function ask(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client.query(text).finally(() => client.end());
}

async function tablesOf(url: string): Promise<number> {
  const { rows } = await ask(
    url,
    "SELECT count(*)::int AS n FROM information_schema.schemata WHERE schema_name = 'stratum_bridge'",
  );
  return rows[0].n;
}
