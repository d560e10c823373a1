/** What needs neither books nor nodes: what is read of a block, who may be paid, and how much. */
import { payableFault } from '../../../../src/core/names/payable.js';
import { payerReading } from '../../../../src/payouts/payer/facts.js';
import { exceededBy } from '../../../../src/payouts/plan/limits.js';
import { coins } from '../payer-terms.js';
import { FROM, LEDGER, payloadOf, TO } from '../payload.js';
import type { Stories, Story } from './story.js';

/** What a block holds of the payer, where a node has changed its output. */
const block = (well: string, change: (output: string) => string, ledgerId = LEDGER): Story => ({
  well,
  tell: async () => {
    const { commands, debits, contracts } = await payerReading.read(
      { account: FROM, ledgerId: LEDGER },
      payloadOf(ledgerId, change),
    );
    const said = [
      ...commands.map(({ outcome }) => outcome),
      ...debits.map(() => 'debit'),
      ...contracts.map(() => 'contract'),
    ];
    return said.join(', ') || 'nothing';
  },
});

export const BY_ITSELF: Stories = {
  'of another ledger': block('debit, debit', (output) => output, 'another'),
  'that moved more': block('differs', (output) => output.replace(`"${TO}",1.0`, `"${TO}",2.0`)),
  'of another command': block('differs', (output) => output.replace(/"reqKey":"./, '"reqKey":"_')),
  'that failed, and moved coins': block('differs', (output) => output.replace('success', 'failure')),
  'by another contract': block('paid, contract', (output) => output.replaceAll('klFk', 'aaaa')),
  'an account of any name': {
    well: 'not paid',
    tell: async () => (payableFault('miner') === undefined ? 'paid' : 'not paid'),
  },
  'more than the limits of a day': {
    well: 'by people',
    tell: async () => {
      const limits = {
        lineLimit: 'none',
        batchLimit: 'none',
        dayLimit: coins('10'),
        usualFactor: 0,
      } as const;
      const lines = [{ account: TO, amount: coins('6') }];
      return exceededBy(limits, { lines, lastDay: coins('6'), formerBatches: [] }).length > 0
        ? 'by people'
        : 'by itself';
    },
  },
};
