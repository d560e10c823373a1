/** Which books `ledger` looks at, and that looking makes none. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command } from '../../src/commands/ledger.js';
import { SILENT } from '../../src/core/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { post } from '../../src/ledger/posting.js';
import { inTransaction } from '../../src/ledger/transaction.js';
import { runHere } from '../helpers/command.js';
import { temporaryFolder } from '../helpers/folder.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/postgres.js';
import { runProgram } from '../helpers/program.js';
import { makeShare } from '../helpers/shares.js';

const EARNED = {
  key: 'test',
  kind: 'test',
  lines: [
    { owner: 'alice', book: 'balance' as const, amount: 20n * 10n ** 12n },
    { owner: '', book: 'rewards' as const, amount: -20n * 10n ** 12n },
  ],
};

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
  const id = { producer: '00000000-0000-4000-8000-000000000001', number: 1 };
  await books.recordEntry({ id, shares, rejections: [] });
  await inTransaction(books.pool, (client) => post(client, EARNED));
  await books.close();
  return url;
}

describe('C2: ledger reads the configuration of serve', () => {
  it('C2: takes database and minimum from the file, among settings that are not its own', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'bridge.yaml');
    const settings = {
      'ledger.databaseUrl': await someBooks(),
      'payouts.minimum': '50',
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
    // She has 20, and the file says 50.
    expect([due.code, due.text]).toEqual([0, '[]']);
    const flag = ['--minimum-payout', '20', '--tcp', 'off', '--out', folder.path];
    const paid = await runProgram(
      ['ledger', 'payout', 'prepare', '--config', file, ...flag],
      {},
      folder.path,
    );
    expect([paid.code, JSON.parse(paid.text)]).toEqual([0, [expect.objectContaining({ accounts: 1 })]]);
  }, 60_000);

  it('C2: refuses what serve refuses, and keeps its own flags to itself', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'bridge.yaml');
    await writeFile(file, 'cpu.mode: fast\nlimit: 5\n');
    const { code, stderr } = await ledger(['accounts', '--config', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`cpu.mode: "fast" (file ${file}) is none of`);
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
    const { code, stderr } = await ledger(['accounts', '--database-url', url]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /ledger\.databaseUrl: "postgres:\/\/bridge:\*\*\*@.*" \(flag --database-url\) .*no books/,
    );
    expect(stderr).not.toContain(new URL(url).password);
    expect(await tablesOf(url)).toBe(0);
  });

  it('C3: leaves older tables as they are', async () => {
    const url = await someBooks();
    await ask(
      url,
      'DELETE FROM stratum_bridge.migration WHERE version = (SELECT max(version) FROM stratum_bridge.migration)',
    );
    const { code, stderr } = await ledger(['verify', '--database-url', url]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/tables are of version \d+.* brings them there when it starts/),
    ]);
  });

  it.each([
    [['acounts'], /ledger acounts: it is one of accounts, /],
    [[], /ledger \(nothing\): it is one of/],
    [['accounts', 'alice'], /"alice" is one word too many/],
    [['dump'], /ledger dump: name the file/],
    [['restore', 'nosuch.dump'], /there is no file nosuch.dump: is the path right/],
    [['payout'], /ledger payout: prepare, show ID, or mark/],
    [['payout', 'mark', '7', 'paid'], /a batch is marked sent, failed, unknown, not "paid"/],
    [['payout', 'mark', 'seven', 'sent'], /a batch has a number, not "seven"/],
    [['payout', 'prepare', '--minimum-payout', '0'], /payouts\.minimum: "0" .* is not above zero/],
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
  return runHere('ledger', command, words, env);
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
