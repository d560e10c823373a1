import { beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '../../src/core/amount.js';
import { setAccountTerms } from '../../src/ledger/accounts/accounts.js';
import {
  differences,
  listRules,
  makeRules,
  rulesAt,
  rulesNow,
  writeFirstRules,
} from '../../src/ledger/rules/rules.js';
import { depthToConfirm, REWARD_RULES, type RewardRules } from '../../src/ledger/settlement/reward-rules.js';
import { useBooks } from '../helpers/books.js';

const books = useBooks();
const FIRST: RewardRules = {
  scheme: 'prop',
  fees: { basisPoints: 150, overrides: new Map([['friend', 25]]) },
  pplnsWindow: { of: 'time', ms: 3_600_000 },
  schedule: [{ fromHeight: 0, amount: parseAmount('2.304523') ?? 0n }],
  confirmDepth: 'auto',
};
const LONG_AGO = new Date(0);

beforeEach(() => books.empty());

describe('rules of reward', () => {
  it('are those of the first bridge, of ever, and no other bridge changes them by its start', async () => {
    await expect(rulesNow(books.pool)).rejects.toMatchObject({ code: 'refused' });
    const starts = [FIRST, REWARD_RULES, REWARD_RULES].map((rules) =>
      writeFirstRules(books.pool, rules, rules.scheme),
    );
    expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(1);
    await books.empty();
    expect(await writeFirstRules(books.pool, FIRST, 'first')).toBe(true);
    expect(await writeFirstRules(books.pool, REWARD_RULES, 'second')).toBe(false);
    expect(await rulesAt(books.pool, LONG_AGO)).toEqual({ ...FIRST, version: 1 });
    expect(await listRules(books.pool)).toMatchObject([
      { version: 1, validFrom: null, madeBy: 'first', holds: true, scheme: 'prop' },
    ]);
  });

  it('hold from their time on: what was before is by the rules of before', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    const from = new Date(Date.now() + 3_600_000);
    await makeRules(books.pool, { scheme: 'solo', confirmDepth: 9 }, from, 'ops');
    await makeRules(books.pool, { feeBasisPoints: 0 }, undefined, 'ops');
    expect((await listRules(books.pool)).map(({ version, holds }) => [version, holds])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
    expect(await rulesAt(books.pool, new Date(Date.now() - 60_000))).toMatchObject({ version: 1 });
    expect(await rulesNow(books.pool)).toMatchObject({
      version: 3,
      scheme: 'prop',
      fees: { basisPoints: 0 },
    });
    // The last made passes over what was planned before it.
    expect(await rulesAt(books.pool, from)).toMatchObject({ version: 3 });
    await makeRules(books.pool, { scheme: 'solo' }, from, 'ops');
    const just = await rulesAt(books.pool, new Date(from.getTime() - 1));
    expect([just.scheme, (await rulesAt(books.pool, from)).scheme]).toEqual(['prop', 'solo']);
  });

  it('have the fees of single accounts of that time', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    await setAccountTerms(books.pool, 'friend', { fee: 'default' }, 'ops');
    await setAccountTerms(books.pool, 'other', { fee: 0 }, 'ops');
    const before = await rulesAt(books.pool, LONG_AGO);
    expect(before.fees.overrides).toEqual(new Map([['friend', 25]]));
    const later = await rulesAt(books.pool, new Date(Date.now() + 60_000));
    expect(later.fees.overrides).toEqual(new Map([['other', 0]]));
  });

  it('cannot be made for a time that is past, nor such as pay nobody', async () => {
    await expect(makeRules(books.pool, {}, undefined, 'ops')).rejects.toThrow(/no rules of reward yet/);
    await writeFirstRules(books.pool, { ...FIRST, schedule: [] }, 'first');
    const past = new Date(Date.now() - 60_000);
    await expect(makeRules(books.pool, { scheme: 'solo' }, past, 'ops')).rejects.toThrow(/ is past: /);
    await expect(makeRules(books.pool, { scheme: 'pps' }, undefined, 'ops')).rejects.toThrow(
      /--block-reward/,
    );
    expect(await listRules(books.pool)).toHaveLength(1);
  });

  it('are compared with what the settings of a bridge say, and with nothing else', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    const holds = await rulesNow(books.pool);
    expect(differences(holds, {})).toEqual([]);
    const { fees, ...rest } = FIRST;
    expect(differences(holds, { ...rest, feeBasisPoints: fees.basisPoints })).toEqual([]);
    expect(differences(holds, { scheme: 'pps', confirmDepth: 6 })).toEqual([
      'scheme is prop in the ledger, and pps in the settings',
      'confirmDepth is auto in the ledger, and 6 in the settings',
    ]);
  });

  it('confirm at depth 60 on public networks and 6 on those for development, unless they say how deep', () => {
    const [mainnet, development, nobodyKnows] = [5, 2, 4711];
    expect([mainnet, development, nobodyKnows].map((code) => depthToConfirm('auto', code))).toEqual([
      60, 6, 60,
    ]);
    expect(depthToConfirm(3, mainnet)).toBe(3);
  });
});
