/** Connections that stand open are kept open one at a time, so that most of them are free for what is urgent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { NodeHttp } from '../../src/node-client/asking/http.js';
import { WarmLines } from '../../src/node-client/lines/warm-lines.js';
import { until } from '../helpers/until.js';

const LINES = 4;
const ROUNDS = 12;

it('keeps one line open after the other, and so leaves the others free', async () => {
  let underWay = 0;
  let most = 0;
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    asked++;
    most = Math.max(most, ++underWay);
    // It closes what is idle for a second: each line is asked something twice in that time.
    setTimeout(() => {
      underWay--;
      response.writeHead(200, { 'keep-alive': 'timeout=1' }).end();
    }, 100);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const keepOpenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/info`;
  const http = new NodeHttp();
  const lines = new WarmLines({ http, keepOpenUrl, random: () => 0.5 }, LINES);
  lines.start();
  // Opening them asks once over each.
  await until(
    'all are open, and asked nothing',
    () => lines.free !== undefined && asked >= LINES && underWay === 0,
  );
  [most, asked] = [0, 0];
  await until('each was kept open some times', () => asked >= ROUNDS);
  expect(most).toBe(1);
  expect(lines.free).toBeDefined();
  lines.close();
  await http.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
