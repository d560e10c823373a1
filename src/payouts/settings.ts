/** Who signs here, and what for: nobody changes it over HTTP. Everything else of payouts is a rule of the ledger. */
import { amountOrNone, payable } from '../values/amounts.js';
import { commandLine } from '../values/lists-and-maps.js';
import { quantity, setting } from '../values/setting.js';
import { text } from '../values/words.js';

export const PAYOUT_SETTINGS = {
  'payouts.key': setting(text, {
    default: '',
    shape: 'FILE',
    help: 'File with the key that signs (`ledger payout key new` makes one): readable by its owner alone. A bridge that has it pays on chain as the rules of the ledger say (payouts.mode).',
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
  'payouts.signer.day': setting(amountOrNone, {
    default: 'none',
    shape: 'AMOUNT',
    help: 'The most that is signed with payouts.key in any 24 hours, whatever was approved; what came to nothing counts. none: no such limit.',
  }),
  'payouts.account': setting(text, {
    default: '',
    shape: 'NAME',
    help: 'The account that pays. Empty: that of payouts.key, or with payouts.signer.command miner.account. Without either of them what it pays is signed elsewhere (`ledger payout export` and `import`).',
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
};
