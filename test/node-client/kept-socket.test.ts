import type { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { KeptSocket } from '../../src/node-client/lines/warm-line.js';
import { serveHttp } from '../helpers/web/http.js';

const DEAF = { opened() {}, lost() {} };

/** Each answer names the connection that it came by. */
async function ask(kept: KeptSocket, origin: string, signal = AbortSignal.timeout(60_000)): Promise<string> {
  const asked = { origin, path: '/', method: 'POST', headers: {}, body: 'x', signal } as const;
  const body = await new Promise<Readable>((resolve, reject) =>
    kept.request(asked, (error, answer) => (answer ? resolve(answer.body) : reject(error))),
  );
  let text = '';
  for await (const chunk of body) text += String(chunk);
  return text;
}

it('carries requests that come at once, and those that follow, over its one connection', async () => {
  await using server = await serveHttp((request, response) => {
    request.resume();
    response.end(String(request.socket.remotePort));
  });
  const kept = new KeptSocket(server.url, {}, DEAF);
  const together = await Promise.all([1, 2, 3].map(() => ask(kept, server.url)));
  const after = [await ask(kept, server.url), await ask(kept, server.url)];
  expect(new Set([...together, ...after]).size).toBe(1);
  kept.close();
});

it('ends a request in time that waits for the connection', async () => {
  await using server = await serveHttp(() => undefined);
  const kept = new KeptSocket(server.url, {}, DEAF);
  const unanswered = ask(kept, server.url).catch((error: unknown) => error);
  await expect(ask(kept, server.url, AbortSignal.timeout(50))).rejects.toMatchObject({
    name: 'TimeoutError',
  });
  kept.close();
  await unanswered;
});

it('asks nothing for who gave up before, and is as good as before', async () => {
  let requests = 0;
  await using server = await serveHttp((_request, response) => {
    requests++;
    response.end();
  });
  const kept = new KeptSocket(server.url, {}, DEAF);
  await ask(kept, server.url);
  await expect(ask(kept, server.url, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  await ask(kept, server.url);
  expect(requests).toBe(2);
  kept.close();
});
