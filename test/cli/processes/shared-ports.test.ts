/** Connections of ports that several processes share, handed to takers that stand for them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { SharedPorts, type Taker } from '../../../src/cli/processes/shared-ports.js';

const ANY = { host: '127.0.0.1', port: 0 };

/** As Node.js says it of a channel that is closed: before anything else comes to its turn. */
const DEAD: Taker = { isFull: false, take: (_port, _connection, done) => process.nextTick(done, false) };

function living(isFull = false): Taker & { readonly taken: { count: number } } {
  const taken = { count: 0 };
  return {
    ...{ isFull, taken },
    take: (_port, _connection, done) => {
      taken.count++;
      done(true);
    },
  };
}

async function connectTo({ port }: { readonly port: number }): Promise<void> {
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'close');
}

it('go to each in turn', async () => {
  const [ports, one, two] = [new SharedPorts(), living(), living()];
  const bound = await ports.join('tcp', ANY, one);
  expect(await ports.join('tcp', ANY, two)).toEqual(bound);
  onTestFinished(() => {
    for (const taker of [one, two]) ports.leaveAll(taker);
  });
  for (let i = 0; i < 6; i++) await connectTo(bound);
  expect([one.taken.count, two.taken.count]).toEqual([3, 3]);
});

it('go to the next one where one is dead, who gets no more', async () => {
  const [ports, one] = [new SharedPorts(), living()];
  const bound = await ports.join('tcp', ANY, DEAD);
  await ports.join('tcp', ANY, one);
  onTestFinished(() => ports.leaveAll(one));
  for (let i = 0; i < 3; i++) await connectTo(bound);
  expect(one.taken.count).toBe(3);
});

it('ST3: go to others while one hangs for which too many wait already, and are closed where there is no other', async () => {
  const [ports, hanging, one] = [new SharedPorts(), living(true), living()];
  const bound = await ports.join('tcp', ANY, hanging);
  onTestFinished(() => ports.leaveAll(hanging));
  await connectTo(bound);
  await ports.join('tcp', ANY, one);
  for (let i = 0; i < 3; i++) await connectTo(bound);
  ports.leaveAll(one);
  expect([hanging.taken.count, one.taken.count]).toEqual([0, 3]);
});

it('are closed where the only one is dead, and the port with them until another comes', async () => {
  const [ports, next] = [new SharedPorts(), living()];
  const bound = await ports.join('tcp', ANY, DEAD);
  await connectTo(bound);
  const refused = connect(bound.port, '127.0.0.1');
  expect((await once(refused, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' });
  expect(await ports.join('tcp', bound, next)).toEqual(bound);
  onTestFinished(() => ports.leaveAll(next));
  await connectTo(bound);
  expect(next.taken.count).toBe(1);
});
