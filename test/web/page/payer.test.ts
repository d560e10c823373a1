/** Payouts on chain, in a real browser, of a real bridge and its books: approved, followed to the block, paused and resumed. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PayerSeat } from '../../../src/bridge/payouts/payer-books.js';
import { SILENT } from '../../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { holdByOrder, listHolds } from '../../../src/ledger/transactions/orders.js';
import { payerBooks } from '../../../src/ledger/transactions/payer-books.js';
import { contentHash } from '../../../src/payouts/plan/content-hash.js';
import { coins, earn, paid, sendAll } from '../../helpers/payouts/chain-payments.js';
import { axeFaults, findChromium, type TestBrowser, useChromium } from '../../helpers/web/chromium.js';
import { type PageStory, startPageStory } from '../../helpers/web/page-story.js';
import { signIn } from '../../helpers/web/sign-in.js';

const missing = await findChromium();
const MINER = `k:${'12'.repeat(32)}`;
const HASH = contentHash([{ account: MINER, chainId: 3, amount: coins('5') }]);

describe.skipIf(missing !== undefined)('payouts on chain', () => {
  let browser: TestBrowser;
  let story: PageStory;
  let ledger: Ledger;
  let seat: PayerSeat;
  let name: string;
  beforeAll(async () => {
    browser = await useChromium();
    story = await startPageStory();
    await Promise.all([story.startNode(), story.startBridge()]);
    ledger = await openLedger({ connectionString: story.database, log: SILENT });
    const books = payerBooks({ pool: ledger.pool, gasPaidBy: 'operator' });
    seat = (await books.takeSeat('the payer of this test')) ?? expect.fail('the bridge pays by hand');
    await seat.bind(`k:${'ff'.repeat(32)}`, 'development');
    const read = {
      chainId: 3,
      read: { height: 9, hash: 'h9' },
      balance: coins('7'),
      credits: 0n,
      debits: 0n,
    };
    await seat.sawChains([
      { chainId: 3, head: { height: 12, timeS: 1 }, trouble: 'too few nodes agree', read },
    ]);
    await earn(ledger.pool, { [MINER]: '5' });
    name =
      (await seat.prepare({
        lines: [{ account: MINER, part: 0, chainId: 3, amount: coins('5') }],
        ...{ minimum: coins('1'), contentHash: HASH, by: 'test' },
        ...{ approvalFor: 'the first three batches do', approvalsNeeded: 1 },
      })) ?? expect.fail('the batch could not be made');
  });
  afterAll(async () => {
    await seat?.close();
    await ledger?.close();
    await story?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
  });

  const open = async (view: string) => {
    const opened = await browser.open(`${story.url}/#/${view}`);
    await opened.page.getByText('Live', { exact: true }).waitFor();
    return opened;
  };

  it('wait where a chain stands still, which is told with why, and with what is still to be read', async () => {
    await using opened = await open('');
    const { page, faults } = opened;
    await signIn(page, await story.adminToken());
    await page.getByRole('heading', { name: 'Last blocks' }).waitFor();
    expect(await page.getByText(/Still to be read|stands still/).count()).toBe(0);
    await ledger.pool.query(
      "INSERT INTO chain (id, network, head_height, behind, trouble) VALUES (999, 'development', 9, 412, 'no node has it')",
    );
    await page.getByText('Still to be read: 412 blocks.').waitFor();
    await page.getByRole('heading', { name: '1 chain stands still' }).waitFor();
    await page.getByText(/^Chain 999: no node has /).waitFor();
    await ledger.pool.query('DELETE FROM chain WHERE id = 999');
    await page.getByText('Still to be read').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('are paused with a reason and resumed, by whoever has the token', async () => {
    await using opened = await open('money');
    const { page, faults } = opened;
    await signIn(page, await story.adminToken());
    await page.getByRole('button', { name: 'Pause payouts' }).click();
    const form = page.getByRole('form', { name: 'Pause payouts' });
    await form.getByLabel('Why').fill('I look first');
    await form.getByRole('button', { name: 'Pause payouts' }).click();
    await page
      .getByText(/^Paused since .* by admin token: I look first\. What to do: somebody ordered it/)
      .waitFor();
    expect((await seat.state()).pause).toMatchObject({ says: 'I look first' });
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume payouts' }).click();
    const again = page.getByRole('form', { name: 'Resume payouts' });
    await again.getByLabel('Why').fill('looked');
    await again.getByRole('button', { name: 'Resume payouts' }).click();
    await page.getByText(/^Paused since/).waitFor({ state: 'detached' });
    expect((await seat.state()).pause).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it('are approved, and followed to the block that proves them', async () => {
    await using opened = await open('money');
    const { page, faults } = opened;
    await page.getByText(/^Paid from k:ff/).waitFor();
    await page.getByRole('row', { name: /3 7 5 too few nodes agree/ }).waitFor();
    await page.getByText(`ledger payout approve ${name} --hash ${HASH}`).waitFor();
    await page.getByText('waits for approval', { exact: true }).waitFor();
    const whom = page.getByRole('button', { name: /^Payout .*: whom it pays$/ });
    await whom.click();
    await page.getByText(HASH, { exact: true }).waitFor();
    // Who only looks gives no orders.
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await signIn(page, await story.adminToken());
    await whom.click();
    await page.getByRole('button', { name: /^Approve payout/ }).click();
    await page.getByRole('button', { name: 'Approve it' }).click();
    await page.getByText('under way', { exact: true }).waitFor();
    const [sent = expect.fail('nothing may be paid')] = await sendAll(seat);
    await seat.found([paid(sent.id)]);
    await page.getByRole('button', { name: `evidence of payment ${sent.paymentId}` }).click();
    const proof = { requestKey: sent.requestKey, chainId: 3, blockHeight: 7, blockHash: 'h7' };
    await page.getByText(JSON.stringify(proof)).waitFor();
    await page.getByText(/sent → confirmed, by the payer \{"node":"n"\}/).waitFor();
    await page.getByRole('button', { name: 'Copy the proof' }).click();
    await page
      .getByText(/^(Copied|Selected)/)
      .first()
      .waitFor();
    await page.locator('.state').getByText('paid', { exact: true }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('are made again to an account that was held, once it is allowed', async () => {
    const order = { account: MINER, chainId: 3, note: 'its guard is another', by: 'test' };
    await holdByOrder(ledger.pool, order, undefined);
    await using opened = await open('money');
    const { page, faults } = opened;
    await page.getByText(`${MINER} is held on chain 3: its guard is another`).waitFor();
    // Who only looks gives no orders.
    expect(await page.getByRole('button', { name: /^Allow/ }).count()).toBe(0);
    await signIn(page, await story.adminToken());
    await page.getByRole('button', { name: `Allow ${MINER}` }).click();
    const form = page.getByRole('form', { name: `Allow ${MINER}` });
    await form.getByLabel('Why').fill('it has mended it');
    await form.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('is held on chain 3').waitFor({ state: 'detached' });
    expect(await listHolds(ledger.pool, 9)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('stand on the page of the account, with block and request key, and as CSV', async () => {
    await using opened = await open(`account/${encodeURIComponent(MINER)}`);
    const { page, faults } = opened;
    const row = page.getByRole('region', { name: 'Table of payments' }).getByRole('row').nth(1);
    await row.getByText(/^3\/7/).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('payments.csv');
    expect(faults).toEqual([]);
  });
});
