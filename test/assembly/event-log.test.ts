/** What the log says of an operator's orders. */
import { expect, it } from 'vitest';
import { logEvents } from '../../src/assembly/watch/event-log.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import type { Ban } from '../../src/operations/bans.js';
import type { Drain } from '../../src/operations/drain.js';

const AT = '2026-01-01T00:00:00.000Z';
const BAN: Ban = {
  ...{ id: '7', kind: 'account', login: 'a', reason: 'dust' },
  ...{ since: AT, until: null, by: 'me' },
};
const DRAIN: Drain = {
  ...{ state: 'draining', by: 'me', startedAt: AT, endsAt: AT, stops: false },
  ...{ sessions: 3, asked: 1, unsupported: 1, left: 2 },
};

it('says what an operator orders and who it was, and tells no ban of the bridge itself twice', () => {
  const lines: [object, string][] = [];
  const say = (fields: object, text: string): void => void lines.push([fields, text]);
  const events = createBridgeEvents();
  logEvents(events, { ...SILENT, info: say, warn: say } as Log);
  events.emit('banned', BAN);
  events.emit('banned', { ...BAN, by: null });
  events.emit('unbanned', BAN, 'another');
  events.emit('unbanned', BAN, undefined);
  events.emit('drain', DRAIN, 'me');
  events.emit('drain', { ...DRAIN, state: 'off' }, 'another');
  events.emit('steered', {
    kind: 'difficulty',
    account: 'a',
    rig: 'r',
    difficulty: String(1n << 70n),
    by: 'me',
  });
  events.emit('steered', { kind: 'difficulty', account: 'a', rig: 'r', difficulty: null, by: 'me' });
  events.emit('steered', { kind: 'message', audience: { to: 'all' }, text: 'x', told: 1, by: 'me' });
  expect(lines.map(([, text]) => text)).toEqual([
    'an operator bans',
    'an operator takes a ban back',
    'a ban is over',
    'the bridge drains: nobody is let in, and rigs are asked to go',
    'the drain is cancelled: rigs are let in again',
    'an operator sets a share difficulty',
    'an operator sets a share difficulty',
    'an operator sends a message',
  ]);
  expect(lines[0]?.[0]).toMatchObject({ event: 'banned', id: '7', until: null, by: 'me' });
  expect(lines[1]?.[0]).toMatchObject({ event: 'unbanned', id: '7', by: 'another' });
  expect(lines[5]?.[0]).toMatchObject({ difficulty: String(1n << 70n) });
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
