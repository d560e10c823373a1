import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { accountTerms, setAccountTerms } from '../../../src/ledger/accounts/accounts.js';
import { startLeader } from '../../../src/ledger/database/leader.js';
import { rulesFor, startRulesWatch } from '../../../src/ledger/rules/bridge-rules.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import {
  differences,
  makeRules,
  rulesAt,
  rulesNow,
  writeFirstRules,
} from '../../../src/ledger/rules/rules.js';
import { depthIn, nodesIn } from '../../../src/ledger/settlement/reward-rules.js';
import { settlementChores } from '../../../src/ledger/settlement/settlement.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import { useBooks } from '../../helpers/books/books.js';
import { listIn } from '../../helpers/books/lists.js';
import { dueOf } from '../../helpers/books/money.js';
import { signRoot } from '../../helpers/books/root-key.js';
import { runHere } from '../../helpers/processes/command.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';

const books = useBooks();
const FIRST: RewardRules = {
  ...REWARD_RULES,
  scheme: 'prop',
  fees: { basisPoints: 150, overrides: new Map([['friend', 25]]) },
  pplnsWindow: { of: 'time', ms: 3_600_000 },
  schedule: [{ fromHeight: 0, amount: parseAmount('2.304523') ?? 0n }],
  poolAccounts: ['k:pool'],
};
const LONG_AGO = new Date(0);

beforeEach(() => books.empty());

describe('rules', () => {
  it('are those of the first bridge, of ever, and no other bridge changes them by its start', async () => {
    await expect(rulesNow(books.pool)).rejects.toMatchObject({ code: 'no-rules' });
    const starts = [FIRST, REWARD_RULES, REWARD_RULES].map((rules) =>
      writeFirstRules(books.pool, rules, rules.scheme),
    );
    expect((await Promise.all(starts)).filter(Boolean)).toHaveLength(1);
    await books.empty();
    expect(await writeFirstRules(books.pool, FIRST, 'first')).toBe(true);
    expect(await writeFirstRules(books.pool, REWARD_RULES, 'second')).toBe(false);
    expect(await rulesAt(books.pool, LONG_AGO)).toEqual({ ...FIRST, version: 1 });
    expect(await listIn(books.pool, 'rules')).toMatchObject([
      { version: 1, validFrom: null, madeBy: 'first', holds: true, rules: { 'rewards.scheme': 'prop' } },
    ]);
  });

  it('hold from their time on: what was before is by the rules of before', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    const from = new Date(Date.now() + 3_600_000);
    await makeRules(books.pool, { scheme: 'solo', chainDepth: 9 }, from, 'ops');
    await makeRules(books.pool, { feeBasisPoints: 0 }, undefined, 'ops');
    expect((await listIn(books.pool, 'rules')).map(({ version, holds }) => [version, holds])).toEqual([
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

  it('begin and end with whole ten minutes where shares are paid, and say so', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    const hourMs = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
    const at = (minutes: number): Date => new Date(hourMs + minutes * 60_000);
    const make = (change: Parameters<typeof makeRules>[1], from: Date) =>
      makeRules(books.pool, change, from, 'ops');
    expect(await make({ scheme: 'solo' }, at(3))).toBeUndefined();
    expect(await make({ scheme: 'pps' }, at(13))).toEqual(at(20));
    expect(await make({ feeBasisPoints: 1 }, at(31))).toEqual(at(40));
    expect(await make({ scheme: 'prop' }, at(50))).toBeUndefined();
    expect(await make({ scheme: 'solo' }, at(51))).toBeUndefined();
    const schemes = [2, 3, 13, 20, 49, 50, 51].map(
      async (minutes) => (await rulesAt(books.pool, at(minutes))).scheme,
    );
    expect(await Promise.all(schemes)).toEqual(['prop', 'solo', 'solo', 'pps', 'pps', 'prop', 'solo']);
    // What begins within the ten minutes is part of what is changed.
    expect(await make({ feeBasisPoints: 2 }, at(49))).toEqual(at(50));
    expect(await rulesAt(books.pool, at(50))).toMatchObject({ scheme: 'prop', fees: { basisPoints: 2 } });
    const told = await ledger('rules', 'set', '--rewards-scheme', 'pps', '--from', at(51).toISOString());
    expect(told).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`from ${at(60).toISOString()} on: `),
    });
  });

  it('have the fees of single accounts of that time', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    expect(await accountTerms(books.pool, 'friend')).toMatchObject({ feeBasisPoints: 25, feeSince: null });
    await setAccountTerms(books.pool, 'friend', { fee: 'default' }, 'ops');
    await setAccountTerms(books.pool, 'other', { fee: 0 }, 'ops');
    const before = await rulesAt(books.pool, LONG_AGO);
    expect(before.fees.overrides).toEqual(new Map([['friend', 25]]));
    const later = await rulesAt(books.pool, new Date(Date.now() + 60_000));
    expect(later.fees.overrides).toEqual(new Map([['other', 0]]));
  });

  it('cannot be made for a time that is past, nor such as pay nobody', async () => {
    await expect(makeRules(books.pool, {}, undefined, 'ops')).rejects.toThrow(/no rules yet/);
    await writeFirstRules(books.pool, { ...FIRST, schedule: [] }, 'first');
    const past = new Date(Date.now() - 60_000);
    await expect(makeRules(books.pool, { scheme: 'solo' }, past, 'ops')).rejects.toThrow(/ is past: /);
    await expect(makeRules(books.pool, { scheme: 'pps' }, undefined, 'ops')).rejects.toThrow(
      /--rewards-schedule/,
    );
    expect(await listIn(books.pool, 'rules')).toHaveLength(1);
  });

  it('are compared with what the settings of a bridge say, and with nothing else', async () => {
    await writeFirstRules(books.pool, FIRST, 'first');
    const holds = await rulesNow(books.pool);
    const noFees = new Map<string, number>();
    const account = 'k:pool';
    expect(differences(holds, { account, rules: {}, fees: noFees })).toEqual([]);
    const { fees, ...rest } = FIRST;
    const rules = { ...rest, feeBasisPoints: fees.basisPoints };
    expect(differences(holds, { account, rules, fees: fees.overrides })).toEqual([]);
    expect(differences(holds, { account: 'k:typo', rules, fees: fees.overrides })).toEqual([
      'miner.account is k:typo, which is none of rewards.poolAccounts: what pays it is credited to nobody',
    ]);
    // LQ14: whom it waits for and what it drops is no matter of which bridge does so.
    const kept = { patienceMs: 60_000, keepRigsMs: 172_800_000 };
    const own = { scheme: 'pps', chainDepth: 6, chainNodes: 3, ...kept } as const;
    expect(
      differences(holds, {
        account,
        rules: own,
        fees: new Map([
          ['friend', 30],
          ['x', 5],
        ]),
      }),
    ).toEqual([
      'rewards.scheme is prop in the ledger, and pps in the settings',
      'chain.depth is auto in the ledger, and 6 in the settings',
      'chain.nodes is auto in the ledger, and 3 in the settings',
      'rewards.patience is 1d in the ledger, and 1m in the settings',
      'ledger.retention.rigs is 90d in the ledger, and 2d in the settings',
      'the fee of friend is 0.25% in the ledger, and 0.3% in the settings',
      'the fee of x is that of everybody in the ledger, and 0.05% in the settings',
    ]);
  });

  it('LQ12: keep sums of accounts at least as long as those of rigs', async () => {
    await writeFirstRules(books.pool, FIRST, 'bridge 0');
    const shorter = { keepAccountsMs: 60 * 86_400_000 };
    await expect(makeRules(books.pool, shorter, undefined, 'anna')).rejects.toThrow(
      /sums of rigs are proven by those of accounts/,
    );
  });

  it('ask for 60 blocks on top on public networks and 6 on those for development, unless they say how many', () => {
    const depths = (chainDepth: number | 'auto') =>
      [false, true].map((isForDevelopment) => depthIn({ chainDepth }, isForDevelopment));
    expect([depths('auto'), depths(3)]).toEqual([
      [60, 6],
      [3, 3],
    ]);
  });

  it('ask for two nodes on public networks where there are two, else for one, unless they say how many', () => {
    const nodes = (chainNodes: number | 'auto', isForDevelopment: boolean) =>
      [1, 2, 5].map((given) => nodesIn({ chainNodes }, { isForDevelopment, given }));
    expect([nodes('auto', false), nodes('auto', true), nodes(3, false), nodes(3, true)]).toEqual([
      [1, 2, 2],
      [1, 1, 1],
      [3, 3, 3],
      [3, 3, 3],
    ]);
  });
});

describe('B4: bridges with different settings on one ledger', () => {
  const PPS: RewardRules = { ...FIRST, scheme: 'pps', fees: { basisPoints: 0, overrides: new Map() } };
  const leaderOf = (settings: RewardRules, by: string) =>
    startLeader(books.pool, {
      chores: settlementChores({
        pool: books.pool,
        rules: rulesFor(books.pool, settings, by),
        signRoot,
        log: SILENT,
      }).map((chore) => ({ ...chore, everyMs: 0 })),
      log: SILENT,
      intervalMs: 20,
    });
  const share = () => {
    const shares = [makeShare({ account: 'miner', difficulty: 5n, blockDifficulty: 10n })];
    return books.ledger.recordEntry(
      entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }),
    );
  };

  it('both credit by the rules of the ledger, and pay per share is paid while both run', async () => {
    await writeFirstRules(books.pool, PPS, 'one');
    const half = (parseAmount('2.304523') ?? 0n) / 2n;
    const [one, two] = [leaderOf(REWARD_RULES, 'one'), leaderOf(PPS, 'two')];
    try {
      await share();
      await expect.poll(() => dueOf(books.pool, 'miner'), { timeout: 20_000 }).toBe(half);
      await one.close();
      await share();
      await expect.poll(() => dueOf(books.pool, 'miner'), { timeout: 20_000 }).toBe(2n * half);
    } finally {
      await Promise.all([one.close(), two.close()]);
    }
    for (const settings of [PPS, REWARD_RULES])
      expect(await rulesFor(books.pool, settings, 'late')()).toMatchObject({ version: 1, scheme: 'pps' });
  });

  it('say which of their settings are passed over, once, and when the rules become others', async () => {
    const said: string[] = [];
    const tell = (_: object, message: string) => void said.push(message);
    const log: Log = { ...SILENT, info: tell, warn: tell };
    const rules = rulesFor(books.pool, FIRST, 'one');
    const own = { account: 'k:pool', rules: { scheme: 'solo' } as const, fees: new Map<string, number>() };
    const watch = startRulesWatch({ rules, own, log, intervalMs: 3_600_000 });
    expect(watch.differing()).toBeUndefined();
    await watch.look();
    expect(watch.differing()).toEqual(['rewards.scheme is prop in the ledger, and solo in the settings']);
    await watch.look();
    expect(said).toEqual([
      'the ledger has these rules in force',
      expect.stringMatching(
        /passed over .*: rewards\.scheme is prop in the ledger, and solo in the settings$/,
      ),
    ]);
    await makeRules(books.pool, { scheme: 'solo' }, undefined, 'ops');
    await watch.look();
    expect(said.slice(2)).toEqual(['the ledger has these rules in force']);
    expect(watch.differing()).toEqual([]);
    await watch.close();
  });

  it('are told by command what holds, and new rules hold for all of them', async () => {
    await writeFirstRules(books.pool, FIRST, 'one');
    const set = await ledger(
      'rules',
      'set',
      '--rewards-scheme',
      'solo',
      '--rewards-fee',
      '2%',
      '--chain-depth',
      '12',
      '--chain-nodes',
      '2',
    );
    expect(set).toMatchObject({ code: 0, stderr: '' });
    expect(set.rows).toMatchObject([
      {
        version: 2,
        holds: true,
        rules: { 'rewards.pplnsWindow': '1h', 'chain.nodes': '2', 'payouts.mode': 'manual' },
        changes: 'rewards.scheme solo, rewards.fee 2%, chain.depth 12, chain.nodes 2',
      },
      {
        version: 1,
        holds: false,
        validFrom: null,
        changes:
          'rewards.scheme prop, rewards.fee 1.5%, rewards.pplnsWindow 1h, rewards.schedule 0=2.304523000000, rewards.poolAccounts k:pool',
      },
    ]);
    const planned = await ledger('rules', 'set', '--rewards-fee', '0', '--from', '2199-12-01');
    expect(planned.rows[0]).toMatchObject({
      version: 3,
      holds: false,
      validFrom: '2199-12-01T00:00:00.000Z',
    });
    expect((await ledger('rules')).rows).toEqual(planned.rows);
    const [line] = await timelineBook(books.pool).readLines({ limit: 1 });
    expect(line).toMatchObject({ kind: 'ordered', facts: { order: 'rules', about: 'version 3' } });
  });

  it.each([
    [['set'], 2, /say what: --rewards-scheme, --rewards-fee/],
    [
      ['set', '--rewards-fee', '1%', '--from', 'tomorrow'],
      2,
      /from: "tomorrow" .* is neither now nor a time such as/,
    ],
    [['set', '--rewards-fee', '1%', '--from', '2020-02-30T00:00'], 1, /is past/],
    [['set', '--rewards-scheme', 'best'], 2, /is none of pplns, prop, solo, pps/],
  ])('%j is refused', async (words, code, expected) => {
    await writeFirstRules(books.pool, FIRST, 'one');
    const refused = await ledger('rules', ...words);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringMatching(expected)]);
    expect(await listIn(books.pool, 'rules')).toHaveLength(1);
  });
});

async function ledger(...words: string[]) {
  const argv = [...words, '--ledger-database-url', books.connectionString];
  const { code, text, stderr } = await runHere('ledger', argv);
  return { code, stderr, rows: text === '' ? [] : (JSON.parse(text) as Record<string, unknown>[]) };
}
