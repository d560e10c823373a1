/** What the bridge's events and the service host say, as lines of the timeline. */

import { expect, it } from 'vitest';
import { recordEvents, recordOf } from '../../src/assembly/watch/recorded-events.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { Timeline } from '../../src/bridge/timeline/timeline.js';
import type { NodeState } from '../../src/operations/enums.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

function told() {
  const events = createBridgeEvents();
  const timeline = new Timeline({ run: 'run', instance: () => 1, clock: { nowMs: () => 0 } });
  const lines: string[] = [];
  const facts: object[] = [];
  timeline.onLine((line) => {
    lines.push(`${line.kind}: ${line.says}${line.by ? ` (${line.by})` : ''}`);
    facts.push(line.facts);
  });
  recordEvents(events, timeline);
  return { events, timeline, lines, facts };
}

it('a node is told of when its state changes, and a switch when there was another one before', () => {
  const { events, lines, facts } = told();
  const node = (url: string, state: NodeState, isActive: boolean, reason = 'because') =>
    events.emit('node', { url, state, isActive, reason, network: '', chains: 0, requests: 0 });
  node('http://a', 'starting', false);
  node('http://a', 'healthy', true);
  node('http://b', 'healthy', false);
  node('http://a', 'healthy', true, 'the clock is wrong');
  node('http://a', 'away', true, 'nobody answers');
  node('http://a', 'away', false, 'nobody answers');
  node('http://b', 'healthy', true);
  expect(lines).toEqual([
    'nodeState: node http://a is healthy',
    'nodeState: node http://b is healthy',
    'nodeState: node http://a is away: nobody answers',
    'nodeSwitched: rigs work for http://b now, and for http://a no more',
  ]);
  expect(facts.slice(2)).toEqual([
    { node: 'http://a', state: 'away', before: 'healthy', reason: 'nobody answers' },
    { from: 'http://a', to: 'http://b' },
  ]);
});

it('a block is told of when it is found, and by what its node says', () => {
  const { events, lines, facts } = told();
  const solution = makeSolution({}, { height: 7 });
  const block = `the block of chain ${solution.job.work.chainId} at height 7`;
  events.emit('solutionFound', solution);
  events.emit('solutionFound', { ...solution, rig: '' });
  for (const state of ['received', 'perhaps', 'refused', 'lost'] as const)
    events.emit('solutionSettled', solution, state, '400 no');
  expect(lines).toEqual([
    `blockFound: k:a.r1 has found ${block}`,
    `blockFound: k:a has found ${block}`,
    `blockAccepted: the node has taken ${block}`,
    `blockAccepted: the node has perhaps taken ${block}: its answer was lost`,
    `blockRejected: the node refuses ${block}: 400 no`,
    `blockRejected: ${block} is lost: no node answered in time`,
  ]);
  expect(facts[2]).toMatchObject({
    ...{ height: 7, node: 'http://node', account: 'k:a', rig: 'r1', state: 'received' },
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

it('bans are told of with who gave the order, and with addresses in no sentence', () => {
  const { events, lines, facts } = told();
  const ban = {
    id: '1',
    reason: 'a flood',
    since: '2023-11-14T22:00:00.000Z',
    until: '2023-11-14T22:13:20.000Z',
    by: null,
  };
  const address = { ...ban, kind: 'address', address: '192.0.2.7' } as const;
  events.emit('banned', address);
  const account = { ...ban, kind: 'account', login: 'k:a', until: null, by: 'ann' } as const;
  events.emit('banned', account);
  events.emit('unbanned', account, 'bob');
  events.emit('unbanned', address, undefined);
  expect(lines).toEqual([
    'banned: an address is banned: a flood',
    'banned: account k:a is banned: a flood (ann)',
    'unbanned: the ban of account k:a is taken back (bob)',
    'unbanned: the ban of an address is over',
  ]);
  expect(facts).toEqual([
    { of: 'address', login: '', address: '192.0.2.7', reason: 'a flood', until: '2023-11-14T22:13:20.000Z' },
    { of: 'account', login: 'k:a', address: '', reason: 'a flood', until: null },
    { of: 'account', login: 'k:a', address: '' },
    { of: 'address', login: '', address: '192.0.2.7' },
  ]);
});

it('what an operator orders is told of', () => {
  const { events, lines, facts } = told();
  const times = {
    by: 'ann',
    startedAt: '2023-11-14T22:00:00.000Z',
    endsAt: '2023-11-14T22:13:20.000Z',
    stops: false,
  };
  const report = { ...times, sessions: 9, asked: 3, unsupported: 1, left: 5 };
  for (const state of ['draining', 'timeUp', 'off'] as const)
    events.emit('drain', { ...report, state }, 'ann');
  events.emit('drain', { ...report, state: 'drained', stops: true, left: 0 }, 'ann');
  const session = { id: 7, openedAt: '2023-11-14T22:13:20.000Z' };
  const close = { kind: 'close', session, peer: '192.0.2.7:99', reason: 'it hangs', by: 'ann' } as const;
  events.emit('steered', { ...close, login: { account: 'k:a', rig: 'r' } });
  events.emit('steered', { ...close, login: undefined });
  const rig = { kind: 'difficulty', account: 'k:a', rig: 'r' } as const;
  events.emit('steered', { ...rig, difficulty: '1000', by: 'ann' });
  events.emit('steered', { ...rig, difficulty: null, by: 'bob' });
  const label = { kind: 'label', account: 'k:a', rig: 'r' } as const;
  events.emit('steered', { ...label, label: 'loud', by: 'ann' });
  events.emit('steered', { ...label, label: null, by: 'bob' });
  const denied = { kind: 'addresses', list: 'deny', addresses: '10.0.0.0/8', isOn: true, closed: 3 } as const;
  events.emit('steered', { ...denied, by: 'ann' });
  events.emit('steered', { ...denied, isOn: false, closed: 0, by: 'bob' });
  const message = { kind: 'message', text: 'hello', told: 2, by: 'bob' } as const;
  for (const audience of [
    { to: 'all' },
    { to: 'account', account: 'k:a' },
    { to: 'login', account: 'k:a', rig: 'r' },
  ] as const)
    events.emit('steered', { ...message, audience });
  events.emit('steered', { ...message, audience: { to: 'session', ...session }, told: 1 });
  expect(lines).toEqual([
    'drain: nobody is let in, and rigs are asked to leave: 5 of 9 sessions are left (ann)',
    'drain: the time of the drain is over: 5 of 9 sessions are left (ann)',
    'drain: the drain is cancelled: 5 sessions stay (ann)',
    'drain: the drain has come to its end, and the bridge stops then: 0 of 9 sessions are left (ann)',
    'sessionClosed: session 7 is closed: it hangs (ann)',
    'sessionClosed: session 7 is closed: it hangs (ann)',
    'difficultyOrdered: rig k:a.r is held at difficulty 1000 (ann)',
    'difficultyOrdered: rig k:a.r is held at no difficulty any more (bob)',
    'rigLabelled: rig k:a.r is labelled "loud" (ann)',
    'rigLabelled: rig k:a.r has no label any more (bob)',
    'ordered: addresses 10.0.0.0/8 are on the list deny now; sessions ended by it: 3 (ann)',
    'ordered: addresses 10.0.0.0/8 are not on the list deny any more; sessions ended by it: 0 (bob)',
    'messageSent: 2 rigs were told: hello (bob)',
    'messageSent: 2 rigs of account k:a were told: hello (bob)',
    'messageSent: 2 rigs of k:a.r were told: hello (bob)',
    'messageSent: 1 rig of session 7 was told: hello (bob)',
  ]);
  const opened = { session: 7, openedAt: '2023-11-14T22:13:20.000Z' };
  expect(facts.slice(4)).toEqual([
    { ...opened, login: 'k:a.r', address: '192.0.2.7:99', reason: 'it hangs' },
    { ...opened, address: '192.0.2.7:99', reason: 'it hangs' },
    { account: 'k:a', rig: 'r', difficulty: '1000' },
    { account: 'k:a', rig: 'r', difficulty: null },
    { account: 'k:a', rig: 'r', label: 'loud' },
    { account: 'k:a', rig: 'r', label: null },
    { order: 'deny', about: expect.stringMatching(/^addresses 10\.0\.0\.0\/8 are on the list deny now/) },
    { order: 'deny', about: expect.stringMatching(/not on the list deny any more/) },
    { to: 'all', text: 'hello', told: 2 },
    { to: 'account', login: 'k:a', text: 'hello', told: 2 },
    { to: 'login', login: 'k:a.r', text: 'hello', told: 2 },
    { to: 'session', ...opened, text: 'hello', told: 1 },
  ]);
});

it('a reload is told of with what came of it, and a stop with its reason', () => {
  const { timeline, lines } = told();
  const record = recordOf(timeline);
  record.reloaded({ tookEffect: ['a'], wantsRestart: ['b', 'c'], refused: [] }, 'admin token');
  record.reloaded({ tookEffect: [], wantsRestart: [], refused: [] }, 'SIGHUP');
  record.reloaded({ tookEffect: [], wantsRestart: [], refused: ['a: is wrong', 'b: too'] }, 'SIGHUP');
  record.stopping('SIGTERM');
  expect(lines).toEqual([
    'reloaded: settings were read again: a took effect; b, c wait for a restart (admin token)',
    'reloaded: settings were read again: none has changed (SIGHUP)',
    'reloadRefused: settings were read again, and stay as they are: a: is wrong (SIGHUP)',
    'stopped: the bridge stops: SIGTERM',
  ]);
});
