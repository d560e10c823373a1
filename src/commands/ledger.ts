/** `stratum-bridge ledger`: the books for the operator. Works beside a running bridge. */
import { loadConfig } from '../config/load.js';
import { REWARD_SETTINGS } from '../config/reward-settings.js';
import { setting } from '../config/setting.js';
import { BRIDGE_SETTINGS, type ConfigOf, environmentName } from '../config/settings.js';
import * as value from '../config/values.js';
import { SILENT } from '../core/log.js';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../ledger/embedded.js';
import { openLedger } from '../ledger/ledger.js';
import { type Batch, type BatchOutcome, listBatches, markBatch, readBatch } from '../ledger/payouts.js';
import { listAccounts, listBlocks, operatorReport } from '../ledger/reports.js';
import { verifyBooks } from '../ledger/verify.js';
import { type Command, CommandError, type CommandIo, FAILED, helpText, OK, USAGE } from './command.js';
import { explained } from './failures.js';
import { dumpTo, restoreFrom } from './ledger-copies.js';
import { lookAtEvery, prepareFresh } from './ledger-look.js';
import { writeBatchFiles } from './payout-files.js';
import { table } from './table.js';

export const LEDGER_SETTINGS = {
  dataDir: BRIDGE_SETTINGS.dataDir,
  'ledger.databaseUrl': BRIDGE_SETTINGS['ledger.databaseUrl'],
  'node.urls': BRIDGE_SETTINGS['node.urls'],
  'node.ca': BRIDGE_SETTINGS['node.ca'],
  'node.insecure': BRIDGE_SETTINGS['node.insecure'],
  ...REWARD_SETTINGS,
  limit: setting('limit', value.integer(1, 1_000_000), {
    default: 100,
    shape: 'N',
    help: 'Most rows that are shown.',
  }),
  out: setting('out', value.text, {
    default: '.',
    shape: 'FOLDER',
    help: 'Where `payout prepare` writes its files.',
  }),
  note: setting('note', value.text, {
    default: '',
    shape: 'TEXT',
    help: 'Kept with a marked batch, such as a transaction id.',
  }),
  lookAgain: {
    ...setting('look-again', value.switchedOn, {
      default: false,
      shape: '',
      help: 'For `blocks`: ask the nodes for every block first, also for those too deep to be followed.',
    }),
    isSwitch: true,
  },
  json: {
    ...setting('json', value.switchedOn, { default: false, shape: '', help: 'JSON also on a terminal.' }),
    isSwitch: true,
  },
};

type LedgerConfig = ConfigOf<typeof LEDGER_SETTINGS>;
type Ledger = Awaited<ReturnType<typeof openLedger>>;

const OUTCOMES: readonly BatchOutcome[] = ['sent', 'failed', 'unknown'];

export const command: Command = {
  summary: 'show accounts, blocks and payouts, prepare payouts, prove the books',
  help: () =>
    helpText({
      usage:
        'ledger accounts|blocks|operator|batches|verify [options]\n       stratum-bridge ledger payout prepare|show ID|mark ID sent|failed|unknown [options]\n       stratum-bridge ledger dump|restore FILE [options]',
      about:
        'accounts  shares, work and money of each account     blocks   what became of each solution\n' +
        'operator  fees and rests                             batches  payouts\n' +
        'verify    proves that the books balance; exit code 1 if they do not\n' +
        'payout prepare  makes a batch of all balances from the minimum up, and writes it as CSV and JSON; the same\n' +
        '                batch again until it is marked. It asks the nodes for confirmed blocks first\n' +
        'payout mark     sent or failed is final; unknown keeps the amounts on hold\n' +
        'dump            writes the books as one file, while the bridge runs or not; restore reads it into empty books',
      settings: LEDGER_SETTINGS,
      examples: [
        'ledger accounts',
        'ledger payout prepare --out ./payouts',
        'ledger payout mark 7 sent --note TX-ID',
        'ledger verify --json',
        'ledger blocks --look-again --node http://127.0.0.1:1848',
      ],
    }),
  async run(argv, io) {
    const words = argv.slice(0, firstFlag(argv));
    const { config } = loadConfig(LEDGER_SETTINGS, {
      argv: argv.slice(words.length),
      env: ledgerVariables(io),
    });
    return withLedger(config, (ledger) => answer(words, config, ledger, io));
  },
};

function firstFlag(argv: readonly string[]): number {
  const index = argv.findIndex((word) => word.startsWith('-'));
  return index === -1 ? argv.length : index;
}

/** Of the bridge's variables only those that matter here; the others are no mistake. */
function ledgerVariables({ env }: CommandIo): Record<string, string | undefined> {
  const names = Object.keys(LEDGER_SETTINGS)
    .filter((key) => key in BRIDGE_SETTINGS)
    .map(environmentName);
  return Object.fromEntries(names.filter((name) => name in env).map((name) => [name, env[name]]));
}

/** The given database, the embedded one of a running bridge, or the embedded one started for this command. */
async function withLedger(config: LedgerConfig, use: (ledger: Ledger) => Promise<number>): Promise<number> {
  return explained(async () => {
    const running = config['ledger.databaseUrl'] || (await findEmbeddedPostgres(config.dataDir));
    const embedded = running
      ? undefined
      : await startEmbeddedPostgres({ dataDir: config.dataDir, log: SILENT });
    try {
      const ledger = await openLedger({
        connectionString: running || embedded?.connectionString || '',
        log: SILENT,
      });
      return await use(ledger).finally(() => ledger.close());
    } finally {
      await embedded?.close();
    }
  });
}

async function answer(
  words: readonly string[],
  config: LedgerConfig,
  ledger: Ledger,
  io: CommandIo,
): Promise<number> {
  const show = (rows: readonly object[]): number => print(rows, config, io);
  switch (words[0]) {
    case 'accounts':
      return show(await listAccounts(ledger.pool, config.limit));
    case 'blocks':
      if (config.lookAgain) await lookAtEvery(config, ledger.pool, io);
      return show(
        (await listBlocks(ledger.pool, config.limit)).map(({ block, ...rest }) => ({ ...rest, ...block })),
      );
    case 'operator':
      return show([await operatorReport(ledger.pool)]);
    case 'batches':
      return show(
        (await listBatches(ledger.pool, config.limit)).map(({ lines, ...batch }) => ({
          ...batch,
          accounts: lines.length,
        })),
      );
    case 'verify': {
      const proofs = await verifyBooks(ledger.pool);
      show(
        proofs.map(({ name, says, broken }) => ({
          name,
          holds: broken.length === 0,
          says,
          broken: broken.join('; '),
        })),
      );
      return proofs.every(({ broken }) => broken.length === 0) ? OK : FAILED;
    }
    case 'dump':
      return show([await dumpTo(words[1], ledger)]);
    case 'restore':
      return show([await restoreFrom(words[1], ledger)]);
    case 'payout':
      return payout(words.slice(1), config, ledger, io);
    default:
      io.stderr.write(
        `stratum-bridge: ledger ${words.join(' ') || '(nothing)'}: \`stratum-bridge ledger --help\` tells what it takes\n`,
      );
      return USAGE;
  }
}

async function payout(
  words: readonly string[],
  config: LedgerConfig,
  ledger: Ledger,
  io: CommandIo,
): Promise<number> {
  const [verb, id = '', outcome = ''] = words;
  if (verb === 'prepare') return prepare(config, ledger, io);
  if (verb === 'show') return print((await readBatch(ledger.pool, id)).lines, config, io);
  if (verb === 'mark') {
    const known = OUTCOMES.find((name) => name === outcome);
    if (!known)
      throw new CommandError(`a batch is marked ${OUTCOMES.join(', ')}, not ${JSON.stringify(outcome)}`);
    return printBatch(await markBatch(ledger.pool, id, known, config.note), config, io);
  }
  throw new CommandError('ledger payout: prepare, show ID, or mark ID sent|failed|unknown');
}

async function prepare(config: LedgerConfig, ledger: Ledger, io: CommandIo): Promise<number> {
  const batch = await prepareFresh(config, ledger.pool);
  if (!batch) {
    io.stdout.write(io.stdout.isTTY ? 'Nothing is due.\n' : '[]\n');
    return OK;
  }
  return printBatch({ ...batch, files: await writeBatchFiles(config.out, batch) }, config, io);
}

function printBatch(
  { lines, ...batch }: Batch & { files?: readonly string[] },
  config: LedgerConfig,
  io: CommandIo,
): number {
  return print([{ ...batch, accounts: lines.length }], config, io);
}

function print(rows: readonly object[], { json }: LedgerConfig, { stdout }: CommandIo): number {
  stdout.write(json || !stdout.isTTY ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
  return OK;
}
