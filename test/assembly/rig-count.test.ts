import { describe, expect, it } from 'vitest';
import { workOnAsMany } from '../../src/assembly/rigs/rig-count.js';
import { createBridgeEvents, type SessionInfo } from '../../src/bridge/events.js';
import type { BridgeConfig } from '../../src/config/settings.js';
import { Tally } from '../../src/web/state/tally.js';

const session = (id: number): SessionInfo => ({ id, transport: 'tcp', peer: `127.0.0.1:${id}` });

function start() {
  const events = createBridgeEvents();
  const tally = new Tally(events, { nowMs: () => 0 });
  const told = { chains: [] as number[] };
  const config = {
    'work.chains': 'auto',
    'cpu.mode': 'off',
    'cpu.threads': 'auto',
  } as unknown as BridgeConfig;
  workOnAsMany(config, { workOn: (chains) => void told.chains.push(chains) }, tally, events);
  return { events, tally, told };
}

describe('the number of rigs', () => {
  it('R11: is that of sessions with a login, whatever else connects, and without CPU threads, for the chains worked on', () => {
    const { events, tally, told } = start();
    for (const id of [1, 2, 3]) events.emit('sessionOpened', session(id));
    expect([tally.sessions, tally.rigs, told]).toEqual([3, 0, { chains: [0] }]);
    for (const rig of ['x', 'y']) events.emit('sessionAuthorized', session(1), 'a', rig, '');
    events.emit('sessionAuthorized', session(2), 'a', 'x', '');
    expect([tally.rigs, told.chains.at(-1)]).toEqual([2, 2]);
    events.emit('sessionClosed', session(3), 'a check of a balancer');
    expect([tally.sessions, told.chains.at(-1)]).toEqual([2, 2]);
    const thread = { ...session(4), transport: 'cpu' } as const;
    events.emit('sessionOpened', thread);
    events.emit('sessionAuthorized', thread, 'a', 'cpu', '');
    expect([tally.sessions, tally.rigs, told.chains.at(-1)]).toEqual([2, 2, 2]);
    for (const id of [1, 2]) events.emit('sessionClosed', session(id), 'it left');
    expect([tally.rigs, told.chains.at(-1)]).toEqual([0, 0]);
  });
});
