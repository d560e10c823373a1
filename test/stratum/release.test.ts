/** Rigs are let go while the work is dead, and in again when it lives. */
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { WireRig } from '../helpers/rigs/wire-rig.js';
import { startTestBridge, TCP_PORT } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const WHY = 'nobody gives any: see why';
const SECOND_MS = 1_000;

function mortal(said: string[] = []) {
  const work: { dead: string | undefined } = { dead: undefined };
  const say = (_fields: object, words: string): void => void said.push(words);
  const log = { ...SILENT, info: say, warn: say, error: say };
  return { work, options: { whyReleased: () => work.dead, standsStill: true, log } };
}

it('lets rigs go within ten seconds, not all at once, with the reason, and in again at the same port', async () => {
  const said: string[] = [];
  const { work, options } = mortal(said);
  await using bridge = await startTestBridge(options);
  const port = bridge.port('tcp');
  await Promise.all(Array.from({ length: 30 }, () => bridge.readyRig('tcp')));
  work.dead = WHY;
  await until('the first go', () => bridge.server.sessions < 30);
  expect(bridge.server.sessions).toBe(27);
  bridge.skewMs += 5 * SECOND_MS;
  await until('others go', () => bridge.server.sessions < 27);
  expect(bridge.server.sessions).toBeGreaterThan(0);
  bridge.skewMs += 5 * SECOND_MS;
  await until('all have gone', () => bridge.server.sessions === 0);
  expect(new Set(bridge.closings)).toEqual(new Set([`the work here is dead: ${WHY}`]));
  expect(said).toEqual([`rigs are let go, the work is dead: ${WHY}`]);
  expect(bridge.server.ports).toEqual([]);
  await expect(WireRig.connect('tcp', port)).rejects.toThrow('ECONNREFUSED');

  work.dead = undefined;
  await until('the ports are open', () => bridge.server.ports.length === 2);
  expect(bridge.port('tcp')).toBe(port);
  await bridge.readyRig('tcp');
  expect(said.at(-1)).toBe('there is live work: rigs are let in');
});

it('a port that another program has taken meanwhile is said once, and opened when it is free', async () => {
  const said: string[] = [];
  const { work, options } = mortal(said);
  await using bridge = await startTestBridge({ ...options, listeners: [TCP_PORT] });
  const port = bridge.port('tcp');
  work.dead = WHY;
  await until('it is shut', () => bridge.server.ports.length === 0);
  const thief = createServer();
  onTestFinished(() => void thief.close());
  await until(
    'the port is taken',
    () =>
      new Promise<boolean>((resolve) => {
        thief.once('error', () => resolve(false));
        thief.listen(port, '127.0.0.1', () => resolve(true));
      }),
  );
  work.dead = undefined;
  const isFault = (words: string): boolean => words.includes('cannot be let in at a port');
  await until('it is said', () => said.some(isFault));
  bridge.skewMs += 5 * SECOND_MS;
  await new Promise((resolve) => thief.close(resolve));
  await until('the port is open', () => bridge.server.ports.length === 1);
  expect(said.filter(isFault)).toHaveLength(1);
  await bridge.readyRig('tcp');
});

it('nobody is let in before there is work, at the port that was bound at the start', async () => {
  const said: string[] = [];
  const { work, options } = mortal(said);
  work.dead = WHY;
  await using bridge = await startTestBridge({ ...options, listeners: [TCP_PORT] });
  expect(said).toEqual([`rigs are let in once there is work: ${WHY}`]);
  expect(bridge.server.ports).toEqual([]);
  const port = bridge.port('tcp');
  await expect(WireRig.connect('tcp', port)).rejects.toThrow('ECONNREFUSED');
  work.dead = undefined;
  await until('the port is open', () => bridge.server.ports.length === 1);
  expect(bridge.port('tcp')).toBe(port);
  await bridge.readyRig('tcp');
  expect(said.slice(1)).toEqual(['there is live work: rigs are let in']);
});

it('whether a port can be had is told before there is work, and it is free afterwards', async () => {
  await using other = await startTestBridge({ listeners: [TCP_PORT] });
  const address = { host: '127.0.0.1', port: other.port('tcp') };
  await other.server.close();
  await using bridge = await startTestBridge({ listeners: [{ ...TCP_PORT, address }] });
  await expect(bridge.server.check()).rejects.toThrow(
    /^cannot listen for rigs \(port tcp, .*another program uses/,
  );
  await bridge.server.close();
  await bridge.server.check();
  await bridge.server.check();
});
