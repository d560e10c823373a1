/** The time of a stop, and how parts share it. */
import { expect, it } from 'vitest';
import { CloseStack } from '../../../src/cli/service/stop.js';
import type { Log } from '../../../src/core/names/log.js';

const never = new Promise<void>(() => {});

/** Keeps what is said of parts. */
function listener(): { readonly log: Log; readonly said: string[] } {
  const said: string[] = [];
  const say = ({ part }: { part?: string }, words: string): void => void said.push(`${part}: ${words}`);
  return { log: { debug: say, info: say, warn: say, error: say } as unknown as Log, said };
}

/** Parts by name, the first opened first; each says how long it may take. */
function stackOf(parts: Readonly<Record<string, { needsMs: number; hangs?: true }>>) {
  const open = new CloseStack();
  const told: Record<string, number> = {};
  for (const [name, { needsMs, hangs }] of Object.entries(parts)) {
    const close = (withinMs: number): unknown => {
      told[name] = withinMs;
      return hangs && never;
    };
    open.add(name, close, needsMs);
  }
  return { open, told };
}

const LEFT = 'did not stop in time, and is left behind';

it('what hangs takes what is left, but for what others need', async () => {
  const { open, told } = stackOf({
    base: { needsMs: 100 },
    middle: { needsMs: 50 },
    top: { needsMs: 0, hangs: true },
  });
  const { log, said } = listener();
  await open.close(log, 300);
  expect(said).toEqual([`top: ${LEFT}`, 'middle: stopped', 'base: stopped']);
  expect(told['top']).toBeLessThanOrEqual(150);
  expect(told['middle']).toBeGreaterThanOrEqual(50);
  expect(told['base']).toBeGreaterThanOrEqual(100);
});

it('what is not needed is left for those that come after', async () => {
  const { open, told } = stackOf({ base: { needsMs: 10 }, middle: { needsMs: 30_000 } });
  await open.close(listener().log, 60_000);
  // Those of a stop get no more than the whole of one.
  expect(told).toEqual({ middle: 10_000, base: 10_000 });
});

it('each has what it needs, also where all of them hang', async () => {
  const hanging = { needsMs: 20, hangs: true } as const;
  const { open, told } = stackOf({ a: hanging, b: hanging, c: hanging });
  const { log, said } = listener();
  await open.close(log, 0);
  expect(told).toEqual({ a: 20, b: 20, c: 20 });
  expect(said).toEqual([`c: ${LEFT}`, `b: ${LEFT}`, `a: ${LEFT}`]);
});

it('one that fails keeps the others from nothing', async () => {
  const { open } = stackOf({ base: { needsMs: 0 } });
  open.add('bad', () => {
    throw new Error('broken');
  });
  open.add('worse', () => Promise.reject(new Error('broken')));
  const { log, said } = listener();
  await open.close(log, 60_000);
  expect(said).toEqual(['worse: did not stop properly', 'bad: did not stop properly', 'base: stopped']);
});
