/**
 * Strangers before the door of a pool, from addresses of their own: junk names, junk bytes, connects, submits of nobody.
 * Argument: the bridge's port. Ten of them come each second, until the process is ended.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const port = Number(process.argv[2]);
const EVERY_MS = 100;
const STAYS_MS = 5_000;
const JUNK_NAMES = [
  'x'.repeat(4_000),
  'nul\u0000byte.rig',
  "k:'; DROP TABLE share; --.r",
  '\u001b[31mred.r',
  '𝒳'.repeat(100),
  '\ud800.half',
  '.',
  '',
];

type Act = (open: () => Socket) => void;

const line = (id: number, method: string, params: unknown): string =>
  `${JSON.stringify({ id, method, params })}\n`;

const ACTS: readonly Act[] = [
  (open) => {
    const socket = open();
    socket.write(line(1, 'mining.subscribe', ['junk/1', null]));
    for (const name of JUNK_NAMES) socket.write(line(2, 'mining.authorize', [name, name]));
  },
  (open) => void open().write(randomBytes(65_536)),
  (open) => void open(),
  (open) => {
    const socket = open();
    for (const [i, name] of [...JUNK_NAMES, ...JUNK_NAMES].entries())
      socket.write(line(i, 'mining.submit', [name, '5d4', '000000000000']));
  },
  (open) => {
    for (let i = 0; i < 20; i++) open();
  },
  (open) => void open().write('{"id":1,"method":"'.padEnd(200_000, 'a')),
  (open) => {
    const socket = open();
    socket.write(line(1, 'mining.subscribe', ['bad/1', null]));
    socket.write(line(2, 'mining.authorize', [`k:${'f'.repeat(64)}.liar`, 'x']));
    for (let i = 3; i < 50; i++)
      socket.write(line(i, 'mining.submit', [`k:${'f'.repeat(64)}.liar`, `${i}`, '000000000001']));
  },
];

for (let i = 0; ; i++) {
  const localAddress = `127.9.0.${1 + (i % 64)}`;
  const act = ACTS[i % ACTS.length] ?? (() => undefined);
  act(() => {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    socket.on('error', () => socket.destroy());
    socket.resume();
    setTimeout(() => socket.destroy(), STAYS_MS);
    return socket;
  });
  await pause(EVERY_MS);
}
