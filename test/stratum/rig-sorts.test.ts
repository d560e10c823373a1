/** Rigs that another bridge has shown stand in the list where they would stand at their own. */
import { describe, expect, it } from 'vitest';
import { NO_OTHERS, type OtherBridges, rigTogether } from '../../src/bridge/watch/other-bridges.js';
import { rigKey } from '../../src/core/names/names.js';
import { RIG_SORTS } from '../../src/operations/enums.js';
import type { Rig } from '../../src/operations/rigs.js';
import { RigList } from '../../src/stratum/operator/rig-list.js';
import { RigBook } from '../../src/stratum/resume/rig-book.js';

const ALL = { offset: 0, limit: 1_000 };
const NOW_MS = Date.parse('2026-11-29T12:00:00Z');

function listOf(rigBook: RigBook, others: OtherBridges): RigList {
  return new RigList({
    ...{ rigBook, ordered: { of: () => undefined }, labels: { of: () => undefined } },
    ...{ isBanned: () => false, others: () => others, nowMs: () => NOW_MS },
  });
}

function emptyBook(): RigBook {
  return new RigBook({ limits: { remembered: 1_000 }, accounts: { areProven: true } });
}

/** Of `count` rigs, whose numbers are as different as those of real ones. */
function bookOf(count: number): RigBook {
  const book = emptyBook();
  for (let i = 0; i < count; i++) {
    const login = { account: `k:${i % 7}`, rig: `Rig${(i * 37) % count}` };
    const record = book.recordOf(login);
    for (let share = 0; share <= i % 5; share++) {
      // Rates are shown in whole hashes a second: these differ by more.
      const difficulty = 1e9 * (1 + ((i * 7919 + share) % 997));
      const reached = 1 + ((i * 104729) % 9973);
      const about = { difficulty, reached, nextDifficulty: undefined, addressKey: 'here' };
      book.share(record, { ...about, sinceMs: NOW_MS - 7_200_000 }, NOW_MS - ((i * 613) % 3_000) * 1_000);
    }
    for (let refused = 0; refused < i % 3; refused++) record.reject('stale', NOW_MS);
  }
  return book;
}

async function rowsOf(list: RigList, sort: (typeof RIG_SORTS)[number] = 'name'): Promise<readonly Rig[]> {
  return (await list.list({ ...ALL, sort })).items;
}

describe('a list of rigs that another bridge has shown', () => {
  it.each(RIG_SORTS)('is in the order of that bridge by %s', async (sort) => {
    const own = listOf(bookOf(60), NO_OTHERS);
    const rigs = new Map((await rowsOf(own)).map((rig) => [rigKey(rig), rig]));
    const shown = listOf(emptyBook(), { ...NO_OTHERS, rigs });
    expect(await rowsOf(shown, sort)).toEqual(await rowsOf(own, sort));
  });

  it('has a rig of both once, with what it did at both', async () => {
    const theirs = await rowsOf(listOf(bookOf(60), NO_OTHERS));
    const both = listOf(bookOf(40), { ...NO_OTHERS, rigs: new Map(theirs.map((rig) => [rigKey(rig), rig])) });
    const own = await rowsOf(listOf(bookOf(40), NO_OTHERS));
    const rows = await rowsOf(both);
    const keys = new Set([...theirs, ...own].map(rigKey));
    expect(rows.map(rigKey).sort()).toEqual([...keys].sort());
    const sumOf = (all: readonly Rig[]): number => all.reduce((sum, { accepted }) => sum + accepted, 0);
    expect(sumOf(rows)).toBe(sumOf(theirs) + sumOf(own));
  });
});

describe('a rig at two bridges', () => {
  const one: Rig = {
    ...{
      account: 'a',
      rig: 'attic',
      label: null,
      state: 'offline',
      sessions: 0,
      connectedSince: null,
      agent: 'old/1',
    },
    ...{
      difficulty: null,
      orderedDifficulty: null,
      hashRates: [],
      accepted: 2,
      rejected: {},
      bestShare: '7',
    },
    lastShareAt: '2026-11-29T10:00:00.000Z',
  };
  const there: Rig = {
    ...one,
    ...{ state: 'online', sessions: 1, connectedSince: '2026-11-29T11:00:00.000Z', agent: 'new/1' },
    ...{ difficulty: '64', accepted: 3, rejected: { stale: 2 }, bestShare: '99999999999999999999' },
  };

  it('is online where it is at one, and described as by the newest session', () => {
    const gone: Rig = { ...one, state: 'banned', rejected: { stale: 1, duplicate: 1 } };
    for (const rig of [rigTogether(there, gone), rigTogether(gone, there)])
      expect(rig).toMatchObject({
        ...{ state: 'online', sessions: 1, connectedSince: there.connectedSince, agent: 'new/1' },
        ...{ difficulty: '64', accepted: 3 + one.accepted, rejected: { stale: 3, duplicate: 1 } },
        bestShare: '99999999999999999999',
      });
  });

  it('has been connected since the first of its sessions came', () => {
    const later: Rig = { ...there, connectedSince: '2026-11-29T11:30:00.000Z', agent: 'newer/1' };
    for (const rig of [rigTogether(there, later), rigTogether(later, there)])
      expect(rig).toMatchObject({ sessions: 2, connectedSince: there.connectedSince, agent: 'newer/1' });
  });

  it('is as fast as at both together, and as uncertain as chance has it', () => {
    const rate = { minutes: 5, hashesPerSecond: 100, standardError: 30 };
    const fast: Rig = { ...one, hashRates: [rate, rate] };
    const slow: Rig = { ...one, hashRates: [{ ...rate, standardError: 40 }] };
    const first = { minutes: 5, hashesPerSecond: 200, standardError: 50 };
    for (const rig of [rigTogether(fast, slow), rigTogether(slow, fast)])
      expect(rig.hashRates).toEqual([first, rate]);
  });
});
