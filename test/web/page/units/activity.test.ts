/** How lines of the timeline are folded: pure functions. */
import { describe, expect, it } from 'vitest';
import type { EventView } from '../../../../src/web/page/reading/answers.js';
import {
  blocksWords,
  byDay,
  foldedHappenings,
  happeningsOf,
} from '../../../../src/web/page/views/activity/fold.js';
import { KIND_GROUPS, lookOf } from '../../../../src/web/page/words/kinds.js';

const line = (key: string, time: string, kind = 'banned', facts = {}): EventView => ({
  ...{ key, time: `2026-01-01T00:${time}Z`, kind, says: '', facts, instance: 0, by: null },
});
const shape = (lines: readonly EventView[]) =>
  foldedHappenings(lines).map(({ items }) => items.map(({ steps }) => steps.map(({ key }) => key).join('>')));

describe('WB32: lines of the timeline', () => {
  it('are one for a block, where it was found', () => {
    const lines = [
      line('confirmed', '09:00', 'blockConfirmed', { hash: 'a' }),
      line('ban', '08:00'),
      line('orphaned', '07:30', 'blockOrphaned', { hash: 'a' }),
      line('accepted', '07:01', 'blockAccepted', { hash: 'a' }),
      line('other', '07:01', 'blockFound', { hash: 'b' }),
      line('found', '07:00', 'blockFound', { hash: 'a' }),
    ];
    expect(happeningsOf(lines).map(({ steps }) => steps.map(({ key }) => key))).toEqual([
      ...[['ban'], ['orphaned'], ['other'], ['found', 'accepted', 'confirmed']],
    ]);
  });

  it('are folded by kind and minute from four on, and what stands between keeps its place', () => {
    const bans = (minute: string, many: number) =>
      Array.from({ length: many }, (_, i) => line(`${minute}.${i}`, `${minute}:${50 - i}`));
    const [first, ...others] = bans('03', 4);
    const lines = [first as EventView, line('label', '03:49', 'rigLabelled'), ...others, ...bans('02', 3)];
    expect(shape(lines)).toEqual([
      ...[['03.0', '03.1', '03.2', '03.3'], ['label'], ['02.0'], ['02.1'], ['02.2']],
    ]);
    expect(shape([])).toEqual([]);
  });

  it('count what became of blocks, and only of those that are in the fold', () => {
    const lines = Array.from({ length: 6 }, (_, i) => i).flatMap((i) => [
      ...(i < 2 ? [line(`c${i}`, '01:30', 'blockConfirmed', { hash: `${i}` })] : []),
      ...(i < 5 ? [line(`a${i}`, '01:20', 'blockAccepted', { hash: `${i}` })] : []),
      line(`f${i}`, '01:10', 'blockFound', { hash: `${i}` }),
    ]);
    const before = Array.from({ length: 4 }, (_, i) =>
      line(`o${i}`, '01:25', 'blockConfirmed', { hash: `o${i}` }),
    );
    const [old, young] = foldedHappenings([...before, ...lines]);
    expect(blocksWords(old?.items ?? [])).toBe('4 blocks confirmed');
    expect(blocksWords(young?.items ?? [])).toBe('6 blocks found, 5 accepted, 2 confirmed');
  });

  it('stand under their day', () => {
    const days = byDay(
      foldedHappenings([line('b', '01:00'), line('a', '00:00')]),
      ({ steps: [{ time }] }) => time,
    );
    expect(days.map(([, folds]) => folds.length)).toEqual([2]);
  });
});

it('without a choice blocks are left out but for what went wrong with them', () => {
  const kinds = KIND_GROUPS[0]?.kinds ?? [];
  expect(['blockFound', 'blockAccepted', 'blockConfirmed'].filter((kind) => kinds.includes(kind))).toEqual(
    [],
  );
  expect(kinds).toEqual(expect.arrayContaining(['blockOrphaned', 'blockRejected', 'banned', 'started']));
  expect([lookOf('blockOrphaned', {}), lookOf('nodeState', { state: 'healthy' })]).toEqual([
    'warning',
    'good',
  ]);
});
