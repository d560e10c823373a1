/** Settings of paying on chain. Limits and keys stand here alone: nobody changes them over HTTP. */
import { amount, payable } from '../values/amounts.js';
import { commandLine } from '../values/lists-and-maps.js';
import { choice, onOff, quantity, setting } from '../values/setting.js';
import { text, wordOr } from '../values/words.js';

const NONE = 'none: no limit, which payouts.mode auto does not take.';

/** An amount of coins that may be left out. */
const limit = (help: string, none = NONE) =>
  setting(wordOr('none', payable, 'is neither none nor an amount above zero with up to 12 decimals'), {
    default: 'none',
    shape: 'AMOUNT',
    help: `${help} ${none}`,
  });

export const PAYOUT_SETTINGS = {
  'payouts.mode': choice(['manual', 'approve', 'auto'], {
    default: 'manual',
    basic: true,
    shape: 'MODE',
    help: 'manual: payouts are files, and somebody pays them. approve: the bridge pays on chain what somebody approves. auto: it pays by itself up to the limits; what is above, and the first payouts, wait for approval.',
  }),
  'payouts.schedule': setting(text, {
    default: 'daily 06:00 UTC',
    shape: 'WHEN',
    help: 'When a payout is prepared: daily 06:00 UTC, weekly Mon 06:00 UTC, hourly, every 30m; off: only by `ledger payout send`.',
  }),
  'payouts.key': setting(text, {
    default: '',
    shape: 'FILE',
    help: 'File with the key that signs (`ledger payout key new` makes one): readable by its owner alone. Empty, and no payouts.signer.command: others sign, by `ledger payout export` and `import`.',
  }),
  'payouts.passphrase': setting(text, {
    default: '',
    shape: 'WHERE',
    help: 'Where the passphrase of payouts.key comes from: fd:3 (a file descriptor), credential:NAME (of systemd) or prompt. Never the passphrase itself. Empty: it has none.',
  }),
  'payouts.signer.command': setting(commandLine, {
    default: [],
    shape: 'COMMAND',
    secret: 'arguments',
    help: 'A program that signs instead: it gets commands as JSON on standard input and answers them with signatures (config/signer.js is one).',
  }),
  'payouts.signer.day': limit(
    'The most that is signed with payouts.key in any 24 hours, whatever was approved; what came to nothing counts.',
    'none: no such limit.',
  ),
  'payouts.account': setting(text, {
    default: '',
    shape: 'NAME',
    help: 'The account that pays. Empty: that of payouts.key, else miner.account.',
  }),
  'payouts.limit.line': limit('The most that one account is paid by one payout.'),
  'payouts.limit.batch': limit('The most that one payout pays.'),
  'payouts.limit.day': limit('The most that is sent in any 24 hours; what is unknown counts.'),
  'payouts.limit.factor': quantity('count', [0, 1_000], {
    default: 0,
    help: 'A payout of more than so many times the usual one waits for approval. 0: it does not.',
  }),
  'payouts.approvals': quantity('count', [1, 10], {
    default: 1,
    help: 'How many people approve a payout that waits for it.',
  }),
  'payouts.firstApprovals': quantity('count', [0, 1_000], {
    default: 3,
    help: 'So many payouts wait for approval before payouts.mode auto pays by itself.',
  }),
  'payouts.ttl': quantity('time', ['2m', '2d'], {
    default: '15m',
    shape: 'TIME',
    help: 'How long a transaction may be included after it was made, by the time of its chain. Who signs elsewhere needs more.',
  }),
  'payouts.maxGasPrice': setting(payable, {
    default: '0.000001',
    shape: 'AMOUNT',
    help: 'The most that is offered. Nodes that ask for more pause payouts.',
  }),
  'payouts.reserve': setting(amount, {
    default: '0.1',
    shape: 'AMOUNT',
    help: 'Coins that stay on each chain.',
  }),
  'payouts.split': onOff({
    default: true,
    help: 'Pay what no single chain has coins for in parts on several. Otherwise it waits.',
  }),
};
