/** How often one address may ask on the peer port of profile chainweb. */
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { Throttle } from '../../src/devnode/http/throttle.js';

const request = (route: string, method = 'GET', remoteAddress = '192.0.2.1'): FastifyRequest =>
  ({ routeOptions: { url: route }, method, raw: { socket: { remoteAddress } } }) as unknown as FastifyRequest;

it.each([
  [50, request('/cut')],
  [20, request('/chain/:chain/mempool/member', 'POST')],
  [11, request('/cut/peer', 'PUT')],
])('%d a second, four times that at once, each address by itself', (rate, asked) => {
  const clock = { micros: 0n, nowMicros: () => clock.micros };
  const throttle = new Throttle(clock);
  const allowed = (): number => {
    for (let count = 0; ; count++) {
      try {
        throttle.take(asked);
      } catch (error) {
        expect(error).toMatchObject({ statusCode: 429 });
        return count;
      }
    }
  };
  expect(allowed()).toBe(4 * rate);
  clock.micros += 1_000_000n;
  expect(allowed()).toBe(rate);
  clock.micros += 3_600_000_000n;
  expect(allowed()).toBe(4 * rate);
  throttle.take(request(asked.url, asked.method, '192.0.2.2'));
});
