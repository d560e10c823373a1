/** 27: what the payer writes to is away, or takes nothing: its database, and the disk of the signer's log. */
import { describe, expect, it } from 'vitest';
import { order } from '../../helpers/books/postgres.js';
import { PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, DEPTH } from '../../helpers/payouts/payer-terms.js';
import { fillDisk, withSmallDisk } from '../../helpers/processes/small-disk.js';
import { until } from '../../helpers/until.js';
import { keyIn, openSigner } from '../signer/requests.js';

/** Of the database of a ledger, for all connections, those that exist end. */
async function alter({ connectionString }: PayerStory, change: string): Promise<void> {
  const url = new URL(connectionString);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  await order(url.toString(), `ALTER DATABASE ${name} ${change}`);
  await order(
    url.toString(),
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  );
}

/** Each of its connections: one that has just ended may be asked before that is heard. */
async function answers({ pool }: PayerStory): Promise<void> {
  const asked = () => Promise.all(Array.from({ length: 10 }, () => pool.query('SELECT')));
  await until('the database answers again', () => asked().catch(() => undefined));
}

const FAULTS = [
  ['gone', 'ALLOW_CONNECTIONS false', 'ALLOW_CONNECTIONS true'],
  ['read-only', 'SET default_transaction_read_only = on', 'RESET default_transaction_read_only'],
] as const;

describe('27: a database that is', () => {
  it.each(FAULTS)(
    '%s from the moment on at which a payment is sent: it is found when it is back, and paid once',
    async (_, fault, mend) => {
      await using story = await PayerStory.open();
      let gone: Promise<void> | undefined;
      const sent: string[] = [];
      story.first.tap.set({
        onRequest: (text) => {
          const [, key] = /"cmds":\[.*"hash":"([\w-]{43})"/.exec(text) ?? [];
          if (key !== undefined) {
            sent.push(key);
            gone ??= alter(story, fault);
          }
          return text;
        },
      });
      const payer = story.pay();
      await story.owe({ 1: '5' });
      await until('it was sent', () => gone !== undefined);
      await gone;
      await payer.turn();
      await story.mine(DEPTH + 1);
      await payer.turn();
      await alter(story, mend);
      await answers(story);
      await story.mineUntil('1 paid');
      await story.owe({ 2: '7' });
      await story.mineUntil('1 paid', '1 paid');
      expect(new Set(sent).size).toBe(2);
      expect(await story.pauses()).toEqual([]);
      await story.expectPaid({ 1: '5', 2: '7' });
    },
  );

  it('read-only before: nothing is built, signed or sent, and all is paid when it can be written to', async () => {
    await using story = await PayerStory.open();
    const payer = story.pay();
    await until('the role is taken', async () => (await story.shown()).isPaying);
    await story.owe({ 1: '5' });
    const [, fault, mend] = FAULTS[1];
    await alter(story, fault);
    // Its connections have just ended, and one may be asked before that is heard.
    const before = await until('the database answers again', () => story.states().catch(() => undefined));
    await payer.turn();
    await payer.turn();
    expect(await story.states()).toHaveLength(before.length);
    await alter(story, mend);
    await answers(story);
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' });
  });
});

describe('27: a full disk of the signer log', () => {
  it('keeps payments from being signed, pauses nothing and holds nobody; with room again all are paid', async () => {
    const reason = await withSmallDisk(async (disk) => {
      await using story = await PayerStory.open();
      const keyFile = await keyIn(disk);
      const payer = story.pay({
        openSigner: () => openSigner(keyFile, { gas: coins('0.001'), nowMs: () => story.nowMs }),
      });
      await until('the role is taken', async () => (await story.shown()).isPaying);
      const makeRoom = await fillDisk(disk);
      // What is left of the last page takes a few lines.
      const numbers = Array.from({ length: 40 }, (_, i) => i);
      const owed = Object.fromEntries(numbers.map((number) => [number, '5']));
      await story.owe(owed);
      await story.are(numbers.map(() => '1 open'));
      await payer.turn();
      await payer.turn();
      expect(story.sent).toEqual([]);
      expect(await story.shown()).toMatchObject({ pauses: [], held: 0, sent: 0 });
      await makeRoom();
      await story.mineUntil(...numbers.map(() => '1 paid'));
      await story.expectPaid(owed);
    });
    if (reason !== undefined)
      process.stderr.write(`LEFT OUT: a payer whose signer log is on a full disk, because ${reason}\n`);
  });
});
