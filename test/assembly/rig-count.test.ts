import { describe, expect, it, onTestFinished } from 'vitest';
import { workOnAsMany } from '../../src/assembly/rigs/rig-count.js';
import { createBridgeEvents, type SessionInfo } from '../../src/bridge/events.js';
import type { BridgeConfig } from '../../src/config/settings.js';
import { startCpuMode } from '../../src/cpu/modes.js';
import { CPU_MODES, type CpuMode } from '../../src/cpu/options.js';
import { Tally } from '../../src/web/state/tally.js';
import { cpuOptions } from '../cpu/options.js';
import { untilTrue } from '../helpers/until.js';

const session = (id: number): SessionInfo => ({ id, transport: 'tcp', peer: `127.0.0.1:${id}` });

function start() {
  const events = createBridgeEvents();
  const tally = new Tally(events, { nowMs: () => 0 });
  const told: number[] = [];
  const config = { 'work.chains': 'auto' } as unknown as BridgeConfig;
  const mines = workOnAsMany(config, { workOn: (chains) => void told.push(chains) }, tally, events);
  const startCpu = (mode: CpuMode): void => {
    const cpu = startCpuMode(cpuOptions({ mode, events, mines, threads: 16, timing: { resumeAfterMs: 0 } }));
    onTestFinished(() => cpu.close());
  };
  const share = (from: SessionInfo): unknown =>
    events.emit('submit', {
      ...{ session: from, account: 'a', rig: 'x', jobId: '1' },
      ...{ outcome: 'accepted', detail: '' },
    });
  return { events, tally, told, startCpu, share };
}

describe('the number of rigs', () => {
  it('R11: is that of sessions with a login, whatever else connects, and without CPU threads, for the chains worked on', () => {
    const { events, tally, told } = start();
    for (const id of [1, 2, 3]) events.emit('sessionOpened', session(id));
    expect([tally.sessions, tally.rigs, told]).toEqual([3, 0, [0]]);
    for (const rig of ['x', 'y']) events.emit('sessionAuthorized', session(1), 'a', rig, '');
    events.emit('sessionAuthorized', session(2), 'a', 'x', '');
    expect([tally.rigs, told.at(-1)]).toEqual([2, 2]);
    events.emit('sessionClosed', session(3), 'a check of a balancer');
    expect([tally.sessions, told.at(-1)]).toEqual([2, 2]);
    const thread = { ...session(4), transport: 'cpu' } as const;
    events.emit('sessionOpened', thread);
    events.emit('sessionAuthorized', thread, 'a', 'cpu', '');
    expect([tally.sessions, tally.rigs, told.at(-1)]).toEqual([2, 2, 2]);
    for (const id of [1, 2]) events.emit('sessionClosed', session(id), 'it left');
    expect([tally.rigs, told.at(-1)]).toEqual([0, 0]);
  });
});

describe('CU14: the chains that the CPU wants', () => {
  it.each(CPU_MODES)('are as many as it searches on at once, whatever its threads, in mode %s', (mode) => {
    const { told, startCpu } = start();
    startCpu(mode);
    expect(told.at(-1)).toBe(['always', 'fallback', 'external'].includes(mode) ? 1 : 0);
  });

  it('are none while it rests because rigs mine, and one again once they have gone', async () => {
    const { events, told, startCpu, share } = start();
    startCpu('fallback');
    events.emit('sessionAuthorized', session(99), 'a', 'x', '');
    // Until its first share anybody can be a rig.
    expect(told.at(-1)).toBe(2);
    share(session(99));
    expect(told.at(-1)).toBe(1);
    events.emit('sessionClosed', session(99), 'it left');
    expect(told.at(-1)).toBe(0);
    await untilTrue(() => told.at(-1) === 1);
  });

  it('is one beside rigs where it always mines', () => {
    const { events, told, startCpu, share } = start();
    startCpu('always');
    events.emit('sessionAuthorized', session(99), 'a', 'x', '');
    share(session(99));
    expect(told.at(-1)).toBe(2);
  });
});
