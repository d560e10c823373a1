/** What has to hold of every simulated week, long or short. */
import { expect } from 'vitest';
import { RETURNS } from './rigs.js';
import type { WeekStory } from './week.js';

/** Nobody can be paid for what was found before the last block. */
const TOO_LATE = /^late 21 the chain has moved on/;

/** Called after {@link WeekStory.end}. */
export function hasHeld(story: WeekStory): void {
  const { kept, answered, refused, late, shares, bans } = story.result;
  expect(new Map([...kept].sort())).toEqual(new Map([...answered].sort()));
  expect(Object.keys(refused).filter((words) => !TOO_LATE.test(words))).toEqual([]);
  expect(shares).toBeGreaterThan(0);
  expect(bans).toBeGreaterThan(0);
  for (const way of RETURNS) expect([way, late[way]]).toEqual([way, expect.toSatisfy((count) => count > 0)]);
  const { server, nonceSpace } = story.bridge;
  const held = { sessions: server.sessions, leased: nonceSpace.leased, resumable: server.resumable };
  expect(held).toEqual({ sessions: 0, leased: 0, resumable: 0 });
  expect(server.watch.counts().bans).toBe(0);
}
