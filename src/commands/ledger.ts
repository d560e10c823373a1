/** `stratum-bridge ledger`: the books for the operator. Works beside a running bridge. */
import { loadConfig } from '../config/load.js';
import { type Command, helpText, warnOf } from './command.js';
import { withLedger } from './ledger-access.js';
import { readQuestion } from './ledger-actions.js';
import { LEDGER_SETTINGS, SHOWN_SETTINGS } from './ledger-settings.js';

export const command: Command = {
  summary: 'show accounts, blocks and payouts, prepare payouts, prove the books',
  help: () =>
    helpText({
      usage:
        'ledger accounts|blocks|operator|batches|verify [options]\n       stratum-bridge ledger payout prepare|show ID|mark ID sent|failed|unknown [options]\n       stratum-bridge ledger queue list|retry [ID]|drop ID [options]\n       stratum-bridge ledger dump|restore FILE [options]',
      about:
        'accounts  shares, work and money of each account     blocks   what became of each solution\n' +
        'operator  fees and rests                             batches  payouts\n' +
        'verify    proves that the books balance; exit code 1 if they do not\n' +
        'payout prepare  makes a batch of all balances from the minimum up, and writes it as CSV and JSON; the same\n' +
        '                batch again until it is marked. It asks the nodes for confirmed blocks first\n' +
        'payout mark     sent or failed is final; unknown keeps the amounts on hold\n' +
        'queue           shares that were set aside because they could not be booked: retry books them, drop forgets them\n' +
        'dump            writes the books as one file, while the bridge runs or not; restore reads it into empty books\n' +
        'It finds the books by the settings of the bridge: the same file, variables and flags as `serve`. Only restore\n' +
        'makes books where there are none.',
      settings: SHOWN_SETTINGS,
      takesFile: true,
      examples: [
        'ledger accounts --config bridge.yaml',
        'ledger payout prepare --out ./payouts',
        'ledger payout mark 7 sent --note TX-ID',
        'ledger verify --json',
        'ledger blocks --look-again --node http://127.0.0.1:1848',
      ],
    }),
  async run(argv, io) {
    const words = argv.slice(0, firstFlag(argv));
    const loaded = loadConfig(LEDGER_SETTINGS, { argv: argv.slice(words.length), env: io.env });
    warnOf(loaded, io);
    const { action, makesBooks } = readQuestion(words);
    const { config } = loaded;
    return withLedger(loaded, { makesBooks }, (ledger) => action({ ledger, config, io }));
  },
};

function firstFlag(argv: readonly string[]): number {
  const index = argv.findIndex((word) => word.startsWith('-'));
  return index === -1 ? argv.length : index;
}
