/** LQ6: a bridge whose blocks pay somebody else, as where an account has a typing error, seen through `serve` and `ledger`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SCHEMA } from '../../../src/ledger/database/make-books.js';
import { ask } from '../../helpers/books/ask-postgres.js';
import { createDatabase, startTestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { keyPair } from '../../helpers/processes/key-pair.js';
import { runProgram, startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';

const [OURS, OTHER] = [keyPair(31).account, keyPair(32).account];

it('LQ6: credits nobody for blocks that pay another account, says so, and credits them once that is named', async () => {
  const postgres = await startTestPostgres();
  try {
    await using folder = await temporaryFolder();
    // Blocks are confirmed after six of their chain, so the node makes some beside those that are mined.
    const easy = ['--genesis-difficulty', '100', '--mine-every', '100ms'];
    await using node = startProgram(['node', '--mining', '--listen', '0', ...easy]);
    const url = String((await node.ready())['url']);
    const connectionString = await createDatabase(postgres);
    const given = ['--ledger-database-url', connectionString, '--data-dir', join(folder.path, 'data')];
    const ledger = async (...words: string[]): Promise<Record<string, unknown>[]> => {
      const { code, stderr, text } = await runProgram(['ledger', ...words, '--json', ...given]);
      expect(code, stderr).toBe(0);
      return JSON.parse(text);
    };
    const accounts = async () =>
      (await ledger('accounts')).filter(({ account }) => account === OTHER).map((row) => row['due']);
    await using bridge = startProgram([
      ...['serve', '--node-urls', url, '--miner-account', OTHER, '--rewards-pool-accounts', OURS, ...given],
      ...[
        '--cpu-mode',
        'always',
        '--cpu-threads',
        '1',
        '--stratum-tcp',
        'off',
        '--stratum-ws',
        'off',
        '--web-listen',
        'off',
      ],
    ]);
    await bridge.ready();
    await until('a block is confirmed', async () =>
      (await ledger('blocks')).some(({ state }) => state === 'confirmed'),
    );
    const rows = await ledger('blocks');
    const confirmed = rows.filter(({ state }) => state === 'confirmed');
    for (const row of confirmed)
      expect(row).toMatchObject({ detail: expect.stringContaining('an account that is none of the pool') });
    expect(await accounts()).toEqual(['0.000000000000']);

    const told = `SELECT facts->>'receiver' FROM ${SCHEMA}.event WHERE kind = 'blockPaysAnother'`;
    expect(await ask({ connectionString }, told)).toBe(OTHER);

    await ledger('rules', 'set', '--rewards-pool-accounts', OURS, '--rewards-pool-accounts', OTHER);
    await until('its miner has what they pay', async () => Number((await accounts())[0]) > 0);
    expect(await ledger('verify')).not.toContainEqual(expect.objectContaining({ passes: false }));
  } finally {
    await postgres.close();
  }
});
