/** What a rig of tests has forgotten does not come back as its newest lines. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WireRig } from './wire-rig.js';

it('a rig that keeps its last lines tells the newest of them, and hears answers to what it asks then', async () => {
  const server = createServer((socket) => {
    for (let job = 1; job <= 9; job++) socket.write(`{"method":"mining.notify","params":[${job}]}\n`);
    socket.on('data', (asked) => socket.write(`{"id":${JSON.parse(String(asked)).id},"result":true}\n`));
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const rig = await WireRig.connect('tcp', (server.address() as AddressInfo).port);
  onTestFinished(() => rig.vanish());
  const jobs = () => rig.notices('mining.notify').map(({ params }) => params?.[0]);
  await rig.until(({ params }) => params?.[0] === 9);
  expect(jobs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  rig.keepLast(2);
  expect(jobs()).toEqual([8, 9]);
  expect(await rig.request(3, 'mining.ping')).toMatchObject({ id: 3, result: true });
});
