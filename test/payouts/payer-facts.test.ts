/** Which commands in a block are of this ledger, whatever the ledger knows of who pays. */
import { expect, it } from 'vitest';
import { payerReading } from '../../src/payouts/payer/facts.js';
import { FROM, LEDGER, payloadOf, TO } from '../helpers/payouts/payload.js';

it.each([FROM, undefined])('reads a command of this ledger where %s pays', async (account) => {
  const facts = await payerReading.read({ account, ledgerId: LEDGER }, payloadOf(LEDGER));
  expect(facts).toMatchObject({
    commands: [{ lineId: '31', attempt: 1, account: TO, amount: 10n ** 12n, outcome: 'paid' }],
    ...{ debits: [], contracts: [] },
  });
});

it('reads none of another ledger, and says whose coins a command moves', async () => {
  const other = payloadOf('another');
  expect(payerReading.concerns({ account: undefined, ledgerId: LEDGER }, other)).toBe(false);
  expect(await payerReading.read({ account: FROM, ledgerId: LEDGER }, other)).toMatchObject({ commands: [] });
  const known = { account: TO, ledgerId: LEDGER };
  expect((await payerReading.read(known, payloadOf(LEDGER))).commands).toMatchObject([{ from: FROM }]);
});
