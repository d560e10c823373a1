/** A bridge that pays on chain, as an operator sets it up: node, key, `serve` and commands, each a process; and it is killed in between. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { coinsIn, expectProved, giveMoney } from '../../helpers/books/money.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { pactApi } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';

const [ANNA, BERT] = [keyPair(21).account, keyPair(22).account];
/** With real proof of work, and done at once. */
const CHAIN = ['--graph', 'triangle', '--genesis-difficulty', '100', '--mine-every', '100ms'];

let postgres: TestPostgres;
let databaseUrl: string;
let ledger: Ledger;

beforeAll(async () => {
  postgres = await startTestPostgres();
  databaseUrl = await createDatabase(postgres);
  ledger = await openLedger({ connectionString: databaseUrl, log: SILENT });
});
afterAll(async () => {
  await ledger.close();
  await postgres.close();
});

const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(text);

it('pays what is approved, through a kill, and every account has on chain what the books say', async () => {
  await using folder = await temporaryFolder();
  const key = join(folder.path, 'payouts.key');
  const made = await runProgram(['ledger', 'payout', 'key', 'new', '--file', key, '--json']);
  expect(made.code).toBe(0);
  const pool = /k:[0-9a-f]{64}/.exec(made.text)?.[0] ?? expect.fail(made.text);
  await using node = startProgram([
    'node',
    '--mining',
    '--listen',
    '0',
    '--accounts',
    `${pool}=1000`,
    ...CHAIN,
  ]);
  const url = String((await node.ready())['url']);
  const given = ['--ledger-database-url', databaseUrl, '--data-dir', join(folder.path, 'data')];
  const settings = [...given, '--payouts-mode', 'approve', '--payouts-schedule', 'off', '--payouts-key', key];
  const serve = (): Program =>
    startProgram([
      'serve',
      '--node-urls',
      url,
      '--miner-account',
      pool,
      '--cpu-mode',
      'off',
      '--stratum-tcp',
      '0',
      '--stratum-ws',
      'off',
      '--web-listen',
      'off',
      ...settings,
    ]);
  const payout = async (...words: string[]) => {
    const env = { STRATUM_BRIDGE_PAYOUTS_MODE: 'approve' };
    const { code, stderr, text } = await runProgram(['ledger', 'payout', ...words, '--json', ...given], env);
    return { code, stderr, rows: text === '' ? [] : JSON.parse(text) };
  };
  await giveMoney(ledger.pool, ANNA, coins('5'));
  await giveMoney(ledger.pool, BERT, coins('4.000000000001'));
  const bridge = serve();
  await bridge.ready();
  await until('the bridge pays', async () => (await payout('status')).rows.isPaying === true);
  const prepared = await payout('prepare', '--out', folder.path);
  expect([prepared.code, prepared.rows[0]]).toMatchObject([0, { approval: { given: 0 } }]);
  const { name, contentHash } = prepared.rows[0];
  expect((await payout('approve', name, '--hash', '00'.repeat(32))).stderr).toContain('has the content hash');
  expect((await payout('approve', name, '--hash', contentHash)).code).toBe(0);
  await until(
    'something is sent',
    async () => (await payout('status', name)).rows.payouts[0].payments.prepared < 2,
  );
  bridge.kill('SIGKILL');
  await bridge.ended;
  await using again = serve();
  await again.ready();
  const settled = await until('it is paid', async () => (await payout('status', name)).code === 0);
  expect(settled).toBe(true);
  expect(await coinsIn(ledger.pool, 'paid')).toEqual({ [ANNA]: '5', [BERT]: '4.000000000001' });
  const onChain = async (account: string): Promise<bigint> => {
    const texts = await Promise.all([0, 1, 2].map((chain) => pactApi({ url }, chain).balance(account)));
    return texts.reduce((sum, text) => sum + (text === undefined ? 0n : coins(text)), 0n);
  };
  expect([await onChain(ANNA), await onChain(BERT)]).toEqual([coins('5'), coins('4.000000000001')]);
  await expectProved(ledger.pool);
  again.kill('SIGTERM');
  expect(await again.ended).toBe(0);
});
