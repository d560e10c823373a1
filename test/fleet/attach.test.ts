/** Fronts find the hub that comes after theirs: over real Unix sockets. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { findHub, Gate, type Hello, PROTOCOL } from '../../src/fleet/channel/attach.js';
import { Channel } from '../../src/fleet/channel/channel.js';
import type { Contract } from '../../src/fleet/channel/contract.js';
import type { StreamWire } from '../../src/fleet/channel/stream-wire.js';
import { temporaryFolder } from '../helpers/folder.js';
import { until } from '../helpers/until.js';

interface Echo {
  echo(bytes: Uint8Array, big: bigint): Promise<{ bytes: Uint8Array; big: bigint }>;
}

const ECHO: Contract<Echo> = { name: 'echo', methods: { echo: 'call' } };
const HELLO: Hello = { front: 2, pid: process.pid, protocol: PROTOCOL, instance: 5 };

async function openGate(path: string, refusal: (hello: Hello) => string | undefined = () => undefined) {
  const adopted: { hello: Hello; wire: StreamWire }[] = [];
  const gate = new Gate({
    path,
    log: SILENT,
    refusal,
    adopt: (hello, wire) => void adopted.push({ hello, wire }),
  });
  await gate.open();
  return { gate, adopted };
}

describe('a front without a hub', () => {
  it('waits for the next one, and goes on with it, whatever the size of what is said', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'fronts', 'hub.sock');
    const finding = findHub(path, HELLO, 30_000);
    const { gate, adopted } = await openGate(path);
    const wire = (await finding) ?? expect.fail('it finds none');
    const [{ hello, wire: there } = expect.fail()] = adopted;
    expect(hello).toEqual(HELLO);
    const front = new Channel(wire);
    front.offer(ECHO, { echo: async (bytes, big) => ({ bytes, big }) });
    const hub = new Channel(there).remote(ECHO);
    const bytes = new Uint8Array(3_000_000).fill(7);
    const answers = await Promise.all([1n, 2n, 3n].map((big) => hub.echo(bytes, big)));
    expect(answers.map(({ big, bytes: { length } }) => [big, length])).toEqual(
      [1n, 2n, 3n].map((big) => [big, 3_000_000]),
    );
    const ended = new Promise<void>((resolve) => wire.onEnd(resolve));
    there.close();
    await ended;
    await gate.close();
  });

  it('finds a hub at a place that is closed to other users, and that a killed one has left behind', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'fronts', 'hub.sock');
    await openGate(path);
    const { gate } = await openGate(path);
    expect((await stat(join(folder.path, 'fronts'))).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await findHub(path, HELLO, 30_000)).toBeDefined();
    await gate.close();
  });

  it('ends where none comes in time, or where that does not take it: it is there, or of another version', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'fronts', 'hub.sock');
    expect(await findHub(path, HELLO, 50)).toBeUndefined();
    const { gate, adopted } = await openGate(path, ({ front }) => (front === 2 ? 'it is there' : undefined));
    expect(await findHub(path, HELLO, 30_000)).toBeUndefined();
    expect(await findHub(path, { ...HELLO, front: 3, protocol: PROTOCOL + 1 }, 30_000)).toBeUndefined();
    expect(adopted).toEqual([]);
    await gate.close();
  });

  it('does no harm by what is no message', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'fronts', 'hub.sock');
    const { gate, adopted } = await openGate(path);
    for (const bytes of [
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.from([0xff, 0xff, 0xff, 0xff]),
      Buffer.from([1, 0, 0, 0, 9]),
    ]) {
      const socket = connect(path);
      socket.on('error', () => undefined);
      socket.write(bytes);
      await once(socket.resume(), 'close');
    }
    expect(await findHub(path, HELLO, 30_000)).toBeDefined();
    await until('it is taken', () => adopted.length === 1);
    await gate.close();
  });
});
