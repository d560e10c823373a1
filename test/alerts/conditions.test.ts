/** Each condition at its bound, held for its time, and never by what is not known. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONDITION_NAMES, CONDITIONS, type Condition } from '../../src/alerts/conditions.js';
import { Debounce } from '../../src/alerts/debounce.js';
import { judge, switchedOff } from '../../src/alerts/judge.js';
import type { AlertSettings } from '../../src/alerts/keeper.js';
import type { Signs } from '../../src/alerts/signs.js';
import type { Figures, Snapshot } from '../../src/alerts/snapshot.js';
import type { Finding } from '../../src/bridge/alerts.js';
import type { FollowedChains } from '../../src/operations/books/chains.js';
import { finding, payer, SETTINGS, WELL } from '../helpers/alerts/alert-looks.js';

const NONE_OPEN = (): boolean => false;
const ALL_OPEN = (): boolean => true;

const signs = (more: Partial<Signs>): Partial<Snapshot> => ({ signs: { ...WELL.signs, ...more } });
const figures = (more: Partial<Figures>): Partial<Snapshot> => ({
  figures: { ...(WELL.figures as Figures), ...more },
});
const rate = (hashesPerSecond: number, standardError = 0) => ({ hashesPerSecond, standardError });

function bad(more: Partial<Snapshot>, rules: Partial<AlertSettings> = {}, isOpen = NONE_OPEN): string[] {
  return judge({ ...WELL, ...more }, { ...SETTINGS, ...rules }, isOpen)
    .filter(({ isBad }) => isBad)
    .map(({ condition, about }) => `${condition} ${about}`);
}

const chain = (chainId: number, trouble: string): FollowedChains => ({
  ...{ chainId, trouble, network: 'development', height: 1, hash: '', headHeight: 1, behind: 0 },
  ...{ followedAt: '2026-01-01T00:00:00.000Z', expected: null },
});

const PAUSE = { reason: 'ordered', says: 'audit', since: '2026-01-01T00:00:00.000Z' } as const;
const DAY_MS = 86_400_000;
const QUEUE = { waiting: 0, failed: 0, heldBack: 0, unkeptSolutions: 0 };
const RATES = { 'alerts.accountHashRates': { alice: 100 }, 'alerts.rigHashRates': { 'alice.one': 50 } };

describe('a condition', () => {
  it('is none of a bridge that is well', () => {
    expect(bad({})).toEqual([]);
    expect(bad({}, {}, ALL_OPEN)).toEqual([]);
  });

  it.each<[string, Partial<Snapshot>, Partial<AlertSettings>]>([
    ['nodeUnhealthy http://a', { nodes: [{ url: 'http://a', state: 'away', reason: 'it is off' }] }, {}],
    ['noFreshJob bridge 0', signs({ jobAgeMs: 300_001 }), {}],
    ['forkVotesDiffer bridge 0', signs({ forkVotesDiffer: true }), {}],
    ['solutionsUnkept bridge 0', { queue: { ...QUEUE, unkeptSolutions: 1 } }, {}],
    ['sharesHeldBack bridge 0', { queue: { ...QUEUE, heldBack: 1 } }, {}],
    ['entriesUnbooked queue', { queue: { ...QUEUE, failed: 1 } }, {}],
    ['queueBehind queue', { queue: { ...QUEUE, waiting: 1001 } }, {}],
    ['ledgerAway bridge 0', { isLedgerUp: false }, {}],
    ['diskLow bridge 0', signs({ diskFreeBytes: 2 ** 30 - 1 }), {}],
    [
      'certificateEnding web of bridge 0',
      signs({ certificates: [{ of: 'web', endsInMs: 13 * DAY_MS }] }),
      {},
    ],
    ['certificateEnding rigs of bridge 0', signs({ certificates: [{ of: 'rigs', endsInMs: -1 }] }), {}],
    ['poolHashRateLow pool', figures({ pool: rate(4.9e11) }), {}],
    ['poolHashRateLow pool', figures({ pool: rate(9), usual: undefined }), { 'alerts.poolHashRate': 10 }],
    ['accountHashRateLow alice', figures({ accounts: new Map([['alice', rate(99)]]) }), RATES],
    ['rigHashRateLow alice.one', figures({ rigs: new Map([['alice.one', rate(49)]]) }), RATES],
    ['acceptRateLow pool', figures({ submits: { accepted: 94, rejected: 6 } }), {}],
    ['splitsBehind pool', figures({ unweighed: { blocks: 2, oldestMs: 900_001, place: 'host:/data' } }), {}],
    [
      'chainStandsStill chain 3',
      figures({ chains: [chain(2, ''), chain(3, 'no node has its payload')] }),
      {},
    ],
    ['blockUnclaimed pool', figures({ unclaimed: { blocks: 2, oldestMs: 3_600_001 } }), {}],
    ['paymentsPaused pool', figures({ payer: payer({ pauses: [PAUSE], words: ['paused: by order'] }) }), {}],
    ['payoutWaits pool', figures({ payer: payer({ waiting: 1 }) }), {}],
    [
      'payoutDue pool',
      figures({ payable: { minimum: '1.000000000000', accounts: 1, total: '3', sinceLastMs: undefined } }),
      {},
    ],
    [
      'payoutDue pool',
      figures({ payable: { minimum: '1.000000000000', accounts: 1, total: '3', sinceLastMs: DAY_MS + 1 } }),
      {},
    ],
  ])('%s', (expected, more, rules) => {
    expect(bad(more, rules)).toEqual([expected]);
  });

  it.each<[string, Partial<Snapshot>, Partial<AlertSettings>]>([
    ['a rate that may be above its bound by chance', figures({ pool: rate(4.9e11, 1e11) }), {}],
    ['no usual rate yet', figures({ pool: rate(1), usual: undefined }), {}],
    ['few submits', figures({ submits: { accepted: 1, rejected: 48 } }), {}],
    [
      'a block that was entered within the hour',
      figures({ unclaimed: { blocks: 9, oldestMs: 3_600_000 } }),
      {},
    ],
    [
      'a payout of yesterday',
      figures({ payable: { minimum: '1.000000000000', accounts: 9, total: '3', sinceLastMs: DAY_MS } }),
      {},
    ],
    ['nothing known of the books', { figures: undefined, queue: undefined }, RATES],
    ['nothing known of the disk', signs({ diskFreeBytes: undefined, forkVotesDiffer: undefined }), {}],
    ['no node set', { nodes: [], ...signs({ jobAgeMs: 1e9 }) }, {}],
  ])('is not met by %s', (_, more, rules) => {
    expect(bad(more, rules)).toEqual([]);
  });

  it('of a chain says why it stands still, one by one, and that it goes on', () => {
    const says = (trouble: string) =>
      judge({ ...WELL, ...figures({ chains: [chain(3, trouble), chain(4, '')] }) }, SETTINGS, NONE_OPEN)
        .filter(({ condition }) => condition === 'chainStandsStill')
        .map((found) => [found.about, found.isBad, found.says]);
    const goesOn = ['chain 4', false, 'chain 4 goes on'];
    expect(says('no node has its payload')).toEqual([
      ['chain 3', true, 'chain 3 stands still: no node has its payload'],
      goesOn,
    ]);
    expect(says('')).toEqual([['chain 3', false, 'chain 3 goes on'], goesOn]);
  });

  it('that is open has a bound a little further, so that what wavers about it changes nothing', () => {
    const [low, wavering] = [signs({ diskFreeBytes: 2 ** 30 - 1 }), signs({ diskFreeBytes: 2 ** 30 + 1 })];
    expect([bad(low), bad(wavering), bad(wavering, {}, ALL_OPEN)].map((all) => all.length)).toEqual([
      1, 0, 1,
    ]);
    const submits = figures({ submits: { accepted: 952, rejected: 48 } });
    expect([bad(submits).length, bad(submits, {}, ALL_OPEN).length]).toEqual([0, 1]);
  });

  it('is switched off by its name, and then is not judged', () => {
    const on = { ...SETTINGS, ...RATES };
    expect(switchedOff(on)).toEqual([]);
    expect(switchedOff({ ...on, 'alerts.off': CONDITION_NAMES })).toEqual(CONDITION_NAMES);
    const broken: Snapshot = {
      ...WELL,
      ...{ isLedgerUp: false, queue: { waiting: 1e9, failed: 1, heldBack: 1, unkeptSolutions: 0e9 } },
      nodes: [{ url: 'http://a', state: 'away', reason: '' }],
      signs: {
        jobAgeMs: 1e12,
        diskFreeBytes: 0,
        certificates: [{ of: 'web', endsInMs: 0 }],
        forkVotesDiffer: true,
      },
    };
    const told = (off: readonly Condition[]) =>
      new Set(
        judge(broken, { ...on, 'alerts.off': off }, NONE_OPEN).map(({ condition }) => condition as Condition),
      );
    const all = told([]);
    expect(all.size).toBeGreaterThan(8);
    for (const condition of all)
      expect(told([condition])).toEqual(new Set([...all].filter((other) => other !== condition)));
    expect(told(CONDITION_NAMES)).toEqual(new Set());
  });

  it('without a bound is none: rates of accounts and rigs', () => {
    expect(switchedOff(SETTINGS)).toEqual(['accountHashRateLow', 'rigHashRateLow']);
  });
});

const BAD = finding('n1');
const HOLD_MS = CONDITIONS.nodeUnhealthy.holdMs;

describe('what was seen', () => {
  it('counts once it was so for its time, and what is not known meanwhile changes nothing', () => {
    const debounce = new Debounce();
    const at = (nowMs: number, sights: readonly Finding[]): number => debounce.settle(sights, nowMs).length;
    const steps = [at(0, [BAD]), at(5_000, []), at(HOLD_MS - 1, [BAD]), at(HOLD_MS, [BAD])];
    expect(steps).toEqual([0, 0, 0, 1]);
    const well = { ...BAD, isBad: false };
    // It takes a minute at the most.
    const back = [at(HOLD_MS + 1_000, [well]), at(HOLD_MS + 60_999, [well]), at(HOLD_MS + 61_000, [well])];
    expect(back).toEqual([0, 0, 1]);
  });

  it('never counts while it changes more often than its time', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 59_999 }), { maxLength: 50 }), (steps) => {
        const debounce = new Debounce();
        let nowMs = 0;
        let isBad = false;
        const settled = steps.map((stepMs) => {
          nowMs += stepMs;
          isBad = !isBad;
          return debounce.settle([{ ...BAD, isBad }], nowMs).length;
        });
        expect(settled.filter((count) => count > 0)).toEqual([]);
      }),
    );
  });
});
