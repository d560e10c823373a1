/** What has to hold of every simulated week, long or short. */
import { expect } from 'vitest';
import { RETURNS } from './rigs.js';
import type { WeekStory } from './week.js';

/** A late share whose cut has changed meanwhile, or whose rig has shown nobody who it was. */
const LATE_WORDS = /^late 21 /;

/** Called after {@link WeekStory.end}. */
export function hasHeld(story: WeekStory): void {
  const { kept, answered, refused, late, shares, bans } = story.result;
  expect(new Map([...kept].sort())).toEqual(new Map([...answered].sort()));
  // Only what came too late was refused, and what a ban of its login keeps out.
  expect(Object.keys(refused).filter((words) => !LATE_WORDS.test(words))).toEqual([]);
  expect(shares).toBeGreaterThan(0);
  expect(bans).toBeGreaterThan(0);
  for (const way of RETURNS) expect([way, late[way]]).toEqual([way, expect.toSatisfy((count) => count > 0)]);
  const { server, nonceSpace } = story.bridge;
  const held = { sessions: server.sessions, leased: nonceSpace.leased, parked: server.parked };
  expect(held).toEqual({ sessions: 0, leased: 0, parked: 0 });
  expect(server.watch.counts().bans).toBe(0);
}
