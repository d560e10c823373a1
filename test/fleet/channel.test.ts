import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Channel, type Wire } from '../../src/fleet/channel/channel.js';
import type { Contract } from '../../src/fleet/channel/contract.js';
import { until } from '../helpers/until.js';

interface Adder {
  add(a: bigint, bytes: Uint8Array): Promise<bigint>;
  fail(): Promise<void>;
  never(): Promise<void>;
  note(text: string): void;
}

const ADDER: Contract<Adder> = {
  name: 'adder',
  methods: { add: 'call', fail: 'call', never: 'call', note: 'cast' },
};

function wireOf(port: MessagePort): Wire {
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void port.on('message', listener),
    onEnd: (listener) => void port.once('close', listener),
  };
}

function pair() {
  const { port1, port2 } = new MessageChannel();
  const notes: string[] = [];
  const [here, there] = [new Channel(wireOf(port1)), new Channel(wireOf(port2))];
  there.offer(ADDER, {
    add: (a, bytes) => Promise.resolve(a + BigInt(bytes.length)),
    fail: () => Promise.reject(new Error('it is Monday')),
    never: () => new Promise(() => {}),
    note: (text) => void notes.push(text),
  });
  const close = (): void => port1.close();
  return { here, there, notes, close };
}

describe('a channel', () => {
  it('carries calls with what came of them, and casts', async () => {
    const { here, notes, close } = pair();
    const adder = here.remote(ADDER);
    expect(await adder.add(40n, new Uint8Array(2))).toBe(42n);
    await expect(adder.fail()).rejects.toMatchObject({ code: 'failed', message: 'it is Monday' });
    expect(adder.note('a')).toBeUndefined();
    await until('it is noted', () => notes.length === 1);
    close();
  });

  it('carries out calls and casts in the order in which they were said, though they come together', async () => {
    const listeners: ((message: unknown) => void)[] = [];
    const none = () => undefined;
    const there = new Channel({
      ...{ send: none, onEnd: none },
      onMessage: (listener) => void listeners.push(listener),
    });
    const done: string[] = [];
    const add = (a: bigint): Promise<bigint> => {
      done.push(`add ${a}`);
      return Promise.resolve(a);
    };
    const never = () => new Promise<void>(() => {});
    there.offer(ADDER, { add, fail: never, never, note: (text) => void done.push(text) });
    listeners[0]?.({ to: 'adder', method: 'add', args: [1n], call: 1 });
    listeners[0]?.({ to: 'adder', method: 'note', args: ['after it'] });
    expect(done).toEqual(['add 1', 'after it']);
  });

  it('tells who waits that no answer came in time, or that the other side is gone', async () => {
    const { here, close } = pair();
    await expect(here.remote(ADDER, 20).never()).rejects.toMatchObject({ code: 'late' });
    const waiting = here.remote(ADDER).never();
    close();
    await expect(waiting).rejects.toMatchObject({ code: 'ended' });
    await expect(here.remote(ADDER).add(1n, new Uint8Array())).rejects.toMatchObject({ code: 'ended' });
    expect(here.remote(ADDER).note('nobody hears it')).toBeUndefined();
  });

  it('carries out nothing that was not offered', async () => {
    const { here, close } = pair();
    const other = here.remote({ name: 'adder', methods: { toString: 'call' } } as unknown as Contract<{
      toString(): Promise<string>;
    }>);
    await expect(other.toString()).rejects.toThrow('adder.toString is not offered here');
    const nobody = here.remote<Adder>({ ...ADDER, name: 'nobody' });
    await expect(nobody.fail()).rejects.toThrow('nobody.fail is not offered here');
    close();
  });

  it('carries out what comes at once in the order in which it was said, calls and casts', async () => {
    const said: string[] = [];
    let hear: (message: unknown) => void = () => undefined;
    const there = new Channel({
      send: () => undefined,
      onMessage: (next) => (hear = next),
      onEnd: () => undefined,
    });
    there.offer(ADDER, {
      add: async (a) => {
        said.push(`add ${a}`);
        return a;
      },
      fail: async () => undefined,
      never: async () => undefined,
      note: (text) => void said.push(text),
    });
    hear({ to: 'adder', method: 'add', args: [1n, new Uint8Array()], call: 1 });
    hear({ to: 'adder', method: 'note', args: ['after it'] });
    expect(said).toEqual(['add 1', 'after it']);
  });

  it('goes on with another process in the place of the one that is gone', async () => {
    const [first, second] = [pair(), pair()];
    const adder = first.here.remote(ADDER);
    const waiting = adder.never();
    const { port1, port2 } = new MessageChannel();
    const next = new Channel(wireOf(port2));
    next.offer(ADDER, {
      add: async (a) => a + 1n,
      fail: async () => undefined,
      never: async () => undefined,
      note: () => undefined,
    });
    first.here.rewire(wireOf(port1));
    await expect(waiting).rejects.toMatchObject({ code: 'ended' });
    // What the former one says is not heard, and its end is not that of the channel.
    first.close();
    expect(await adder.add(1n, new Uint8Array())).toBe(2n);
    port1.close();
    second.close();
  });
});
