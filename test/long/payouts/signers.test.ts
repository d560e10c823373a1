/** A signer that is away holds nobody; what it refuses is left out; and where nobody signs here, somebody does elsewhere. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandSigner } from '../../../src/payouts/signer/command-signer.js';
import { answerQuicksign } from '../../../src/payouts/signer/reference.js';
import { coinsIn } from '../../helpers/books/money.js';
import { accountOf, PAST_TIME_S, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, PAYER, TERMS } from '../../helpers/payouts/payer-terms.js';
import { runHere } from '../../helpers/processes/command.js';
import { until } from '../../helpers/until.js';

const REFERENCE = fileURLToPath(new URL('../../../config/signer.js', import.meta.url));

describe('PA8: a signer program that is away', () => {
  it('holds nobody and pauses nothing however long it is, and pays when it is back', async () => {
    await using story = await PayerStory.open();
    const keyFile = await story.keyFile();
    await rename(keyFile, `${keyFile}.away`);
    const limits = ['--key', keyFile, '--network', TERMS.networkId, '--line', '50', '--day', '1000'];
    story.pay({
      openSigner: async () =>
        commandSigner({
          ...{ command: [process.execPath, REFERENCE, ...limits], publicKeys: [PAYER.key] },
          ...{ account: PAYER.account, networkId: TERMS.networkId, gas: coins('0.001') },
        }),
    });
    await story.owe({ 1: '5', 2: '7' });
    const dead: string[] = [];
    for (let attempt = 1; attempt <= 6; attempt++) {
      await story.are([...dead, `${attempt} open`, `${attempt} open`]);
      dead.push(`${attempt} dead`, `${attempt} dead`);
      await story.pass(PAST_TIME_S);
      await story.bury();
    }
    await story.are([...dead, '7 open', '7 open']);
    expect(await story.shown()).toMatchObject({ held: 0, pauses: [], sent: 0 });
    expect(story.sent).toEqual([]);
    await rename(`${keyFile}.away`, keyFile);
    await story.mineUntil(...dead, '7 paid', '7 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});

describe('PA8: a signer that cannot even be told what is dead', () => {
  it('keeps nothing from being sent again', async () => {
    await using story = await PayerStory.open();
    const keyFile = await story.keyFile();
    const limits = ['--key', keyFile, '--network', TERMS.networkId, '--line', '50', '--day', '1000'];
    const openSigner = async () =>
      commandSigner({
        ...{ command: [process.execPath, REFERENCE, ...limits], publicKeys: [PAYER.key] },
        ...{ account: PAYER.account, networkId: TERMS.networkId, gas: coins('0.001') },
      });
    await story.faults({ dropTransactions: true });
    const first = story.pay({ openSigner });
    await story.owe({ 1: '5' });
    const [sent] = await story.are(['1 open sent']);
    await first[Symbol.asyncDispose]();
    await rename(keyFile, `${keyFile}.away`);
    const second = story.pay({ openSigner, terms: { ttlS: 130 } });
    await story.owe({ 2: '7' });
    await until('the signer was asked', async () => {
      const { rows } = await story.pool.query('SELECT FROM chain_transaction WHERE asked_at IS NOT NULL');
      return rows.length === 2;
    });
    await second[Symbol.asyncDispose]();
    await story.pass(200);
    await story.bury();
    await story.are(['1 open sent', '1 dead']);
    await story.faults({ dropTransactions: false });
    const before = story.sent.length;
    story.pay({ openSigner });
    await story.are(['1 open sent', '1 dead', '2 open']);
    await until('it is sent again', () => story.sent.slice(before).includes(sent?.requestKey ?? ''));
    await story.mineUntil('1 paid', '1 dead', '2 open');
    await rename(`${keyFile}.away`, keyFile);
    await story.mineUntil('1 paid', '1 dead', '2 paid');
    await story.expectPaid({ 1: '5', 2: '7' });
  });
});

describe('PA9: what a signer refuses', () => {
  it('is left out until its time is over, and due again then; all others are paid', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay({ openSigner: () => story.fileSigner({ line: coins('50') }) });
    await story.owe({ 1: '60', 2: '5', 3: '6', 4: '7' });
    await story.mineUntil('1 open', '1 paid', '1 paid', '1 paid');
    const refused = (await story.transactions()).find(({ state }) => state === 'open');
    expect(refused).toMatchObject({
      account: accountOf(1),
      sentAt: null,
      why: expect.stringContaining('refuses'),
    });
    expect(await story.pauses()).toEqual([]);
    // It stands in nobody's way later, either.
    await story.owe({ 5: '8' });
    await story.mineUntil('1 open', '1 paid', '1 paid', '1 paid', '1 paid');
    await story.pass(PAST_TIME_S);
    await story.mineUntil('1 dead', '1 paid', '1 paid', '1 paid', '1 paid');
    await payer.turn();
    expect(await coinsIn(story.pool, 'due')).toMatchObject({ [accountOf(1)]: '60' });
    expect(await story.pauses()).toEqual([]);
    await story.expectPaid({ 1: '0', 2: '5', 3: '6', 4: '7', 5: '8' });
  });
});

describe('where nobody signs here', () => {
  it('transactions are exported, signed elsewhere, imported, and paid; nothing is given away while payments are paused', async () => {
    await using story = await PayerStory.open();
    story.pay({ openSigner: async () => undefined });
    await story.owe({ 1: '5', 2: '7' });
    await story.are(['1 open', '1 open']);
    const file = (name: string): string => join(story.folder, name);
    const command = (...words: string[]) =>
      runHere('ledger', ['payout', ...words, '--ledger-database-url', story.connectionString]);
    await story.orders.pausePayments({ note: 'audit' }, 'a test');
    expect(await command('export', file('paused'))).toMatchObject({
      ...{ code: 1, stderr: expect.stringContaining('payments are paused') },
    });
    await story.orders.resumePayments({ note: 'done' }, 'a test');
    const exported = await command('export', file('unsigned'));
    expect([exported.code, JSON.parse(exported.text)], exported.stderr).toMatchObject([
      0,
      { transactions: 2 },
    ]);
    const signer = await story.fileSigner();
    await writeFile(file('signed'), await answerQuicksign(await readFile(file('unsigned'), 'utf8'), signer));
    await signer.close();
    const imported = await command('import', file('signed'));
    expect([imported.code, JSON.parse(imported.text)], imported.stderr).toMatchObject([0, { complete: 2 }]);
    await story.mineUntil('1 paid', '1 paid');
    expect((await command('import', file('signed'))).code).toBe(1);
    await story.expectPaid({ 1: '5', 2: '7' });
  });

  it('what nobody signs in its time is made anew, and no account is held', async () => {
    await using story = await PayerStory.open();
    story.pay({ openSigner: async () => undefined });
    await story.owe({ 1: '5' });
    await story.are(['1 open']);
    await story.pass(PAST_TIME_S);
    await story.bury();
    await story.are(['1 dead', '2 open']);
    expect(await story.shown()).toMatchObject({ held: 0, pauses: [] });
  });
});
