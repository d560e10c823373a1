/** Connections on their way from one process to another. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { onGone } from '../../src/fleet/channel/gone.js';
import { handOverTo } from '../../src/fleet/channel/sockets-wire.js';

describe('connections that are handed to another process', () => {
  it('are closed where the process that they are handed to ends before it has taken them, and its end is told', async () => {
    const other = spawn(process.execPath, ['--eval', 'process.on("message", () => undefined)'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(other, 'spawn');
    // It takes nothing any more: all but the first wait in this process.
    other.kill('SIGSTOP');
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const hand = handOverTo(other);
    let handed = 0;
    server.on('connection', (socket: Socket) => {
      hand('tcp', socket);
      handed++;
    });
    const { port } = server.address() as { port: number };
    const rigs = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    const closed = Promise.all(rigs.map((rig) => once(rig, 'close')));
    await expect.poll(() => handed).toBe(5);
    const gone = new Promise<void>((resolve) => onGone(other, resolve));
    other.kill('SIGKILL');
    await Promise.all([closed, gone]);
    server.close();
  });

  it('are handed over one at a time, so that what else is said goes before those that wait', async () => {
    const takes =
      'let taken = 0; process.on("message", (said, socket) => socket ? (taken++, socket.destroy()) : said.asks && process.send(taken))';
    const other = spawn(process.execPath, ['--eval', takes], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const { port } = server.address() as { port: number };
    const rigs = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    const closed = Promise.all(rigs.map((rig) => once(rig, 'close')));
    await expect.poll(() => sockets).toHaveLength(20);
    const hand = handOverTo(other);
    for (const socket of sockets) if (!hand('tcp', socket)) socket.destroy();
    other.send({ asks: true });
    expect(await once(other, 'message')).toEqual([1, undefined]);
    await closed;
    other.disconnect();
    server.close();
  });
});
