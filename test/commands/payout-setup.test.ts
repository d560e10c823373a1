/** What `serve`, `doctor` and `config check` say of payments on chain before anything is started, and what `doctor` says of them later. */
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/assembly/finding.js';
import { keyFacts, newKeyFile } from '../../src/payouts/signer/key-file.js';
import { newSignerLog, signerLogOf } from '../../src/payouts/signer/signer-log.js';
import { useBooks } from '../helpers/books/books.js';
import { temporaryFolder } from '../helpers/folder.js';
import { coins, earn, prepareAll, takeSeat } from '../helpers/payouts/chain-payments.js';
import { runHere } from '../helpers/processes/command.js';
import { runProgram } from '../helpers/processes/program.js';

const ACCOUNT = `k:${'cd'.repeat(32)}`;
const NOBODY = ['--node-urls', '127.0.0.1:1', '--miner-account', ACCOUNT];
const PORTS = ['--stratum-tcp', '0', '--stratum-ws', '0', '--web-listen', '0'];
const LIMITS = ['--payouts-limit-line', '5', '--payouts-limit-batch', '50', '--payouts-limit-day', '90'];

interface Place {
  readonly folder: string;
  readonly key: string;
}

async function place(folder: string, words?: string): Promise<Place> {
  const key = join(folder, 'payouts.key');
  const { publicKey } = await newKeyFile(key, words === undefined ? undefined : Buffer.from(words));
  await newSignerLog(signerLogOf(key), publicKey, Date.now());
  return { folder, key };
}

async function doctor(argv: readonly string[]): Promise<readonly Finding[]> {
  const { text } = await runHere('doctor', [...NOBODY, ...PORTS, ...argv]);
  return (JSON.parse(text) as { findings: Finding[] }).findings;
}

describe('a bridge that is to pay', () => {
  const none = async (): Promise<void> => {};
  const wrong: readonly (readonly [
    string,
    (at: Place) => Promise<void>,
    (at: Place) => readonly string[],
    RegExp,
  ])[] = [
    [
      'a key file that is not there',
      ({ key }) => rm(key),
      () => [],
      /^payouts\.key: ".*payouts\.key" \(flag --payouts-key\) cannot be used: .* is not there.*`ledger payout key new --file /,
    ],
    ['one that others may use', ({ key }) => chmod(key, 0o644), () => [], /payouts\.key: .*chmod 600 it/],
    [
      'no log beside it',
      ({ key }) => rm(signerLogOf(key)),
      () => [],
      /payouts\.key: .*cannot sign: the signer log .* without it the key signs nothing/,
    ],
    [
      'the key of another account',
      none,
      () => ['--payouts-account', ACCOUNT],
      /payouts\.key: the key in .* is that of k:.*, and k:cdcd.* is to pay/,
    ],
    [
      'a schedule that cannot be read',
      none,
      () => ['--payouts-schedule', 'at noon'],
      /payouts\.schedule: "at noon" \(flag --payouts-schedule\) cannot be read: a schedule is off, hourly/,
    ],
    [
      'a passphrase in place of where it is',
      none,
      () => ['--payouts-passphrase', 'correct horse'],
      /payouts\.passphrase says where the passphrase is, and not the passphrase itself: fd:3/,
    ],
    [
      'auto without limits',
      none,
      () => ['--payouts-mode', 'auto', ...LIMITS.slice(2)],
      /payouts\.mode: .*it needs limits: set payouts\.limit\.line/,
    ],
  ];

  it.each(wrong)('is refused for %s, with key and remedy', async (_, spoil, flags, says) => {
    await using folder = await temporaryFolder();
    const at = await place(folder.path);
    await spoil(at);
    const argv = ['--data-dir', join(folder.path, 'data'), '--payouts-key', at.key, ...flags(at)];
    const mode = argv.includes('--payouts-mode') ? [] : ['--payouts-mode', 'approve'];
    const all = [...argv, ...mode, '--ledger-database-url', 'postgres://127.0.0.1:1/x'];
    const { code, stderr } = await runHere('serve', [...NOBODY, ...PORTS, ...all]);
    expect([code, stderr.replace(/^stratum-bridge: /, '')]).toEqual([2, expect.stringMatching(says)]);
    expect(stderr).not.toContain('correct horse');
    expect(await doctor(all)).toContainEqual({
      state: 'fault',
      what: 'settings',
      detail: expect.stringMatching(says),
    });
    // Payouts by files need none of it.
    const manual = await runHere('config', [
      'check',
      ...NOBODY,
      ...argv.slice(0, 4),
      '--payouts-mode',
      'manual',
    ]);
    expect([manual.code, manual.stderr]).toEqual([0, '']);
  });

  it('is told that its key has a passphrase, and that nothing is wrong with one that is right', async () => {
    await using folder = await temporaryFolder();
    const { key } = await place(folder.path, 'correct horse battery');
    const argv = ['check', ...NOBODY, '--payouts-key', key, '--payouts-mode', 'auto', ...LIMITS];
    const { code, stderr } = await runHere('config', argv);
    expect([code, stderr]).toEqual([2, expect.stringContaining('payouts.key has a passphrase')]);
    const right = await runHere('config', [...argv, '--payouts-passphrase', 'credential:payouts']);
    expect([right.code, right.stderr]).toEqual([0, '']);
  });
});

describe('a start', () => {
  const books = useBooks();
  beforeEach(() => books.empty());

  it('is refused with a passphrase that does not open its key', async () => {
    await using folder = await temporaryFolder();
    const { key } = await place(folder.path, 'correct horse battery');
    await writeFile(join(folder.path, 'words'), 'another battery');
    const of = [
      '--payouts-mode',
      'approve',
      '--payouts-key',
      key,
      '--payouts-passphrase',
      'credential:words',
    ];
    const at = ['--data-dir', join(folder.path, 'data'), '--ledger-database-url', books.connectionString];
    // A process: what has begun to serve ends it, should its parts take too long to stop.
    const env = { CREDENTIALS_DIRECTORY: folder.path };
    const { code, stderr } = await runProgram(['serve', ...NOBODY, ...PORTS, ...at, ...of], env);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`the key file ${key} has another passphrase`),
    ]);
  });
});

describe('doctor', () => {
  const books = useBooks();
  beforeEach(() => books.empty());

  it('tells who is to pay and who signs, before there are books', async () => {
    await using folder = await temporaryFolder();
    const { key } = await place(folder.path);
    const at = ['--data-dir', join(folder.path, 'data'), '--payouts-mode', 'approve'];
    const told = async (argv: readonly string[]) =>
      (await doctor([...at, ...argv])).filter(({ what }) => what === 'payouts, settings');
    const { account } = await keyFacts(key);
    const finding = (detail: string) => [{ state: 'good', what: 'payouts, settings', detail }];
    expect(await told(['--payouts-key', key])).toEqual(
      finding(`payouts.mode approve, ${account} is to pay, and ${key} with its log signs`),
    );
    expect(await told([])).toEqual(
      finding(
        `payouts.mode approve, ${ACCOUNT} is to pay, and its key signs elsewhere: \`ledger payout export\` and \`import\``,
      ),
    );
  });

  it('tells who pays, a pause with what to do, and chains that have too little', async () => {
    const argv = ['--ledger-database-url', books.connectionString];
    const payouts = async (): Promise<readonly Finding[]> =>
      (await doctor(argv)).filter(({ what }) => what.startsWith('payouts'));
    expect(await payouts()).toEqual([]);
    await earn(books.pool, { [ACCOUNT]: '5' });
    const seat = await takeSeat(books.pool);
    const payer = `k:${'ff'.repeat(32)}`;
    await seat.bind(payer, 'development');
    expect(await payouts()).toEqual([
      { state: 'good', what: 'payouts', detail: `here pays from ${payer} on development` },
    ]);
    await prepareAll(seat);
    const read = {
      chainId: 0,
      read: { height: 9, hash: 'h9' },
      balance: coins('2'),
      credits: 0n,
      debits: 0n,
    };
    await seat.sawChains([{ chainId: 0, head: { height: 12, timeS: 1 }, trouble: 'its head is old', read }]);
    await seat.pause({ kind: 'foreign-debit', says: '3 left the account', evidence: {} });
    const about = 'payouts, chain 0';
    expect(await payouts()).toEqual([
      {
        ...{ state: 'warning', what: 'payouts' },
        detail: expect.stringMatching(/^paused since .* \(foreign-debit\): 3 left the account$/),
        advice: expect.stringContaining('ledger payout resume'),
      },
      { state: 'warning', what: about, detail: 'nothing new is sent there: its head is old' },
      {
        ...{ state: 'warning', what: about },
        detail: 'it has 2.000000000000, and 1 payments of 5.000000000000 wait for it',
        advice: expect.stringMatching(/^send 3\.10001/),
      },
    ]);
  });
});
