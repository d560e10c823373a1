/** 28: signers that do it wrong, in every way, and accounts of several keys: nothing is sent before it is signed by all of them, rightly. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commandSigner } from '../../../src/payouts/signer/command-signer.js';
import { answerQuicksign } from '../../../src/payouts/signer/reference.js';
import type { Signer } from '../../../src/payouts/signer/signer.js';
import { OTHER_PAYER, PayerStory } from '../../helpers/payouts/payer-story.js';
import { coins, PAYER, TERMS } from '../../helpers/payouts/payer-terms.js';
import { runHere } from '../../helpers/processes/command.js';
import { transfer } from '../../helpers/processes/commands.js';
import { until } from '../../helpers/until.js';

const ODD = fileURLToPath(new URL('../../../dist/test/payouts/signer/odd-signer.js', import.meta.url));

/** Does it wrong in that way until it is told otherwise. */
function oddSigner(story: PayerStory, how: string, key = 1) {
  const now = { how, key, asked: 0 };
  const rules = { account: PAYER.account, networkId: TERMS.networkId, gas: coins('0.001') };
  const signer: Signer = {
    publicKeys: [PAYER.key],
    sign: async (requests, signal) => {
      const command = [process.execPath, ODD, now.how, String(now.key), join(story.folder, 'starts')];
      const timeoutMs = now.how === 'good' || now.how === 'some' ? 60_000 : 1_000;
      const limits = { timeoutMs, mostBytes: 2 ** 20 };
      const one = commandSigner({ ...rules, command, publicKeys: [PAYER.key], limits });
      const outcomes = await one.sign(requests, signal);
      now.asked++;
      return outcomes;
    },
    markDead: async () => {},
    close: async () => {},
  };
  return { now, signer };
}

describe('28: a signer', () => {
  it.each([
    ['hangs', 'hangs', 1],
    ['is late', 'late', 1],
    ['dies after it has signed', 'dies', 1],
    ['has the wrong key', 'good', 2],
    ['signs other bytes', 'other-bytes', 1],
    ['answers for another command', 'other-command', 1],
    ['answers twice', 'twice', 1],
  ])(
    'that %s has nothing sent, nothing paused and nobody held; when it does it right, it is paid once',
    async (_, how, key) => {
      await using story = await PayerStory.open();
      const { now, signer } = oddSigner(story, how, key);
      story.pay({ openSigner: async () => signer });
      await story.owe({ 1: '1.5' });
      await until('it was asked twice', () => now.asked >= 2);
      expect(await story.states()).toEqual(['1 open']);
      expect(story.sent).toEqual([]);
      expect(await story.shown()).toMatchObject({ pauses: [], held: 0 });
      Object.assign(now, { how: 'good', key: 1 });
      await story.mineUntil('1 paid');
      await story.expectPaid({ 1: '1.5' });
    },
  );

  it('that leaves one out has the others paid, and that one when it signs it', async () => {
    await using story = await PayerStory.open();
    const { now, signer } = oddSigner(story, 'some');
    story.pay({ openSigner: async () => signer });
    await story.owe({ 1: '1.5', 2: '2' });
    await story.mineUntil('1 open', '1 paid');
    expect(await story.shown()).toMatchObject({ pauses: [], held: 0 });
    now.how = 'good';
    await story.mineUntil('1 paid', '1 paid');
    await story.expectPaid({ 1: '1.5', 2: '2' });
  });
});

describe('an account of two keys', () => {
  const joint = 'joint';
  const from = { account: joint, publicKeys: [PAYER.key, OTHER_PAYER.key], predicate: 'keys-all' };
  const signerOf = (story: PayerStory, pair = PAYER) =>
    story.fileSigner({ key: { ...pair, account: joint } });

  async function funded(): Promise<PayerStory> {
    const story = await PayerStory.open();
    const keyset = { pred: 'keys-all', keys: from.publicKeys };
    await story.send(transfer(OTHER_PAYER, { ...PAYER, account: joint, keyset }, '20.0'));
    await story.bury();
    return story;
  }

  /** Exported, signed elsewhere with one of the keys, and imported. Resolves with how many are complete by that. */
  async function signElsewhere(story: PayerStory, pair: typeof PAYER): Promise<number> {
    const file = (name: string): string => join(story.folder, `${name}-${pair.key.slice(0, 8)}`);
    const command = async (...words: string[]) => {
      const { code, text, stderr } = await runHere('ledger', [
        ...['payout', ...words, '--ledger-database-url', story.connectionString],
      ]);
      expect(code, stderr).toBe(0);
      return JSON.parse(text);
    };
    await command('export', file('unsigned'));
    const signer = await signerOf(story, pair);
    await writeFile(file('signed'), await answerQuicksign(await readFile(file('unsigned'), 'utf8'), signer));
    await signer.close();
    return (await command('import', file('signed'))).complete;
  }

  it('both elsewhere: signed by one, then by the other, and sent only then', async () => {
    await using story = await funded();
    const payer = story.pay({ terms: { from }, openSigner: async () => undefined });
    await story.owe({ 1: '5' });
    await story.are(['1 open']);
    expect(await signElsewhere(story, PAYER)).toBe(0);
    await payer.turn();
    expect(await story.states()).toEqual(['1 open']);
    expect(await signElsewhere(story, OTHER_PAYER)).toBe(1);
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' }, { ...PAYER, account: joint });
  });

  it('one here and one elsewhere: what is signed here waits for the other', async () => {
    await using story = await funded();
    const payer = story.pay({ terms: { from }, openSigner: () => signerOf(story) });
    await story.owe({ 1: '5' });
    await until('it is signed here', async () => {
      const { rows } = await story.pool.query(
        "SELECT FROM chain_transaction WHERE signatures::text LIKE '%sig%'",
      );
      return rows.length === 1;
    });
    await payer.turn();
    expect(await story.states()).toEqual(['1 open']);
    expect(await signElsewhere(story, OTHER_PAYER)).toBe(1);
    await story.mineUntil('1 paid');
    await story.expectPaid({ 1: '5' }, { ...PAYER, account: joint });
  });
});
