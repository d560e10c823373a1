/** What the log says of an operator's orders. */
import { expect, it } from 'vitest';
import { logEvents, logLine } from '../../src/assembly/watch/event-log.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { Timeline } from '../../src/bridge/timeline/timeline.js';
import { type Log, SILENT } from '../../src/core/names/log.js';

it('says what an operator orders and who it was, and tells no ban of the bridge itself twice', () => {
  const lines: [object, string][] = [];
  const say = (fields: object, text: string): void => void lines.push([fields, text]);
  const timeline = new Timeline({ run: 'run', instance: () => 1, clock: { nowMs: () => 0 } });
  timeline.onLine((line) => logLine({ ...SILENT, info: say, warn: say }, line));
  const ban = { of: 'account', login: 'a', address: '', reason: 'dust', until: null } as const;
  timeline.record('banned', ban, 'me');
  timeline.record('banned', ban);
  timeline.record('drain', { state: 'draining', sessions: 3, left: 2 }, 'me');
  timeline.record('difficultyOrdered', { account: 'a', rig: 'r', difficulty: String(1n << 70n) }, 'me');
  // Said where it happens.
  timeline.record('nodeSwitched', { from: 'a', to: 'b' });
  expect(lines).toEqual([
    [{ event: 'banned', ...ban, by: 'me' }, 'account a is banned: dust'],
    [
      { event: 'drain', state: 'draining', sessions: 3, left: 2, by: 'me' },
      'nobody is let in, and rigs are asked to leave: 2 of 3 sessions are left',
    ],
    [
      { event: 'difficultyOrdered', account: 'a', rig: 'r', difficulty: String(1n << 70n), by: 'me' },
      `rig a.r is held at difficulty ${1n << 70n}`,
    ],
  ]);
});

it('ST12: says once of a session that it is ready, and counts its names at its end', () => {
  const lines: object[] = [];
  const events = createBridgeEvents();
  logEvents(events, { ...SILENT, info: (fields: object) => void lines.push(fields) } as Log);
  const [many, one] = [1, 2].map((id) => ({ id, transport: 'tcp' as const, peer: '192.0.2.1:5' }));
  for (const session of [many, one]) if (session) events.emit('sessionOpened', session);
  for (let i = 0; i < 16; i++) if (many) events.emit('sessionAuthorized', many, 'a', `r${i}`, '');
  if (one) events.emit('sessionAuthorized', one, 'a', 'r', '');
  for (const session of [many, one, many]) if (session) events.emit('sessionClosed', session, 'the rig left');
  expect(lines).toMatchObject([
    { event: 'session-authorized', id: 1, rig: 'r0' },
    { event: 'session-authorized', id: 2 },
    { event: 'session-closed', id: 1, names: 16 },
    { event: 'session-closed', id: 2 },
    { event: 'session-closed', id: 1 },
  ]);
  expect(lines.slice(3).every((fields) => !('names' in fields))).toBe(true);
});
