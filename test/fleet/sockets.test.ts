import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type BoundSocket, BoundSockets, type WantedSocket } from '../../src/fleet/hub/sockets.js';

async function listenOn({ fd }: BoundSocket): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen({ fd });
  await once(server, 'listening');
  return server;
}

async function isOpen({ address }: BoundSocket): Promise<boolean> {
  const client = connect(address.port, address.host);
  const isThere = await once(client, 'connect').then(
    () => true,
    () => false,
  );
  client.destroy();
  return isThere;
}

describe('the sockets of a hub', () => {
  it('are bound, and hold connections until a process listens on their descriptor', async () => {
    const sockets = new BoundSockets();
    (await sockets.change([{ name: 'tcp', listen: { host: '127.0.0.1', port: 0 } }])).take();
    const [{ fd, address } = expect.fail()] = sockets.all;
    expect(address).toMatchObject({ host: '127.0.0.1', port: expect.toSatisfy((port) => port > 0) });
    const server = createServer().listen({ fd });
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    const client = connect(address.port, address.host);
    await Promise.all([accepted, once(client, 'connect')]);
    client.destroy();
    server.close();
    sockets.close();
  });

  it('tell whose address is taken, and go to a free port where that will do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const sockets = new BoundSockets();
    const taken = { name: 'ws', listen: { host: '127.0.0.1', port } };
    await expect(sockets.change([taken])).rejects.toMatchObject({
      ...{ port: 'ws', cause: { code: 'EADDRINUSE' } },
    });
    (await sockets.change([{ name: 'ws', listen: { host: 'localhost', port, elseAny: true } }])).take();
    expect(sockets.all).toHaveLength(1);
    expect(sockets.all[0]?.address.port).not.toBe(port);
    sockets.close();
    other.close();
  });

  it('change to others while those that stay go on, and not at all where one cannot be had', async () => {
    const sockets = new BoundSockets();
    const [tcp, ws] = ['tcp', 'ws'].map((name) => ({ name, listen: { host: '127.0.0.1', port: 0 } })) as [
      WantedSocket,
      WantedSocket,
    ];
    (await sockets.change([tcp, ws])).take();
    const [first = expect.fail(), second = expect.fail()] = sockets.all;
    const servers = await Promise.all([first, second].map(listenOn));
    const taken = { name: 'high', listen: { host: '127.0.0.1', port: first.address.port } };
    await expect(sockets.change([tcp, taken])).rejects.toThrow('EADDRINUSE');
    expect(sockets.all).toEqual([first, second]);
    const low = { name: 'low', listen: { host: '127.0.0.1', port: 0 } };
    const dropped = await sockets.change([ws, low]);
    dropped.drop();
    expect(sockets.all).toEqual([first, second]);
    const next = await sockets.change([ws, low]);
    next.take();
    const [stays = expect.fail(), fresh = expect.fail()] = sockets.all;
    expect(stays).toEqual(second);
    servers.push(await listenOn(fresh));
    for (const server of servers.splice(0, 1)) await new Promise((closed) => server.close(closed));
    expect(await Promise.all([first, stays, fresh].map(isOpen))).toEqual([false, true, true]);
    for (const server of servers) server.close();
    sockets.close();
  });
});
