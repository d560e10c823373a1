/** The node's own clock. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/devnode/clock.js';

it('does not run ahead where its process is held up between two readings, and follows when the time is set', () => {
  let [systemMs, monotonicMs, heldUpMs] = [1_000_000, 500, 0];
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(Date, 'now').mockImplementation(() => Math.floor(systemMs));
  vi.spyOn(performance, 'now').mockImplementation(() => {
    [systemMs, monotonicMs] = [systemMs + heldUpMs, monotonicMs + heldUpMs];
    heldUpMs = 0;
    return monotonicMs;
  });
  const clock = systemClock();
  expect(clock.nowMicros()).toBe(1_000_000_000n);
  heldUpMs = 5.5;
  expect(clock.nowMicros()).toBe(1_000_005_500n);
  expect(clock.nowMicros()).toBe(1_000_005_500n);
  systemMs -= 60_000;
  expect(clock.nowMicros()).toBe(940_005_000n);
});
